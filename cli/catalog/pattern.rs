//! How a row names its call, and when a call is the one it names.
//!
//! In: the text of a [`super::CallPattern`] and a [`super::Call`]. Out: whether, and how closely, they agree. A path of
//! an external crate is compared by crate, type and name, since types are re-exported under several module paths; where
//! that leaves a choice between rows, the matcher decides.

use super::Call;

/// A parsed call pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// a path of at least one segment, the second to last of which may be `*`: a method of any type of the crate
    Path(Vec<String>),
    /// `_::refund`: a method of any receiver
    AnyMethod(String),
    /// `_.gateway.refund`: fields that lead to the receiver, and the method
    Field(Vec<String>, String),
    /// `macro sqlx::query`
    Macro(Vec<String>),
}

/// How closely a pattern names a call; a later one is closer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Closeness {
    /// any receiver
    AnyReceiver,
    /// the crate agrees, the call's type is unknown
    Crate,
    /// the pattern takes any type of the crate
    AnyType,
    /// crate, type and name agree, modules differ
    Reexported,
    /// the same path
    Exact,
}

impl Pattern {
    /// Parses a pattern, or says why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() > 512 {
            return Err("the path is longer than 512 bytes".into());
        }
        if let Some(path) = text.strip_prefix("macro ") {
            return segments(path.trim().trim_end_matches('!'), false).map(Self::Macro);
        }
        if let Some(method) = text.strip_prefix("_::") {
            return identifier(method).map(|()| Self::AnyMethod(method.into()));
        }
        if let Some(fields) = text.strip_prefix("_.") {
            let mut names: Vec<String> = fields.split('.').map(str::to_owned).collect();
            names.iter().try_for_each(|name| identifier(name))?;
            let method = names.pop().unwrap_or_default();
            if names.is_empty() {
                return Err(format!("`_.{method}` names no field: write `_::{method}` for any receiver"));
            }
            return Ok(Self::Field(names, method));
        }
        segments(text, true).map(Self::Path)
    }

    /// Whether the call is meant.
    pub fn matches(&self, call: &super::Call<'_>) -> bool {
        self.closeness(call).is_some()
    }

    /// The name that a call must have to be meant.
    pub fn name(&self) -> &str {
        match self {
            Self::AnyMethod(name) | Self::Field(_, name) => name,
            Self::Path(segments) | Self::Macro(segments) => segments.last().map_or("", String::as_str),
        }
    }

    /// The crate that it is of, if it names one.
    pub(super) fn crate_name(&self) -> Option<&str> {
        match self {
            Self::Path(segments) | Self::Macro(segments) if segments.len() > 1 => segments.first().map(String::as_str),
            _ => None,
        }
    }

    /// How closely this names the call, if it does.
    pub(super) fn closeness(&self, call: &Call<'_>) -> Option<Closeness> {
        match (self, call) {
            (Self::Macro(pattern), Call::Macro(path)) => macro_path(pattern, path),
            (Self::Path(pattern), Call::External(path) | Call::Workspace(path)) if starts_alike(pattern, path) => {
                let path: Vec<&str> = path.split("::").collect();
                whole_path(pattern, &path)
            }
            (Self::Path(pattern), Call::Method { receiver, method, .. }) if starts_alike(pattern, receiver) => {
                let mut path: Vec<&str> = receiver.split("::").collect();
                if path.len() == 1 {
                    return crate_only(pattern, path[0], method);
                }
                path.push(method);
                whole_path(pattern, &path)
            }
            (Self::AnyMethod(name), Call::Method { method, .. } | Call::Unknown { method, .. }) => {
                (name == method).then_some(Closeness::AnyReceiver)
            }
            (Self::AnyMethod(name), Call::External(path) | Call::Workspace(path)) => {
                // what is absent is of the workspace by its path alone: a trait that a macro makes
                if matches!(call, Call::Workspace(_)) && !path.starts_with("crate::") {
                    return None;
                }
                // `ToString::to_string(&x)`, `std::string::String::len(&x)`: a method called by path
                let (owner, last) = path.rsplit_once("::")?;
                let by_type = owner.rsplit("::").next().is_some_and(is_type);
                (name == last && by_type).then_some(Closeness::AnyReceiver)
            }
            (
                Self::Field(fields, name),
                Call::Method { method, fields: path, .. } | Call::Unknown { method, fields: path },
            ) => {
                let tail = path.len().checked_sub(fields.len()).map(|at| &path[at..]);
                let same = tail.is_some_and(|tail| tail.iter().zip(fields).all(|(a, b)| a == b));
                (name == method && same).then_some(Closeness::Exact)
            }
            _ => None,
        }
    }
}

