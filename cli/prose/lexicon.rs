//! The words of `catalog/prose.toml`, ready for matching.
//!
//! In: the built-in table. Out: a [`Lexicon`] that finds every cue that starts at a word. It knows how patterns are
//! written, not what they mean.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::reading::{Kind, Token};

/// What a pattern stands for. The names are those of the table, where each is explained by its words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Cue {
    ExactlyOnce,
    EffectivelyOnce,
    SingleExecution,
    NoRepeat,
    OtherMode,
    Enumeration,
    DeliveryNoun,
    ExternalNoun,
    ExternalVerb,
    MessageNoun,
    WeakNoun,
    CountingNoun,
    CountingContext,
    CountingUnit,
    StorageVerb,
    StoragePlace,
    DurableContext,
    DeliveryVerb,
    WeakVerb,
    CountingVerb,
    MakingVerb,
    CallbackVerb,
    OfferVerb,
    Negator,
    NegativeSubject,
    NegativeWord,
    NotNegation,
    Hindrance,
    Preference,
    NegativePredicate,
    ClauseCloser,
    Attitude,
    SubjectStart,
    Determiner,
    Auxiliary,
    Condition,
    FailureWord,
    ProcessEnd,
    Concession,
    RepeatWord,
    Subordinator,
    Enabled,
    OptionWord,
    LimitFollows,
    Boundary,
    NotBoundary,
    Scope,
    PerIdentity,
    Unit,
    ShortUnit,
    NumberWord,
    WindowWord,
    WindowPreposition,
    LeaseWord,
    LeaseHeld,
    FailureMode,
    Contradiction,
    Permission,
    Elsewhere,
    Vacuous,
    Mechanism,
    Ground,
    Criticism,
    MetaNoun,
    Lesson,
    BadLabel,
    Speech,
    OtherSpeaker,
    Definition,
    Meaning,
    Hypothetical,
    Requirement,
    Imperative,
    Factive,
    Ability,
    Need,
    CheckVerb,
    Own,
    OtherProduct,
    OtherPreposition,
    HeadingDenies,
    HeadingLimits,
    HeadingPlans,
    HeadingCriticises,
    HeadingRefers,
    HeadingDefines,
    HeadingAsks,
    HeadingTests,
    HeadingHistory,
    HeadingCompares,
    Affirmation,
    CellYes,
    CellNo,
    OwnColumn,
    MeaningColumn,
    PlainCount,
    CountColumn,
    NoteLead,
    English,
    Foreign,
    Abbreviation,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    irregular: HashMap<String, String>,
    cues: BTreeMap<Cue, Vec<String>>,
}

/// One word of a pattern.
#[derive(Debug)]
enum Word {
    /// one of these stems
    Stem(Vec<String>),
    /// one of these very words
    Exact(Vec<String>),
    /// as [`Word::Stem`], or nothing
    Optional(Vec<String>),
    /// up to [`GAP`] words of the same clause
    Gap,
    /// a comma, a dash or the like
    Pause,
}

/// How many words `..` may stand for.
const GAP: usize = 6;

#[derive(Debug)]
struct Pattern {
    cue: Cue,
    words: Vec<Word>,
}

/// All patterns, by the first word.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    irregular: HashMap<String, String>,
    patterns: Vec<Pattern>,
    by_stem: HashMap<String, Vec<u32>>,
    by_word: HashMap<String, Vec<u32>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../catalog/prose.toml")).expect("the built-in table is covered by a test");
    Lexicon::new(table)
});

/// The built-in lexicon.
pub(super) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

/// Whether a word opens a note: `Note`, `Warning`.
pub(super) fn is_note(word: &str) -> bool {
    let word = word.to_lowercase();
    let stem = lexicon().stem(&word);
    (lexicon().by_stem.get(&stem).into_iter().flatten())
        .any(|&pattern| lexicon().patterns[pattern as usize].cue == Cue::NoteLead)
}

impl Lexicon {
    fn new(table: Table) -> Self {
        let mut lexicon = Lexicon { irregular: table.irregular, ..Self::default() };
        for (cue, patterns) in table.cues {
            for pattern in patterns {
                lexicon.add(cue, &pattern);
            }
        }
        lexicon
    }

    fn add(&mut self, cue: Cue, pattern: &str) {
        let words: Vec<Word> = pattern
            .split([' ', '/', '-'])
            .filter(|word| !word.is_empty())
            .map(|word| match word {
                ".." => Word::Gap,
                "," => Word::Pause,
                _ => match word.strip_prefix('=') {
                    Some(exact) => {
                        Word::Exact(exact.split('|').map(|word| word.trim_start_matches('=').to_owned()).collect())
                    }
                    None => {
                        let optional = word.strip_suffix('?');
                        let stems = (optional.unwrap_or(word).split('|')).map(|word| self.stem(word)).collect();
                        if optional.is_some() { Word::Optional(stems) } else { Word::Stem(stems) }
                    }
                },
            })
            .collect();
        let number = self.patterns.len() as u32;
        match words.first() {
            Some(Word::Stem(stems)) => {
                for stem in stems {
                    self.by_stem.entry(stem.clone()).or_default().push(number);
                }
            }
            Some(Word::Exact(exact)) => {
                for word in exact {
                    self.by_word.entry(word.clone()).or_default().push(number);
                }
            }
            _ => {}
        }
        self.patterns.push(Pattern { cue, words });
    }

