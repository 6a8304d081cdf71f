//! A snapshot: everything that a review compares, as plain data. It is what `contracts` prints, too, so that a file of
//! today can be compared with the code of tomorrow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lock::Lock;
use super::rests;
use crate::catalog::Catalog;
use crate::contracts::{Field, HandlerContract};
use crate::findings::{Place, Sources};
use crate::flow::{FlowFacts, undeclared};
use crate::guarantee::{EffectWord, Guarantee, provider_of};
use crate::resolve::Program;
use crate::source::Workspace;

/// The version of the format.
const VERSION: u32 = 1;

/// What a snapshot is made of.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// packages and files
    pub workspace: &'a Workspace,
    /// functions
    pub program: &'a Program,
    /// knowledge of the outside
    pub catalog: &'a Catalog,
    /// what is declared
    pub contracts: &'a [HandlerContract],
    /// what holds, in the order of the contracts
    pub guarantees: &'a [Guarantee],
    /// dispatches and events
    pub flow: &'a FlowFacts,
    /// versions of dependencies, where there is a Cargo.lock
    pub lock: Option<&'a Lock>,
}

/// The guarantees of a workspace at one time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// of the format
    pub version: u32,
    /// sorted by handler and name
    pub contracts: Vec<Entry>,
    /// functions that perform an effect no contract speaks of, and those that would carry it, sorted
    #[serde(default)]
    pub undeclared: Vec<String>,
    /// files of which something could not be read, sorted
    #[serde(default)]
    pub unread: Vec<String>,
}

/// One declared effect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// path of the function
    pub handler: String,
    /// id that handlers of one intent share
    #[serde(default)]
    pub effect: Option<String>,
    /// from the workspace root
    #[serde(default)]
    pub file: String,
    /// of the function's name, from 1
    #[serde(default)]
    pub line: u32,
    /// every field that somebody gave, in the words of `effects.toml`
    #[serde(default)]
    pub fields: Fields,
    /// what is known of the key
    #[serde(default)]
    pub key_verdict: String,
    /// the four questions with their answers
    #[serde(default)]
    pub questions: BTreeMap<String, String>,
    /// the row of the claim table
    pub claim: String,
    /// the claim in full
    #[serde(default)]
    pub sentence: String,
    /// words for screens of operators, a list for each layer
    #[serde(default)]
    pub status_vocabulary: Layers,
    /// changes when a fact of the contract changes
    #[serde(default)]
    pub digest: String,
    /// what the guarantee rests on, without being a part of the contract; nothing in files of older versions
    #[serde(default)]
    pub rests_on: Option<RestsOn>,
    /// what of the contract could not be read
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Fields in the order of tables, each with its value and who gave it.
type Fields = Map<String, Value>;

/// Status words, one list a layer: a workflow can be retrying while its payment is already confirmed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Layers {
    /// what the service itself has accepted
    pub workflow: Vec<String>,
    /// how the task travels
    pub delivery: Vec<String>,
    /// what the provider did
    pub effect: Vec<Value>,
}

/// What can break a promise without touching it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RestsOn {
    /// what the catalog says of the provider
    pub provider: BTreeMap<String, String>,
    /// packages that the dispatches go through, with their versions
    pub packages: BTreeMap<String, String>,
    /// timeouts, retry counts, retention times that the handler's code fixes
    pub limits: BTreeMap<String, String>,
}

impl Snapshot {
    /// The guarantees of what was analysed, in the reported packages.
    pub fn of(known: Known<'_>) -> Self {
        let Known { workspace, program, .. } = known;
        let mut sources = Sources::default();
        let reported = |contract: &HandlerContract| workspace.file(contract.name_span.file).reported;
        let pairs = known.contracts.iter().zip(known.guarantees).filter(|(contract, _)| reported(contract));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_by_key(|(contract, _)| (&contract.handler, contract.title()));
        let contracts = pairs.into_iter().map(|(contract, guarantee)| entry(known, &mut sources, contract, guarantee));
        let mut undeclared: Vec<String> = undeclared(program, known.contracts, known.flow)
            .into_iter()
            .filter(|fact| workspace.file(fact.site.file).reported)
            .flat_map(|fact| [fact.function, fact.owner(program)])
            .map(|id| program.function(id).path.to_string())
            .collect();
        undeclared.sort();
        undeclared.dedup();
        let files = workspace.files.iter().filter(|file| file.problem.is_some()).map(|file| &file.path);
        let items = program.problems.iter().map(|(file, _)| &workspace.file(*file).path);
        let mut unread: Vec<String> = files.chain(items).cloned().collect();
        unread.sort();
        unread.dedup();
        Self { version: VERSION, contracts: contracts.collect(), undeclared, unread }
    }

    /// Reads what `contracts` printed. An error says why it cannot be.
    pub fn parse(text: &str) -> Result<Self, String> {
        let snapshot: Self = serde_json::from_str(text)
            .map_err(|error| format!("it is no JSON that `cargo effects contracts` writes: {error}"))?;
        if snapshot.version != VERSION {
            return Err(format!("its format has version {}, and this program reads {VERSION}", snapshot.version));
        }
        Ok(snapshot)
    }
}

impl Entry {
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)?.get("value")
    }

    /// A field that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }
}

fn entry(known: Known<'_>, sources: &mut Sources, contract: &HandlerContract, guarantee: &Guarantee) -> Entry {
    let at = sources.locate(known.workspace, &Place::Source(contract.name_span));
    let questions = &guarantee.questions;
    let answers = [
        ("commit_twice", &questions.commit_twice),
        ("delivered_again", &questions.delivered_again),
        ("run_again", &questions.run_again),
        ("effect_repeats", &questions.effect_repeats),
    ];
    let vocabulary = &guarantee.vocabulary;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Entry {
        handler: contract.handler.clone(),
        effect: contract.contract.effect.clone(),
        file: at.file,
        line: at.start.line,
        fields: fields(contract),
        key_verdict: guarantee.key.word().to_owned(),
        questions: answers.into_iter().map(|(name, answer)| (name.to_owned(), answer.plain())).collect(),
        claim: guarantee.claim.text().to_owned(),
        sentence: guarantee.sentence.plain(),
        status_vocabulary: Layers {
            workflow: words(&vocabulary.workflow),
            delivery: words(&vocabulary.delivery),
            effect: vocabulary.effect.iter().map(word).collect(),
        },
        digest: guarantee.digest.clone(),
        rests_on: Some(rests::rests_on(known, contract, provider_of(contract, known.catalog))),
        problems: contract.problems.iter().map(|problem| problem.message.clone()).collect(),
    }
}

/// Every field that somebody gave, in the words of `effects.toml`, with who gave it.
fn fields(contract: &HandlerContract) -> Fields {
    let mut fields = Map::new();
    for field in Field::ALL {
        if let (Some(value), Some(given)) = (field.value(&contract.contract), contract.given(field)) {
            let given = serde_json::json!({ "value": value, "from": given.from.word() });
            fields.insert(field.name().to_owned(), given);
        }
    }
    fields
}

fn word(word: &EffectWord) -> Value {
    serde_json::json!({ "state": word.word(), "mapped": word.mapped, "terminal": word.terminal })
}