/// Whether a configured path names a path of the program: equal, or equal but for a `crate` in front of one of them.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    if pattern == path {
        return true;
    }
    // One type that many crates hand on: `*::StatusCode::OK`.
    if let Some(tail) = pattern.strip_prefix('*') {
        return path.ends_with(tail);
    }
    // Most paths differ in their ends, which is cheaper to see than where they divide.
    if pattern.as_bytes().last() != path.as_bytes().last() {
        return false;
    }
    let (Some((first, rest)), Some((other, tail))) = (pattern.split_once("::"), path.split_once("::")) else {
        return false;
    };
    (first == "crate" || other == "crate") && rest == tail
}

/// Whether a pattern can name a path at all: both of one crate, or one of them of the own crate. Most calls differ in this
/// from most patterns of their name.
fn starts_alike(pattern: &[String], path: &str) -> bool {
    let begins = |head: &str| path.strip_prefix(head).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    pattern.first().is_some_and(|first| first == "crate" || begins(first)) || begins("crate")
}

fn whole_path(pattern: &[String], path: &[&str]) -> Option<Closeness> {
    let (first, rest) = (pattern.first()?, &pattern[1..]);
    let (other, tail) = (path.first()?, &path[1..]);
    if first == "crate" || *other == "crate" {
        return same(rest, tail).then_some(Closeness::Exact);
    }
    if first != other || pattern.last().map(String::as_str) != path.last().copied() {
        return None;
    }
    if same(rest, tail) {
        return Some(Closeness::Exact);
    }
    let owner = owner_of(path.iter().copied());
    if pattern.len() >= 3 && pattern[pattern.len() - 2] == "*" {
        return (owner.is_some() && pattern.len() == 3).then_some(Closeness::AnyType);
    }
    // free functions of std share names between modules, those of one crate hardly ever do
    let agrees = owner_of(pattern.iter().map(String::as_str)) == owner;
    (agrees && (owner.is_some() || first != "std")).then_some(Closeness::Reexported)
}

/// A method of some type of a crate: which type is unknown.
fn crate_only(pattern: &[String], name: &str, method: &str) -> Option<Closeness> {
    let agrees =
        pattern.first().is_some_and(|first| first == name) && pattern.last().is_some_and(|last| last == method);
    let owner = owner_of(pattern.iter().map(String::as_str));
    let any = pattern.len() == 3 && pattern[1] == "*";
    // std is too large for a method's name to say which type it is of
    match (agrees, any, owner) {
        (true, true, _) => Some(Closeness::AnyType),
        (true, false, Some(_)) if name != "std" => Some(Closeness::Crate),
        _ => None,
    }
}

fn macro_path(pattern: &[String], path: &str) -> Option<Closeness> {
    let path: Vec<&str> = path.trim_end_matches('!').split("::").collect();
    if same(pattern, &path) {
        return Some(Closeness::Exact);
    }
    // std's macros are in scope everywhere, with or without their crate's name in front
    let bare = |first: &str| first == "std";
    let (head, last) = (path.first()?, path.last()?);
    let name = pattern.last()?;
    let first = pattern.first()?;
    let std = (pattern.len() == 1 || bare(first)) && (path.len() == 1 || bare(head));
    let same_crate = pattern.len() > 1 && path.len() > 1 && first == head;
    (name == last && (std || same_crate)).then_some(Closeness::Reexported)
}

fn same(pattern: &[String], path: &[&str]) -> bool {
    pattern.len() == path.len() && pattern.iter().zip(path).all(|(a, b)| a == b)
}

/// The type in front of the last segment, if that is how it is written.
fn owner_of<'a>(path: impl DoubleEndedIterator<Item = &'a str>) -> Option<&'a str> {
    path.rev().nth(1).filter(|segment| is_type(segment))
}

fn is_type(segment: &str) -> bool {
    segment.starts_with(char::is_uppercase)
}

fn segments(text: &str, star: bool) -> Result<Vec<String>, String> {
    let segments: Vec<String> = text.split("::").map(str::to_owned).collect();
    let last = segments.len() - 1;
    for (at, segment) in segments.iter().enumerate() {
        if segment == "*" && star && at == 1 && last == 2 {
            continue;
        }
        identifier(segment)?;
    }
    Ok(segments)
}

