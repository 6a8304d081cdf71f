//! What a document shows, as plain data in its final order: the context of the templates.

use effect_contracts_grammar::{FailureCase, KeyTemplate, Mechanism, Remedy, Window};
use serde::Serialize;
use serde_json::Value;

use super::provider::facts;
use super::story;
use crate::catalog::Provider;
use crate::contracts::{Field, HandlerContract};
use crate::guarantee::{Guarantee, Piece, Sentence};

/// What a document is made of, for one handler.
#[derive(Debug)]
pub struct Input<'a> {
    /// what is declared
    pub contract: &'a HandlerContract,
    /// what holds
    pub guarantee: &'a Guarantee,
    /// name of the handler's package
    pub package: &'a str,
    /// its file, relative to the workspace root
    pub file: String,
    /// what the catalog knows of its provider
    pub provider: Option<&'a Provider>,
    /// suppressions at the handler
    pub allows: Vec<AllowLine>,
    /// open findings at the handler
    pub findings: Vec<FindingLine>,
    /// what is known of each failure case; a case that is absent was not run
    pub evidence: Vec<(FailureCase, Evidence)>,
}

/// A suppression.
#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AllowLine {
    /// rule
    pub rule: String,
    /// why
    pub reason: String,
    /// who answers for it
    pub owner: Option<String>,
    /// last day
    pub until: Option<String>,
}

/// An open finding. It names no line: a document must not change because code above it did.
#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FindingLine {
    /// level as a word
    pub level: String,
    /// rule
    pub rule: String,
    /// what is wrong
    pub message: String,
    /// file
    pub file: String,
}

/// What the tests say about a failure case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Evidence {
    /// no result is known
    #[default]
    NotRun,
    /// a test passed
    Passing,
    /// a test failed
    Failing,
    /// the contract has changed since
    Stale,
}

impl Evidence {
    /// The words, best first.
    const WORDS: &'static [&'static str] = &["passing", "failing", "stale", "not run"];

    fn word(self) -> &'static str {
        match self {
            Self::NotRun => "not run",
            Self::Passing => "passing",
            Self::Failing => "failing",
            Self::Stale => "stale",
        }
    }
}

/// The whole document.
#[derive(Clone, Serialize, Debug, Default)]
pub struct Document {
    /// one page a declared effect, sorted
    pub handlers: Vec<HandlerPage>,
    /// files with contracts that could not be read in full, sorted
    pub unread: Vec<Unread>,
}

/// A part of a file that could not be read: an effect that is declared there may be missing.
#[derive(Clone, Serialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unread {
    /// package of the file
    pub package: String,
    /// the file
    pub file: String,
    /// why
    pub message: String,
}

/// Everything about one declared effect.
#[derive(Clone, Serialize, Debug)]
pub struct HandlerPage {
    /// name for headings
    pub title: String,
    /// path
    pub path: String,
    /// package
    pub package: String,
    /// file
    pub file: String,
    /// anchor of its section, unique in the document
    pub anchor: String,
    /// the columns of the overview
    pub overview: Overview,
    /// every field of the contract
    pub fields: Vec<FieldLine>,
    /// the four questions
    pub questions: Vec<QuestionLine>,
    /// the row of the claim table
    pub claim: &'static str,
    /// the sentence, in pieces
    pub sentence: Vec<Part>,
    /// verdict on the key, as a word
    pub key_verdict: &'static str,
    /// what that means
    pub key: String,
    /// what the provider promises, with sources; empty where the catalog does not know it
    pub provider: Vec<FactLine>,
    /// edges of the state diagram
    pub states: Vec<Edge>,
    /// states in which nothing more happens, with the application's own words
    pub words: Vec<WordLine>,
    /// words for the service's own workflow, which screens show apart
    pub workflow: Vec<&'static str>,
    /// words for the way of the task
    pub delivery: Vec<&'static str>,
    /// participants and steps of the sequence diagram
    pub sequence: Sequence,
    /// what is durable after each crash
    pub crash_points: Vec<CrashPoint>,
    /// how an attempt whose acknowledgement is lost ends
    pub lost_acknowledgement: Example,
    /// how an outcome stays unknown
    pub stays_unknown: Example,
    /// what tests say
    pub evidence: Vec<EvidenceLine>,
    /// suppressions
    pub allows: Vec<AllowLine>,
    /// open findings
    pub findings: Vec<FindingLine>,
    /// what of the contract could not be read
    pub faults: Vec<String>,
    /// digest of the contract
    pub digest: String,
}

/// The columns of the overview; empty where nothing is declared.
#[derive(Clone, Serialize, Debug)]
pub struct Overview {
    pub boundary: String,
    pub delivery: String,
    pub intent_key: String,
    pub provider: String,
    pub window: String,
    pub horizon: String,
    pub reconcile: String,
    pub terminal: Vec<String>,
    pub mechanism: String,
    pub evidence: String,
    pub findings: String,
}