    /// Reports the cue and the end of every pattern that starts at `tokens[at]`.
    pub(super) fn matches(&self, tokens: &[Token], at: usize, mut see: impl FnMut(Cue, usize)) {
        let token = &tokens[at];
        let by_stem = self.by_stem.get(&token.stem).into_iter().flatten();
        let by_word = self.by_word.get(&token.word).into_iter().flatten();
        for &number in by_stem.chain(by_word) {
            let pattern = &self.patterns[number as usize];
            if let Some(end) = run(&pattern.words[1..], tokens, at + 1) {
                see(pattern.cue, end);
            }
        }
    }

    /// What is left of a word when its endings are gone. Both sides of every comparison go through it, so it need not be a
    /// word.
    pub(super) fn stem(&self, word: &str) -> String {
        let word = word.strip_suffix("'s").or(word.strip_suffix('\'')).unwrap_or(word);
        if let Some(stem) = self.irregular.get(word) {
            return ending(stem);
        }
        ending(word)
    }
}

/// Matches the rest of a pattern; the end of the match.
fn run(words: &[Word], tokens: &[Token], at: usize) -> Option<usize> {
    let Some(word) = words.first() else {
        return Some(at);
    };
    let is = |stems: &[String]| tokens.get(at).is_some_and(|token| stems.contains(&token.stem));
    match word {
        Word::Stem(stems) => is(stems).then(|| run(&words[1..], tokens, at + 1)).flatten(),
        Word::Exact(exact) => exact.contains(&tokens.get(at)?.word).then(|| run(&words[1..], tokens, at + 1)).flatten(),
        Word::Optional(stems) => {
            (is(stems).then(|| run(&words[1..], tokens, at + 1)).flatten()).or_else(|| run(&words[1..], tokens, at))
        }
        Word::Pause => {
            let pause = tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Mark(',' | '—' | '(' | '!')));
            pause.then(|| run(&words[1..], tokens, at + 1)).flatten()
        }
        Word::Gap => {
            for gap in 0..=GAP {
                if let Some(end) = run(&words[1..], tokens, at + gap) {
                    return Some(end);
                }
                if matches!(tokens.get(at + gap)?.kind, Kind::Mark(_)) {
                    return None;
                }
            }
            None
        }
    }
}

fn ending(word: &str) -> String {
    let mut stem = word.to_owned();
    let vowel = |stem: &str| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let length = stem.chars().count();
    if length > 4 && (stem.ends_with("ies") || stem.ends_with("ied")) {
        stem.truncate(stem.len() - 3);
        stem.push('y');
        return stem;
    }
    if length > 3 && stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") && !stem.ends_with("is") {
        stem.pop();
        if ["xe", "sse", "che", "she", "zze"].iter().any(|end| stem.ends_with(end)) {
            stem.pop();
        }
    }
    // *needs* and *feeds* end in `ed` without their `s`, and are no participles
    let plural = stem.chars().count() < length;
    for suffix in if plural { &["ing"][..] } else { &["ing", "ed"] } {
        if let Some(root) = stem.strip_suffix(*suffix) {
            if root.chars().count() >= 2 && vowel(root) && length > 4 {
                stem = undouble(root);
                break;
            }
        }
    }
    if stem.chars().count() > 3 && stem.ends_with('e') && !stem.ends_with("ee") {
        stem.pop();
    }
    // British and American spelling
    if stem.len() > 4 && stem.get(2..).is_some_and(|rest| rest.contains("iz")) {
        stem = stem.replace("iz", "is");
    }
    stem
}

fn undouble(root: &str) -> String {
    let mut characters = root.chars().rev();
    match (characters.next(), characters.next()) {
        (Some(last), Some(before)) if last == before && "bdgmnprt".contains(last) => root[..root.len() - 1].to_owned(),
        _ => root.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let stem = |word| lexicon().stem(word);
        for forms in [
            &["deliver", "delivers", "delivered", "delivering"][..],
            &["execute", "executes", "executed", "executing"],
            &["ship", "ships", "shipped", "shipping"],
            &["synchronise", "synchronised", "synchronizes", "synchronizing"],
            &["retry", "retries", "retried", "retrying"],
            &["send", "sent", "sends", "sending"],
            &["crash", "crashes", "crashed"],
            &["customer", "customer's", "customers", "customers'"],
            &["process", "processes", "processed", "processing"],
            &["charge", "charges", "charged", "charging"],
            &["need", "needs"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{forms:?} have the stems {stems:?}");
        }
        assert_ne!(stem("string"), stem("str"));
        assert_ne!(stem("status"), stem("statu"));
    }

    #[test]
    fn every_pattern_starts_with_a_word() {
        assert!(lexicon().patterns.len() > 1000);
        for pattern in &lexicon().patterns {
            assert!(
                matches!(pattern.words.first(), Some(Word::Stem(_) | Word::Exact(_))),
                "{:?} starts with a gap",
                pattern
            );
        }
    }
}
