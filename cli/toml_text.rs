//! TOML read with places: every value knows its bytes, and all problems of a text are collected.
//!
//! In: the text of `effects.toml` or of a catalog file. Out: [`Fields`], from which a caller takes the keys it knows; what
//! is left over is an unknown key. Nothing here knows what a key means.

use std::cell::RefCell;
use std::time::Duration;

use effect_contracts_grammar::{duration, suggest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::source::{Position, TextRange};

/// Something wrong in a text, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// where
    pub range: TextRange,
    /// what is wrong and why
    pub message: String,
    /// what to do
    pub help: Option<String>,
}

/// Collects problems while several tables are read at once.
#[derive(Default, Debug)]
pub struct Problems(RefCell<Vec<Problem>>);

/// Problems of one text that are told.
const MAX_PROBLEMS: usize = 256;

impl Problems {
    /// Notes one problem.
    pub fn add(&self, range: TextRange, message: impl Into<String>, help: Option<String>) {
        self.0.borrow_mut().push(Problem { range, message: message.into(), help });
    }

    /// The first problems in the order of the text: so many that nobody reads further, and few enough to be placed.
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut problems = self.0.into_inner();
        problems.sort_by(|a, b| (a.range, &a.message).cmp(&(b.range, &b.message)));
        problems.truncate(MAX_PROBLEMS);
        problems
    }
}

/// Parses a text into its tree, or says all that is wrong with its syntax.
pub fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<Problem>> {
    if u32::try_from(text.len()).is_err() {
        let message = "the file is larger than 4 GiB, and places in it could not be named";
        return Err(vec![Problem {
            range: TextRange::default(),
            message: message.into(),
            help: Some("split it or remove what is not configuration".into()),
        }]);
    }
    let (tree, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(tree);
    }
    let problems = Problems::default();
    for error in errors {
        let range = error.span().map(text_range).unwrap_or_default();
        let message = error.message().trim().replace('\n', ", ");
        problems.add(range, format!("not valid toml: {message}"), None);
    }
    Err(problems.into_sorted())
}

fn text_range(span: std::ops::Range<usize>) -> TextRange {
    // the length was checked to fit before parsing
    let bound = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    TextRange { start: bound(span.start), end: bound(span.end) }
}

/// A value together with the key it stands under.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// the key, for messages
    pub key: &'a str,
    /// place of the value
    pub range: TextRange,
    value: &'a DeValue<'a>,
    problems: &'a Problems,
}

impl<'a> Item<'a> {
    /// Notes that the value is wrong.
    pub fn wrong(&self, message: impl Into<String>, help: Option<String>) {
        self.problems.add(self.range, message, help);
    }

    fn expected(&self, what: &str) {
        let found = self.value.type_str();
        self.wrong(format!("`{}` must be {what}, found {found}", self.key), None);
    }

    /// The text, if it is one; no problem is noted otherwise.
    pub fn as_text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// The flag, if it is one; no problem is noted otherwise.
    pub fn as_flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// The number, if it is one; no problem is noted otherwise.
    pub fn as_number(&self) -> Option<i64> {
        let integer = self.value.as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// A text that is not empty.
    pub fn text(&self) -> Option<&'a str> {
        match self.value.as_str() {
            Some(text) if text.trim().is_empty() => {
                self.wrong(
                    format!("`{}` is empty, so it says nothing", self.key),
                    Some("give it a value or remove the key".into()),
                );
                None
            }
            Some(text) => Some(text),
            None => {
                self.expected("a text");
                None
            }
        }
    }

