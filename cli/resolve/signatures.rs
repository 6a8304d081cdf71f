//! What calls of the standard library and of a few common crates return: data in `signatures.txt`, read once.
//!
//! In: a receiver's type and a method, or a function's canonical path. Out: an open signature, of the same kind as those
//! of workspace functions.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Ty;
use super::defs::{Sig, TypeKey};
use super::known::known;
use super::prelude::is_primitive;
use super::ty;
use crate::ir::Name;

/// The tables of `signatures.txt`.
#[derive(Default)]
pub(super) struct Signatures {
    /// types that are looked through
    pub(super) transparent: FxHashSet<Name>,
    /// wrappers that a method call goes through: `LazyLock`, `web::Data`
    pub(super) derefs: FxHashSet<Name>,
    pub(super) sequences: FxHashSet<Name>,
    pub(super) futures: FxHashSet<Name>,
    /// macros in scope everywhere, by name
    pub(super) macros: FxHashMap<Name, Name>,
    /// macros that declare neither types nor functions where they stand
    pub(super) modules: FxHashSet<Name>,
    /// functions by which a type is read from bytes, text or rows, whichever trait or derive gives them to it
    pub(super) reads: FxHashSet<&'static str>,
    /// crates whose derives add no functions that are called by name
    pub(super) quiet: FxHashSet<Name>,
    /// methods that give a closure what a stream holds
    pub(super) hands: FxHashSet<Name>,
    /// crates whose streams hold what others have made
    pub(super) carries: FxHashSet<Name>,
    /// by method: traits of other crates that give it to types of any kind
    pub(super) extensions: FxHashMap<Name, Vec<Name>>,
    /// crates that are found inside others, by the path at which they are
    pub(super) reexports: FxHashMap<Name, Name>,
    /// other paths of one thing
    pub(super) same: FxHashMap<Name, Name>,
    functions: FxHashMap<Name, Sig>,
    methods: FxHashMap<(Owner, Name), Sig>,
    /// lines that could not be read; a test keeps this empty
    pub(super) faults: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Any,
    Future,
    Integer,
    Type(TypeKey),
}

/// The one table.
pub(super) fn signatures() -> &'static Signatures {
    static TABLE: OnceLock<Signatures> = OnceLock::new();
    TABLE.get_or_init(|| read(include_str!("signatures.txt")))
}

impl Signatures {
    /// The signature of a function by canonical path.
    pub(super) fn function(&self, path: Name) -> Option<&Sig> {
        self.functions.get(&path)
    }

    /// The signature of a method on a type of its own.
    pub(super) fn method(&self, receiver: &Ty, name: Name) -> Option<&Sig> {
        let owner = match receiver {
            Ty::Future(_) => Owner::Future,
            Ty::Primitive(name) => {
                let known = known();
                if *name == known.str_ || *name == known.bool_ || *name == known.char_ {
                    Owner::Type(TypeKey::Primitive(*name))
                } else {
                    Owner::Integer
                }
            }
            other => Owner::Type(ty::key(other)?),
        };
        self.methods.get(&(owner, name))
    }

    /// The signature of a method that every type may have.
    pub(super) fn any(&self, name: Name) -> Option<&Sig> {
        self.methods.get(&(Owner::Any, name))
    }
}

fn read(text: &'static str) -> Signatures {
    let mut table = Signatures::default();
    let mut names: FxHashMap<String, Name> = FxHashMap::default();
    let mut owner: Option<(Owner, Ty)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let fine = if line.starts_with(' ') {
            method_line(&mut table, &names, owner.as_ref(), trimmed)
        } else {
            head_line(&mut table, &mut names, &mut owner, trimmed)
        };
        if fine.is_none() {
            table.faults.push(line.to_owned());
        }
    }
    table
}

fn head_line(
    table: &mut Signatures,
    names: &mut FxHashMap<String, Name>,
    owner: &mut Option<(Owner, Ty)>,
    line: &'static str,
) -> Option<()> {
    let (word, rest) = line.split_once(' ')?;
    if word == "reads" {
        table.reads.extend(rest.split_whitespace());
        return Some(());
    }
    let set = match word {
        "transparent" => Some(&mut table.transparent),
        "deref" => Some(&mut table.derefs),
        "sequence" => Some(&mut table.sequences),
        "future" => Some(&mut table.futures),
        "quiet" => Some(&mut table.quiet),
        "hands" => Some(&mut table.hands),
        "carries" => Some(&mut table.carries),
        "modules" => Some(&mut table.modules),
        _ => None,
    };
    if let Some(set) = set {
        set.extend(rest.split_whitespace().map(Name::new));
        return Some(());
    }
    match word {
        "same" => {
            let (other, usual) = rest.split_once(" = ")?;
            table.same.insert(Name::new(other), Name::new(usual));
        }
        "reexport" => {
            for path in rest.split_whitespace() {
                table.reexports.insert(Name::new(path), Name::new(path.rsplit("::").next()?));
            }
        }
        "extension" => {
            let (of, methods) = rest.split_once(' ')?;
            for method in methods.split_whitespace() {
                table.extensions.entry(Name::new(method)).or_default().push(Name::new(of));
            }
        }
        "macro" => {
            let (name, path) = rest.split_once(" = ")?;
            table.macros.insert(Name::new(name), Name::new(path));
        }
        "name" => {
            let (short, path) = rest.split_once(" = ")?;
            names.insert(short.to_owned(), Name::new(path));
        }
        "impl" => {
            let known = known();
            *owner = Some(match rest {
                "any" => (Owner::Any, Ty::Param(known.self_type)),
                "integer" => (Owner::Integer, Ty::Param(known.self_type)),
                _ => {
                    let mut reader = Reader::new(rest, names);
                    let ty = reader.ty()?;
                    reader.end()?;
                    let owner = match &ty {
                        Ty::Future(_) => Owner::Future,
                        other => Owner::Type(ty::key(other)?),
                    };
                    (owner, ty)
                }
            });
        }
        "fn" => {
            let mut reader = Reader::new(rest, names);
            let (path, mut sig) = reader.head()?;
            reader.eat("->")?;
            sig.ret = reader.ty()?;
            reader.end()?;
            table.functions.insert(Name::new(&path), sig);
        }
        _ => return None,
    }
    Some(())
}

