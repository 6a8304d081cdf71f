//! State words: which state a stored text or a variant means.

use std::collections::{HashMap, HashSet};

use crate::catalog::{Catalog, StateWords, Words};
use crate::ir::Name;
use crate::resolve::{FunctionInfo, Program};

/// Words and variants of the catalog by their text. Those of the application win.
#[derive(Debug, Default)]
pub(crate) struct StateIndex<'p> {
    texts: HashMap<String, &'p str>,
    /// by the last segment, which every path expression is asked for
    paths: HashMap<&'p str, Vec<(&'p str, &'p str)>>,
    /// enums of these variants, by the last segment
    owners: HashMap<&'p str, Vec<&'p str>>,
    /// what is done when one of the verbs is over by which somebody acts: submitted, sent
    done: HashSet<String>,
    /// crates and modules whose variants say what is told, not what is so
    telling: &'p [String],
    /// enums that are there to be counted, by their path
    counted: HashSet<&'p str>,
}

impl<'p> StateIndex<'p> {
    pub(crate) fn new(catalog: &'p Catalog) -> Self {
        let words = &catalog.words;
        let verbs = words.verbs.iter().chain(&words.client_verbs).map(|verb| verb.split('_').next().unwrap_or(verb));
        let done = verbs.flat_map(|verb| participles(words, verb)).collect();
        let mut index = Self { telling: &words.telling_modules, done, ..Self::default() };
        let (declared, built_in): (Vec<&StateWords>, Vec<_>) = catalog.states.iter().partition(|state| state.declared);
        for state in built_in.into_iter().chain(declared) {
            for word in &state.words {
                index.texts.insert(normal(word), &state.means);
            }
            for path in &state.variants {
                index.add(path, &state.means);
            }
            // A status is the same by its number and by its name: what an application says of the one holds for the other.
            let said = |number: &str, path: &str| {
                state.words.iter().any(|word| word == number) || state.variants.iter().any(|known| known == path)
            };
            for (number, path) in catalog.words.statuses.iter().filter_map(|status| status.split_once(' ')) {
                if state.declared && said(number, path) {
                    index.texts.insert(number.to_owned(), &state.means);
                    index.add(path, &state.means);
                }
            }
        }
        index
    }

    /// The same, with the enums of a program that are put into a metric and that nothing shows to be stored: their variants
    /// are labels.
    pub(crate) fn of_program(mut self, program: &'p Program, words: &Words) -> Self {
        let counted = |function: &'p FunctionInfo| {
            let (of, method) = function.path.as_str().rsplit_once("::")?;
            let labels = words.label_methods.iter().any(|name| name == method);
            let info = labels.then(|| program.type_paths.get(&Name::new(of))).flatten().map(|&id| program.type_(id))?;
            let stored = words.row_derives.iter().any(|name| info.ir.derives(name)) || info.ir.derives("Serialize");
            (info.ir.is_enum && !stored).then_some(of)
        };
        self.counted = program.functions.iter().filter_map(counted).collect();
        self
    }

    fn add(&mut self, path: &'p str, means: &'p str) {
        self.paths.entry(last(path)).or_default().push((path, means));
        // A method that says something makes no variants of its type.
        let is_variant = last(path).starts_with(char::is_uppercase);
        if let Some((owner, _)) = path.rsplit_once("::").filter(|_| is_variant) {
            self.owners.entry(last(owner)).or_default().push(owner);
        }
    }

    /// The state that a stored text means.
    pub(crate) fn of_text(&self, text: &str) -> Option<&'p str> {
        if text.len() > 40 {
            return None;
        }
        let text = normal(text);
        self.texts.get(&text).copied().or_else(|| self.is_done_before(&text).then_some("duplicate"))
    }

    /// Whether a word says that what was asked for was done before: `already_submitted`. That it was called off or refused
    /// before is another matter.
    fn is_done_before(&self, text: &str) -> bool {
        let Some((front, done)) = text.rsplit_once("already_") else {
            return false;
        };
        let undone = matches!(self.texts.get(done), Some(&("rejected" | "released" | "not_sent" | "terminal")));
        (front.is_empty() || front.ends_with('_')) && self.done.contains(done) && !undone
    }

    /// The state that a variant means: by its path, else by its name as a stored text would be written.
    pub(crate) fn of_variant(&self, path: &str) -> Option<&'p str> {
        let by_name = || self.of_text(last(path)).filter(|_| !self.is_telling(path) && !self.is_counted(path));
        self.of_path(path).or_else(by_name)
    }

    /// The state that a variant is said to mean by its own path.
    pub(crate) fn of_path(&self, path: &str) -> Option<&'p str> {
        let named = self.paths.get(last(path)).map_or(&[][..], Vec::as_slice);
        let by_path = named.iter().rev().find(|(known, _)| crate::catalog::path_matches(known, path));
        by_path.map(|(_, means)| *means)
    }

    /// The state that a call of a method says of what it is called on: a delivery that is handed back.
    pub(crate) fn of_method(&self, receiver: &str, method: &str) -> Option<&'p str> {
        // Every call of a method is asked this.
        self.paths.get(method).and_then(|_| self.of_path(&format!("{receiver}::{method}")))
    }

    /// Whether variants of a type have a meaning of their own.
    pub(crate) fn has_variants_of(&self, of: &str) -> bool {
        let named = self.owners.get(last(of)).map_or(&[][..], Vec::as_slice);
        named.iter().any(|known| crate::catalog::path_matches(known, of))
    }

    /// Whether a path is one of a crate that is there to tell of things.
    pub(crate) fn tells(&self, path: &str) -> bool {
        let of_crate = path.split("::").next().and_then(|name| name.split('_').next());
        of_crate.is_some_and(|name| self.telling.iter().any(|word| word == name))
    }

    /// Whether a path is one of a variant that is there to be counted.
    fn is_counted(&self, path: &str) -> bool {
        !self.counted.is_empty() && path.rsplit_once("::").is_some_and(|(of, _)| self.counted.contains(of))
    }

    /// Whether a path leads into a crate or module that is there to tell of things: `app_log::Outcome::Failure`.
    fn is_telling(&self, path: &str) -> bool {
        let is_word = |part: &str| self.telling.iter().any(|word| word == part);
        let mut parts = path.split("::");
        let of_crate = parts.next().and_then(|name| name.rsplit('_').next());
        of_crate.is_some_and(is_word) || parts.any(is_word)
    }
}