    /// A flag.
    pub fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.expected("`true` or `false`");
        }
        flag
    }

    /// An integer within bounds.
    pub fn number(&self, least: i64, greatest: i64) -> Option<i64> {
        if !self.value.is_integer() {
            self.expected("a whole number");
            return None;
        }
        let number = self.as_number();
        let number = number.filter(|number| (least..=greatest).contains(number));
        if number.is_none() {
            self.wrong(format!("`{}` must be between {least} and {greatest}", self.key), None);
        }
        number
    }

    /// A duration as people write it.
    pub fn duration(&self) -> Option<Duration> {
        let text = self.text()?;
        match duration::parse(text) {
            Ok(duration) => Some(duration),
            Err(invalid) => {
                self.wrong(format!("`{}`: {invalid}", self.key), None);
                None
            }
        }
    }

    /// One of a set of words.
    pub fn word(&self, words: &[&str]) -> Option<&'a str> {
        let text = self.text()?;
        if words.contains(&text) {
            return Some(text);
        }
        self.wrong(format!("`{}` cannot be `{text}`", self.key), Some(did_you_mean(text, words.iter().copied())));
        None
    }

    /// The entries of an array; a value that is none counts as one entry.
    pub fn entries(&self) -> Vec<Item<'a>> {
        match self.value {
            DeValue::Array(array) => array
                .iter()
                .map(|value| Item {
                    key: self.key,
                    range: text_range(value.span()),
                    value: value.get_ref(),
                    problems: self.problems,
                })
                .collect(),
            _ => vec![*self],
        }
    }

    /// Texts: an array of them, or one alone.
    pub fn texts(&self) -> Vec<&'a str> {
        self.entries().iter().filter_map(Item::text).collect()
    }

    /// The value as a table.
    pub fn table(&self) -> Option<Fields<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Fields {
                name: format!("`{}`", self.key),
                range: self.range,
                table,
                asked: Vec::new(),
                refused: Vec::new(),
                problems: self.problems,
            }),
            _ => {
                self.expected("a table");
                None
            }
        }
    }
}

/// A table whose keys are taken one by one.
#[derive(Debug)]
pub struct Fields<'a> {
    /// how messages name the table
    pub name: String,
    /// place of the table
    pub range: TextRange,
    table: &'a DeTable<'a>,
    asked: Vec<&'static str>,
    refused: Vec<&'static str>,
    problems: &'a Problems,
}

impl<'a> Fields<'a> {
    /// The root table of a text.
    pub fn root(tree: &'a Spanned<DeTable<'a>>, problems: &'a Problems) -> Self {
        Self {
            name: "this file".into(),
            range: text_range(tree.span()),
            table: tree.get_ref(),
            asked: Vec::new(),
            refused: Vec::new(),
            problems,
        }
    }

    /// Notes that the table as a whole is wrong.
    pub fn wrong(&self, message: impl Into<String>, help: Option<String>) {
        self.problems.add(self.range, message, help);
    }