/// A field of the contract.
#[derive(Clone, Serialize, Debug)]
pub struct FieldLine {
    /// its name
    pub name: &'static str,
    /// its value in the words of the configuration; empty where nobody gave one
    pub value: String,
    /// who gave it
    pub from: &'static str,
}

/// What is known of a provider.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct FactLine {
    /// which fact
    pub fact: &'static str,
    /// what it is
    pub text: String,
}

/// A question with its answer.
#[derive(Clone, Serialize, Debug)]
pub struct QuestionLine {
    /// the question
    pub question: &'static str,
    /// the answer, in pieces
    pub answer: Vec<Part>,
}

/// A piece of a text: plain words or source text.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Part {
    /// source text
    pub code: bool,
    /// the text
    pub text: String,
}

/// A transition of the state diagram.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Edge {
    /// from this state; empty at the beginning
    pub from: &'static str,
    /// to this state; empty at the end
    pub to: &'static str,
    /// by what
    pub label: String,
}

/// A state as operators see it.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct WordLine {
    /// the state
    pub state: &'static str,
    /// the application's own word
    pub mapped: String,
    /// nothing more happens in it
    pub terminal: bool,
}

/// The sequence diagram.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// what brings the task
    pub source: String,
    /// the handler
    pub handler: String,
    /// the service's own record
    pub record: String,
    /// the provider
    pub provider: String,
    /// messages and crash points in order
    pub steps: Vec<Step>,
    /// messages of the attempt after a crash in between; empty where it can do nothing
    pub recovery: Vec<Step>,
}

/// A step of the sequence diagram.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Step {
    /// message from this participant: `source`, `handler`, `record`, `provider`
    pub from: &'static str,
    /// to this one
    pub to: &'static str,
    /// an answer
    pub reply: bool,
    /// what is said
    pub text: String,
    /// the crash point behind it
    pub crash: Option<Crash>,
}

/// A crash point in the diagram.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Crash {
    /// its number
    pub number: usize,
    /// what is durable then, in a few words
    pub durable: String,
}

/// What is left if the process dies at one place.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct CrashPoint {
    /// number in the diagram
    pub number: usize,
    /// where it dies
    pub at: &'static str,
    /// what is durable then
    pub durable: String,
    /// the same in a few words
    pub short: String,
    /// what the next attempt does
    pub next: Vec<Part>,
}

/// An example in steps.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct Example {
    /// whether the contract can bring it about
    pub possible: bool,
    /// the steps, or the reason why it is not possible
    pub steps: Vec<Vec<Part>>,
}

/// A failure case with what tests say about it.
#[derive(Clone, Serialize, PartialEq, Eq, Debug)]
pub struct EvidenceLine {
    /// the case
    pub case: &'static str,
    /// `not run`, `passing` …
    pub result: &'static str,
}

/// Which kind of text a template makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Markdown
    Markdown,
    /// a Mermaid diagram
    Mermaid,
}

/// Puts the pages of all handlers in order.
pub fn document(inputs: Vec<Input<'_>>, mut unread: Vec<Unread>) -> Document {
    unread.sort();
    unread.dedup();
    let mut handlers: Vec<HandlerPage> = inputs.into_iter().map(page).collect();
    handlers.sort_by(|a, b| (&a.path, &a.title, &a.file, &a.digest).cmp(&(&b.path, &b.title, &b.file, &b.digest)));
    let mut taken = std::collections::BTreeSet::new();
    for handler in &mut handlers {
        let base = anchor(&handler.path);
        let mut anchor = base.clone();
        let mut number = 1;
        while !taken.insert(anchor.clone()) {
            number += 1;
            anchor = format!("{base}-{number}");
        }
        handler.anchor = anchor;
    }
    Document { handlers, unread }
}

/// The anchor of a handler's section, unless another handler has it already.
pub fn anchor(path: &str) -> String {
    let mut anchor = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            // nothing that Markdown would read, since it stands in a link and in a tag
            'a'..='z' | '0'..='9' => anchor.push(c),
            'A'..='Z' => anchor.push(c.to_ascii_lowercase()),
            _ if !anchor.ends_with('-') => anchor.push('-'),
            _ => {}
        }
    }
    anchor
}

/// Fields whose absence says nothing about the guarantee.
const OPTIONAL: [Field; 6] =
    [Field::Dispatch, Field::Irreversible, Field::Compensates, Field::Effect, Field::Name, Field::Kind];

