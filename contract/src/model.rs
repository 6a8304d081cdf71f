//! What a contract says: plain owned data without spans or syntax types, so that it can cross threads and be written out.
//!
//! Every field is optional, since a contract may be put together from an attribute, `effects.toml` and defaults.

use std::time::Duration;

/// The facts of one effect contract. A field that nobody gave is `None` (or empty).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// business identity of the effect
    pub intent_key: Option<KeyTemplate>,
    /// id in the provider catalog
    pub provider: Option<String>,
    /// how long the provider deduplicates
    pub provider_window: Option<Window>,
    /// states in which nothing more happens, in the order given
    pub terminal: Option<Vec<Terminal>>,
    /// how a repeat is neutralised
    pub mechanism: Option<Mechanism>,
    /// longest time after first dispatch at which the intent can be delivered again
    pub replay_horizon: Option<Duration>,
    /// how the task reaches the handler
    pub delivery: Option<Delivery>,
    /// the internal transaction
    pub boundary: Option<String>,
    /// the system of record
    pub record: Option<String>,
    /// the calls that perform the effect
    pub dispatch: Vec<String>,
    /// the lookup for an unknown outcome
    pub reconcile: Option<Remedy>,
    /// the undo
    pub compensate: Option<Remedy>,
    /// cannot be undone
    pub irreversible: Option<bool>,
    /// the effect that this handler compensates
    pub compensates: Option<String>,
    /// how long ledger and inbox rows are kept
    pub evidence_retention: Option<Duration>,
    /// who decides an unknown that stays unknown
    pub operator: Option<String>,
    /// lease token or version checked at commit
    pub fence: Option<String>,
    /// id shared by handlers of one intent
    pub effect: Option<String>,
    /// name for the tables
    pub name: Option<String>,
    /// what sort of effect
    pub kind: Option<EffectKind>,
    /// suppressions
    pub allow: Vec<Allow>,
}

/// An intent key: a template with placeholders, or any other expression.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyTemplate {
    /// `"invoice/{invoice.id}/charge"`
    Template {
        /// the text as written
        text: String,
        /// its parts in order
        parts: Vec<KeyPart>,
    },
    /// any expression, as source text
    Expression(String),
}

/// A part of a key template.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyPart {
    /// fixed text, `{{` and `}}` already unescaped
    Text(String),
    /// the expression of a placeholder, as source text
    Placeholder(String),
}

/// How long a provider remembers a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Window {
    /// exactly this long
    Exact(Duration),
    /// this long or longer
    AtLeast(Duration),
    /// set by the operator: the value in force, and the greatest one
    Configurable {
        /// value in force
        value: Duration,
        /// greatest value
        max: Option<Duration>,
    },
    /// without end
    Forever,
    /// the provider does not say
    Unpublished,
    /// not at all
    None,
}

impl Window {
    /// The time for which deduplication can be relied on; `None` is without end.
    pub fn lower_bound(&self) -> Option<Duration> {
        match self {
            Self::Exact(value) | Self::AtLeast(value) | Self::Configurable { value, .. } => Some(*value),
            Self::Forever => None,
            Self::Unpublished | Self::None => Some(Duration::ZERO),
        }
    }
}

/// A terminal state, perhaps mapped to the application's own words.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    /// which state
    pub state: State,
    /// the application's variant or stored text
    pub mapped: Option<Mapped>,
}

/// What a terminal state is called in the application.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapped {
    /// path of a variant
    Variant(String),
    /// stored text
    Text(String),
}

/// A state of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// identity recorded, nothing sent
    Prepared,
    /// the provider has acted
    Confirmed,
    /// the provider has refused
    Rejected,
    /// sent, and no answer
    Unknown,
    /// was unknown, and the lookup decided
    Reconciled,
    /// undone
    Compensated,
}

/// How a repeat is neutralised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the words are those of the catalog
pub enum Mechanism {
    Key,
    DedupId,
    NaturalKey,
    SequenceNumber,
    Precondition,
    Transaction,
    Lock,
    Coalesce,
    Heuristic,
    AbsoluteWrite,
    None,
}

/// How a task reaches its handler.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// duplicates possible
    AtLeastOnce,
    /// loss possible
    AtMostOnce,
    /// once, inside a named boundary
    ExactlyOnceWithin(String),
    /// once, with no boundary named: the fault `exactly-once-delivery`
    ExactlyOnce,
}

/// A reconcile or compensate: a path, or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// a function, checked to exist
    Path(String),
    /// a function whose types cannot be inferred
    Unchecked(String),
    /// none, for this reason
    None(String),
}

/// What sort of effect, for the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the words say it
pub enum EffectKind {
    Payment,
    Email,
    Sms,
    Message,
    Webhook,
    Entitlement,
    Publication,
    Other,
}

/// A suppression.
#[derive(Clone, Debug, PartialEq)]
pub struct Allow {
    /// rule name in kebab case
    pub rule: String,
    /// why
    pub reason: String,
    /// last day, `YYYY-MM-DD`
    pub until: Option<String>,
    /// who answers for it
    pub owner: Option<String>,
}

/// A way in which handlers of external effects are known to fail, and which evidence can cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the words say it
pub enum FailureCase {
    KilledAfterAccept,
    DeliveredTwice,
    TwoWorkersRace,
    LeaseExpiredWhileRunning,
    AcknowledgementDelayed,
    RetriedAfterWindow,
    RetriedAfterDeploy,
    PayloadChanged,
    ReconcileInconclusive,
}
