//! Declared contracts: what attributes, `effects.toml` and defaults together say about each handler.
//!
//! In: the resolved program, the configuration. Out: one [`HandlerContract`] for each declared effect, every field with
//! who gave it and where. Whether the facts are true, sensible or kept is not asked here; nothing here knows how values
//! flow.

mod attribute;
mod collect;
mod field;
mod lookups;
mod merge;
mod paths;
#[cfg(test)]
pub(crate) mod samples;
mod words;

use effect_contracts_grammar::{Allow, Contract};

pub use collect::{collect, unmatched};
pub use field::{Field, window};
pub use lookups::{lookup_of, lookups};
pub use merge::{Defaults, Layer, merge};
pub use paths::{functions_named, implementations};
pub use words::state_words;

use crate::findings::Place;
use crate::resolve::FnId;
use crate::source::Span;

/// The contract of one declared effect, merged from everything that speaks of it.
#[derive(Clone, Debug)]
pub struct HandlerContract {
    /// the function that carries the attribute, or that `[[effect]]` names
    pub function: FnId,
    /// the functions with the bodies that perform the effect: the function itself, or for a trait method the
    /// implementations that have no contract of their own
    pub bodies: Vec<FnId>,
    /// path for people: `shop::billing::charge_invoice`
    pub handler: String,
    /// the merged facts
    pub contract: Contract,
    /// who gave each given field, sorted by field
    pub given: Vec<Given>,
    /// the attribute, the `handler!` invocation, or the `[[effect]]` table
    pub place: Place,
    /// the name of the function
    pub name_span: Span,
    /// the name under which the handler's body finds its key
    pub bind: Option<String>,
    /// fields for which attribute and `[[effect]]` say different things; the attribute's value stands
    pub conflicts: Vec<Conflict>,
    /// suppressions with their places
    pub allows: Vec<(Allow, Place)>,
    /// what could not be read
    pub problems: Vec<ContractProblem>,
}

/// Who gave a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// which field
    pub field: Field,
    /// by what
    pub from: GivenBy,
    /// where; `None` for what is built in
    pub place: Option<Place>,
}

/// What gave a field, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GivenBy {
    /// `#[effect(…)]` or `handler!(…)`
    Attribute,
    /// `[[effect]]`
    Effect,
    /// `[defaults]` and the tables below it
    Defaults,
    /// the tool itself
    BuiltIn,
}

impl GivenBy {
    /// The word in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::Effect => "effect",
            Self::Defaults => "defaults",
            Self::BuiltIn => "built-in",
        }
    }
}

/// A field that two sources give differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// which field
    pub field: Field,
    /// the attribute's value and place
    pub attribute: (String, Place),
    /// the value and place in `[[effect]]`
    pub effect: (String, Place),
}

/// Something in a contract that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractProblem {
    /// where
    pub place: Place,
    /// what is wrong, lower case, no full stop
    pub message: String,
}

impl HandlerContract {
    /// Who gave a field.
    pub fn given(&self, field: Field) -> Option<&Given> {
        self.given.binary_search_by_key(&field, |given| given.field).ok().map(|at| &self.given[at])
    }

    /// The place to point at for a field: where it was given, else the whole contract.
    pub fn place_of(&self, field: Field) -> Place {
        self.given(field).and_then(|given| given.place.clone()).unwrap_or_else(|| self.place.clone())
    }

    /// Whether a person wrote the field, rather than the tool.
    pub fn is_declared(&self, field: Field) -> bool {
        self.given(field).is_some_and(|given| given.from != GivenBy::BuiltIn)
    }

    /// The name for tables: the declared one, else the function's path.
    pub fn title(&self) -> &str {
        self.contract.name.as_deref().unwrap_or(&self.handler)
    }
}