/// The name of a type as that of a field: `RefundRequest` is `refund_request`.
pub(crate) fn snake(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// The ways to spell the participle of a verb.
pub(crate) fn participles(words: &Words, verb: &str) -> Vec<String> {
    let known = |line: &&String| line.split_once(' ').is_some_and(|(of, _)| of == verb);
    let mut found: Vec<String> =
        words.participles.iter().filter(known).map(|line| line[verb.len() + 1..].to_owned()).collect();
    let irregular = !found.is_empty();
    match (verb.as_bytes(), irregular) {
        (_, true) => {}
        ([.., b'e'], _) => found.push(format!("{verb}d")),
        ([.., before, b'y'], _) if !b"aeiou".contains(before) => found.push(format!("{}ied", &verb[..verb.len() - 1])),
        ([.., last], _) => found.extend([format!("{verb}ed"), format!("{verb}{}ed", char::from(*last))]),
        ([], _) => {}
    }
    found
}

fn last(path: &str) -> &str {
    path.rfind("::").map_or(path, |at| &path[at + 2..])
}

/// `TimedOut`, `timed-out`, `timed_out` and `TIMED_OUT` are one word; `EventId` is called `event_id` as a column.
pub(crate) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut before = '_';
    for char in text.chars() {
        if char.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
            out.push('_');
        }
        match char {
            '-' | ' ' | '.' => out.push('_'),
            char => out.extend(char.to_lowercase()),
        }
        before = char;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{StateIndex, normal, participles};
    use crate::catalog::built_in;

    #[test]
    fn spellings_of_one_word() {
        for text in ["TimedOut", "timed-out", "timed_out", "TIMED_OUT", "timed out"] {
            assert_eq!(normal(text), "timed_out");
        }
    }

    #[test]
    fn what_was_done_before() {
        let catalog = built_in();
        let index = StateIndex::new(catalog);
        for text in ["AlreadySubmitted", "already_sent", "RefundAlreadyIssued", "ALREADY_CREATED", "AlreadyNotified"] {
            assert_eq!(index.of_text(text), Some("duplicate"), "{text}");
        }
        for text in ["AlreadyCancelled", "AlreadyLocked", "already", "AlreadyExpired", "NotYetSubmitted"] {
            assert_eq!(index.of_text(text), None, "{text}");
        }
        assert_eq!(participles(&catalog.words, "submit")[1], "submitted");
        assert_eq!(participles(&catalog.words, "notify"), ["notified"]);
        assert_eq!(participles(&catalog.words, "pay"), ["paid"]);
        assert_eq!(participles(&catalog.words, "settle"), ["settled"]);
    }
}