    fn item(&self, key: &'a str, value: &'a Spanned<DeValue<'a>>) -> Item<'a> {
        Item { key, range: text_range(value.span()), value: value.get_ref(), problems: self.problems }
    }

    /// The value of a key, if it is given.
    pub fn get(&mut self, key: &'static str) -> Option<Item<'a>> {
        self.asked.push(key);
        self.table.get(key).map(|value| self.item(key, value))
    }

    /// The value of a key that is known only to be refused: it is no suggestion for a misspelt one.
    pub fn take(&mut self, key: &'static str) -> Option<Item<'a>> {
        let item = self.table.get(key).map(|value| self.item(key, value));
        self.refused.extend(item.map(|_| key));
        item
    }

    /// The value of a key that must be given.
    pub fn need(&mut self, key: &'static str) -> Option<Item<'a>> {
        let item = self.get(key);
        if item.is_none() {
            self.wrong(format!("{} lacks `{key}`", self.name), Some(format!("add `{key} = …`")));
        }
        item
    }

    /// A text.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        self.get(key)?.text().map(str::to_owned)
    }

    /// Texts; none if the key is absent.
    pub fn texts(&mut self, key: &'static str) -> Vec<String> {
        let texts = self.get(key).map(|item| item.texts());
        texts.unwrap_or_default().into_iter().map(str::to_owned).collect()
    }

    /// A flag.
    pub fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.get(key)?.flag()
    }

    /// A duration.
    pub fn duration(&mut self, key: &'static str) -> Option<Duration> {
        self.get(key)?.duration()
    }

    /// A table under a key.
    pub fn table(&mut self, key: &'static str) -> Option<Fields<'a>> {
        let mut table = self.get(key)?.table()?;
        table.name = format!("[{key}]");
        Some(table)
    }

    /// The tables of an array of tables; none if the key is absent.
    pub fn tables(&mut self, key: &'static str) -> Vec<Fields<'a>> {
        let Some(item) = self.get(key) else {
            return Vec::new();
        };
        if !item.is_array() {
            item.wrong(format!("`{key}` is a list of tables"), Some(format!("write it as [[{key}]]")));
            return Vec::new();
        }
        let mut tables: Vec<_> = item.entries().iter().filter_map(Item::table).collect();
        for table in &mut tables {
            table.name = format!("[[{key}]]");
        }
        tables
    }

    /// All keys with their values, for tables whose keys are names; none of them counts as unknown.
    pub fn named(&self) -> Vec<(Item<'a>, TextRange)> {
        let entries = self.table.iter();
        entries.map(|(key, value)| (self.item(key.get_ref(), value), text_range(key.span()))).collect()
    }

    /// Notes every key that nobody asked for.
    pub fn finish(self) {
        let unknown = self.table.keys().filter(|key| {
            let text: &str = key.get_ref();
            !self.asked.contains(&text) && !self.refused.contains(&text)
        });
        for key in unknown.take(MAX_PROBLEMS) {
            let text: &str = key.get_ref();
            self.problems.add(
                text_range(key.span()),
                format!("{} has no key `{text}`", self.name),
                Some(did_you_mean(text, self.asked.iter().copied())),
            );
        }
    }
}

/// The nearest of the known words, or all of them where none is near.
pub fn did_you_mean<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    if let Some(near) = suggest::nearest(text, words.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    words.sort_unstable();
    words.dedup();
    format!("known here: {}", words.join(", "))
}

/// The position of a byte in a text; an offset past the end is the end, a byte inside a character its beginning.
pub fn position(text: &str, offset: u32) -> Position {
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text[..end].trim_start_matches('\u{feff}');
    let line = head.matches('\n').count();
    let start = head.rfind('\n').map_or(0, |at| at + 1);
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Position { line: count(line + 1), column: count(head[start..].chars().count() + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(text: &str, read: impl Fn(&mut Fields<'_>)) -> Vec<(String, Option<String>, String)> {
        let tree = parse(text).unwrap();
        let problems = Problems::default();
        let mut fields = Fields::root(&tree, &problems);
        read(&mut fields);
        fields.finish();
        let problems = problems.into_sorted();
        let place = |range: TextRange| text[range.start as usize..range.end as usize].to_owned();
        problems.into_iter().map(|p| (place(p.range), p.help, p.message)).collect()
    }

    #[test]
    fn all_problems_are_found_at_their_places() {
        let found = problems_of("dialekt = 'x'\nlong = '3 parsecs'\nflag = 1\n", |fields| {
            fields.text("dialect");
            fields.duration("long");
            fields.flag("flag");
        });
        let places: Vec<&str> = found.iter().map(|entry| entry.0.as_str()).collect();
        assert_eq!(places, ["dialekt", "'3 parsecs'", "1"]);
        assert_eq!(found[0].1.as_deref(), Some("did you mean `dialect`?"));
        assert!(found[2].2.contains("`true` or `false`"), "{}", found[2].2);
    }

    #[test]
    fn syntax_errors_are_all_reported() {
        let problems = parse("a = \nb = 1\nc = [1,,2]\n").unwrap_err();
        assert!(problems.len() >= 2, "{problems:?}");
        assert!(problems.iter().all(|p| p.message.starts_with("not valid toml: ")));
    }

    #[test]
    fn deep_nesting_is_refused_rather_than_followed() {
        let text = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&text).is_err());
    }
}
