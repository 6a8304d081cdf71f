//! Questions about order: what comes before what, what can follow, under which outcome, in which transaction.
//!
//! In: the events of each function, as `flow` wrote them down. Out: [`Operations`], one ordered list a function with SQL
//! read and tables known. Rules ask; nothing here judges.

mod order;
mod statement;

use std::collections::BTreeMap;

pub use order::{exclusive, may_follow, outcomes_at, surely_before};

use crate::catalog::Catalog;
use crate::flow::{EventFact, FlowFacts, FunctionEvents};
use crate::source::Workspace;
use crate::sql::{self, Schema};

/// What all functions do.
#[derive(Debug, Default)]
pub struct Operations {
    /// by function, in order
    pub functions: Vec<FunctionOps>,
    /// tables of the workspace's migrations
    pub schema: Schema,
}

/// What one function does, its callees included.
#[derive(Debug)]
pub struct FunctionOps {
    /// the events as they were written down, and what they are around
    pub facts: FunctionEvents,
    /// the statements of each SQL event, by its position among the events
    pub statements: BTreeMap<usize, Vec<sql::Statement>>,
}

impl FunctionOps {
    /// Events with their positions.
    pub fn events(&self) -> impl Iterator<Item = (usize, &EventFact)> {
        self.facts.events.iter().enumerate()
    }

    /// The statements of an event.
    pub fn statements(&self, at: usize) -> &[sql::Statement] {
        self.statements.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// Reads the SQL in all events.
pub fn operations(workspace: &Workspace, catalog: &Catalog, flow: &FlowFacts) -> Operations {
    let _ = catalog;
    let schema =
        Schema::collect(workspace.texts.iter().filter(|(path, _)| path.ends_with(".sql")).map(|(_, text)| &**text));
    let functions = flow.functions.iter().map(|facts| statement::read(facts.clone())).collect();
    Operations { functions, schema }
}