fn page(input: Input<'_>) -> HandlerPage {
    let Input { contract, guarantee, package, file, provider, mut allows, mut findings, evidence } = input;
    allows.sort();
    allows.dedup();
    findings.sort();
    findings.dedup();
    let given = &contract.contract;
    let evidence: Vec<EvidenceLine> = FailureCase::ALL
        .iter()
        .map(|case| EvidenceLine {
            case: case.as_str(),
            result: evidence
                .iter()
                .find(|(known, _)| known == case)
                .map_or(Evidence::NotRun, |(_, result)| *result)
                .word(),
        })
        .collect();
    HandlerPage {
        title: contract.title().to_owned(),
        path: contract.handler.clone(),
        package: package.to_owned(),
        file,
        anchor: String::new(),
        overview: overview(contract, guarantee.promise.mechanism, &evidence, &findings),
        fields: Field::ALL
            .into_iter()
            .filter(|field| !OPTIONAL.contains(field) || field.is_given(given))
            .map(|field| line(contract, field))
            .collect(),
        questions: guarantee
            .questions
            .pairs()
            .into_iter()
            .map(|(question, answer)| QuestionLine { question, answer: parts(answer) })
            .collect(),
        claim: guarantee.claim.text(),
        sentence: parts(&guarantee.sentence),
        key_verdict: guarantee.key.word(),
        key: story::key_in_words(&guarantee.key),
        provider: provider.map(facts).unwrap_or_default(),
        states: story::edges(given),
        words: guarantee
            .vocabulary
            .effect
            .iter()
            .map(|word| WordLine {
                state: word.word(),
                mapped: word.mapped.clone().unwrap_or_default(),
                terminal: word.terminal,
            })
            .collect(),
        workflow: guarantee.vocabulary.workflow.clone(),
        delivery: guarantee.vocabulary.delivery.clone(),
        sequence: story::sequence(contract, guarantee),
        crash_points: story::crash_points(contract, guarantee),
        lost_acknowledgement: story::lost_acknowledgement(contract, guarantee),
        stays_unknown: story::stays_unknown(contract, guarantee),
        evidence,
        allows,
        findings,
        faults: contract.problems.iter().map(|problem| problem.message.clone()).collect(),
        digest: guarantee.digest.clone(),
    }
}

fn parts(sentence: &Sentence) -> Vec<Part> {
    sentence
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Part { code: false, text: text.clone() },
            Piece::Code(text) => Part { code: true, text: text.clone() },
        })
        .collect()
}

fn line(contract: &HandlerContract, field: Field) -> FieldLine {
    FieldLine {
        name: field.name(),
        value: field.value(&contract.contract).map(|value| show(&value)).unwrap_or_default(),
        from: contract.given(field).map_or("", |given| given.from.word()),
    }
}

/// A value as the configuration writes it, a lone text without its quotes.
fn show(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(show).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| format!("{key} = {}", show(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn overview(
    contract: &HandlerContract,
    mechanism: Mechanism,
    evidence: &[EvidenceLine],
    findings: &[FindingLine],
) -> Overview {
    let given = &contract.contract;
    let shown = |field: Field| field.value(given).map(|value| show(&value)).unwrap_or_default();
    Overview {
        boundary: shown(Field::Boundary),
        delivery: shown(Field::Delivery).replace('_', " "),
        intent_key: match &given.intent_key {
            Some(KeyTemplate::Template { text, .. } | KeyTemplate::Expression(text)) => text.clone(),
            None => String::new(),
        },
        provider: shown(Field::Provider),
        window: match &given.provider_window {
            Some(Window::AtLeast(_)) => shown(Field::ProviderWindow).replace("at_least", "at least"),
            _ => shown(Field::ProviderWindow),
        },
        horizon: shown(Field::ReplayHorizon),
        reconcile: match &given.reconcile {
            Some(Remedy::Path(path) | Remedy::Unchecked(path)) => path.clone(),
            Some(Remedy::None(_)) => "none".into(),
            None => String::new(),
        },
        terminal: given.terminal.iter().flatten().map(|terminal| terminal.state.as_str().to_owned()).collect(),
        mechanism: match mechanism {
            Mechanism::None => "no deduplication".into(),
            Mechanism::AbsoluteWrite => "an absolute write".into(),
            other => format!("by {}", other.as_str().replace('_', " ")),
        },
        evidence: summary(evidence.iter().map(|line| line.result), Evidence::WORDS, evidence.len()),
        findings: summary(findings.iter().map(|line| line.level.as_str()), &["deny", "warn", "note"], 0),
    }
}

/// How many of each word there are, such as `2 deny, 1 note`; one word where all `whole` of them are the same.
fn summary<'a>(found: impl Iterator<Item = &'a str> + Clone, words: &[&str], whole: usize) -> String {
    let counts = words.iter().map(|word| (*word, found.clone().filter(|it| it == word).count()));
    let counts: Vec<(&str, usize)> = counts.filter(|(_, count)| *count > 0).collect();
    match counts.as_slice() {
        [] => "none".to_owned(),
        [(word, count)] if *count == whole => (*word).to_owned(),
        counts => counts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", "),
    }
}