fn method_line(
    table: &mut Signatures,
    names: &FxHashMap<String, Name>,
    owner: Option<&(Owner, Ty)>,
    line: &str,
) -> Option<()> {
    let (owner, self_ty) = owner?;
    let mut reader = Reader::new(line, names);
    let mut heads = Vec::new();
    while reader.eat("->").is_none() {
        heads.push(reader.head()?);
    }
    let mut ret = reader.ty()?;
    reader.end()?;
    let bindings = [(known().self_type, self_ty.clone())];
    if !matches!(self_ty, Ty::Param(_)) {
        ret = ty::substitute(&ret, &bindings);
    }
    for (name, mut sig) in heads {
        sig.self_ty = self_ty.clone();
        sig.params.insert(0, self_ty.clone());
        if !matches!(self_ty, Ty::Param(_)) {
            for param in &mut sig.params {
                *param = ty::substitute(param, &bindings);
            }
        }
        sig.ret = ret.clone();
        table.methods.insert((*owner, Name::new(&name)), sig);
    }
    Some(())
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a FxHashMap<String, Name>,
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str, names: &'a FxHashMap<String, Name>) -> Self {
        Self { rest, names }
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn end(&self) -> Option<()> {
        self.rest.trim().is_empty().then_some(())
    }

    fn word(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// `name<T>(types)`: the type parameters that a turbofish gives, and the parameters.
    fn head(&mut self) -> Option<(String, Sig)> {
        let name = self.word()?.to_owned();
        let mut sig = Sig::default();
        if self.rest.starts_with('<') {
            self.eat("<")?;
            for ty in self.list(">")? {
                if let Ty::Param(name) = ty {
                    sig.generics.push((name, Ty::Unknown));
                }
            }
        }
        if self.rest.starts_with('(') {
            self.eat("(")?;
            sig.params = self.list(")")?;
        }
        Some((name, sig))
    }

    fn list(&mut self, close: &str) -> Option<Vec<Ty>> {
        let mut types = Vec::new();
        while self.eat(close).is_none() {
            types.push(self.ty()?);
            if self.eat(",").is_none() {
                self.eat(close)?;
                break;
            }
        }
        Some(types)
    }

    fn ty(&mut self) -> Option<Ty> {
        let known = known();
        if self.eat("[").is_some() {
            let of = self.ty()?;
            self.eat("]")?;
            return Some(Ty::Sequence(Box::new(of)));
        }
        if self.eat("(").is_some() {
            return Some(Ty::Tuple(self.list(")")?));
        }
        let word = self.word()?;
        match word {
            "_" => return Some(Ty::Unknown),
            "Self" => return Some(Ty::Param(known.self_type)),
            "some" => return Some(Ty::SomeOf(Name::new(self.word()?))),
            "fn" => {
                self.eat("(")?;
                let mut types = self.list(")")?;
                self.eat("->")?;
                types.push(self.ty()?);
                return Some(Ty::External(known.fn_, types));
            }
            _ => {}
        }
        if word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Some(Ty::Param(Name::new(word)));
        }
        if is_primitive(Name::new(word)) {
            return Some(Ty::Primitive(Name::new(word)));
        }
        let args = if self.rest.starts_with('<') {
            self.eat("<")?;
            self.list(">")?
        } else {
            Vec::new()
        };
        if word == "Future" {
            return Some(Ty::Future(Box::new(args.into_iter().next().unwrap_or_default())));
        }
        let path = match self.names.get(word) {
            Some(&path) => path,
            None if word.contains("::") => Name::new(word),
            None => return None,
        };
        Some(Ty::External(path, args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        assert_eq!(signatures().faults, Vec::<String>::new());
        assert!(signatures().methods.len() > 400);
    }

    #[test]
    fn a_method_reads_like_a_signature() {
        let receiver = ty::option(Ty::Param(Name::new("T")));
        let sig = signatures().method(&receiver, Name::new("map")).expect("map is listed");
        assert_eq!(sig.ret, ty::option(Ty::Param(Name::new("U"))));
        assert_eq!(sig.params.len(), 2);
    }
}