fn identifier(text: &str) -> Result<(), String> {
    let mut characters = text.chars();
    let starts = characters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    if starts && text != "_" && characters.all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(match text {
        "" => "a segment of the path is empty".to_owned(),
        "*" => "`*` can only stand for the type: `crate::*::method`".to_owned(),
        _ => format!("`{text}` is no identifier"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closeness(pattern: &str, call: Call<'_>) -> Option<Closeness> {
        Pattern::parse(pattern).unwrap().closeness(&call)
    }

    #[test]
    fn external_paths_are_compared_by_crate_type_and_name() {
        let post = "reqwest::Client::post";
        assert_eq!(closeness(post, Call::External(post)), Some(Closeness::Exact));
        let blocking = Call::External("reqwest::blocking::Client::post");
        assert_eq!(closeness(post, blocking), Some(Closeness::Reexported));
        assert_eq!(closeness(post, Call::External("reqwest::Other::post")), None);
        assert_eq!(closeness(post, Call::External("surf::Client::post")), None);
        assert_eq!(closeness(post, Call::Workspace("reqwest::Client::get")), None);
    }

    #[test]
    fn functions_of_std_need_their_whole_path() {
        let take = Call::External("std::iter::take");
        assert_eq!(closeness("std::mem::take", take), None);
        let random = Call::External("rand::prelude::random");
        assert_eq!(closeness("rand::random", random), Some(Closeness::Reexported));
    }

    #[test]
    fn a_free_function_is_no_method_of_a_type() {
        let spawn = Call::External("tokio::process::Command::spawn");
        assert_eq!(closeness("tokio::spawn", spawn), None);
        let task = Call::External("tokio::task::spawn");
        assert_eq!(closeness("tokio::spawn", task), Some(Closeness::Reexported));
    }

    #[test]
    fn crate_stands_for_any_package() {
        let pattern = "crate::billing::Client::charge";
        let full = Call::Workspace("shop::billing::Client::charge");
        assert_eq!(closeness(pattern, full), Some(Closeness::Exact));
        assert_eq!(closeness("shop::billing::Client::charge", Call::Workspace(pattern)), Some(Closeness::Exact));
        assert_eq!(closeness(pattern, Call::Workspace("shop::other::Client::charge")), None);
        let method = Call::Method { receiver: "crate::billing::Client", method: "charge", fields: &[] };
        assert_eq!(closeness(pattern, method), Some(Closeness::Exact));
        assert!(path_matches("crate::a::b", "shop::a::b"));
        assert!(!path_matches("shop::a::b", "mall::a::b"));
    }

    #[test]
    fn a_receiver_known_by_crate_only_takes_any_type_of_it() {
        let method = Call::Method { receiver: "reqwest", method: "post", fields: &[] };
        assert_eq!(closeness("reqwest::Client::post", method), Some(Closeness::Crate));
        assert_eq!(closeness("reqwest::*::post", method), Some(Closeness::AnyType));
        assert_eq!(closeness("reqwest::post", method), None);
        let std = Call::Method { receiver: "std", method: "lock", fields: &[] };
        assert_eq!(closeness("std::sync::Mutex::lock", std), None);
    }

    #[test]
    fn fields_lead_to_a_receiver_of_unknown_type() {
        let fields = ["self", "app", "upstream"];
        let call = Call::Unknown { method: "complete", fields: &fields };
        assert_eq!(closeness("_.upstream.complete", call), Some(Closeness::Exact));
        assert_eq!(closeness("_.app.upstream.complete", call), Some(Closeness::Exact));
        assert_eq!(closeness("_.app.complete", call), None);
        assert_eq!(closeness("_::complete", call), Some(Closeness::AnyReceiver));
        assert_eq!(closeness("_::complete", Call::Workspace("shop::X::complete")), None);
        assert_eq!(closeness("_::complete", Call::Workspace("crate::X::complete")), Some(Closeness::AnyReceiver));
    }

    #[test]
    fn macros_are_apart_from_functions() {
        assert_eq!(closeness("macro sqlx::query", Call::Macro("sqlx::query")), Some(Closeness::Exact));
        assert_eq!(closeness("macro sqlx::query", Call::External("sqlx::query")), None);
        assert_eq!(closeness("macro format", Call::Macro("std::format")), Some(Closeness::Reexported));
        assert_eq!(closeness("macro format", Call::Macro("other::format")), None);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "a::", "a::<b>::c", "_.refund", "*::x", "a::*", "a::b::*::c", "a b"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
