//! Questions about order: what comes before what, what can follow, under which outcome, in which transaction.
//!
//! In: the events of each function, as `flow` wrote them down. Out: [`Operations`], one ordered list a function with SQL
//! read and tables known. Rules ask; nothing here judges.

mod acts;
mod leases;
mod migrated;
mod order;
mod schema;
mod statement;
mod tables;
mod transactions;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

pub use leases::{LeaseTable, is_called_a_lock, runs_out, taken_where_run_out};
pub use order::{Asked, asked, exclusive, may_follow, meets, outcomes_at, side_by_side, surely_before};
pub use tables::{TableRole, Tables};
pub use transactions::{Open, open_at};

use crate::catalog::Catalog;
use crate::config::Dialect;
use crate::flow::{EventFact, FlowFacts, FunctionEvents};
use crate::resolve::{FnId, Program};
use crate::source::{Span, Workspace};
use crate::sql;

/// What all functions do.
#[derive(Debug, Default)]
pub struct Operations {
    /// in the order of their numbers
    pub functions: Vec<FunctionOps>,
    /// the tables of SQL, migrations and configuration
    pub tables: Tables,
    /// tables that hold leases
    pub leases: BTreeMap<String, LeaseTable>,
    /// the states that texts in SQL mean
    means: BTreeMap<String, String>,
    /// by where it stands: the functions that see an event, and at which position; made when it is first asked for
    seen: OnceLock<HashMap<Span, Vec<(u32, u32)>>>,
}

impl Operations {
    /// What a function does, where that is known.
    pub fn function(&self, id: FnId) -> Option<&FunctionOps> {
        let at = self.functions.binary_search_by_key(&id, |known| known.facts.function).ok()?;
        self.functions.get(at)
    }

    /// An event as the function sees it that is called first on the way to it.
    pub fn one_below(&self, event: &EventFact) -> Option<(&FunctionOps, usize)> {
        let below = self.function(*event.through.first()?)?;
        Some((below, below.position(event, event.via.get(1..)?)?))
    }

    /// What is seen of a place, by the function that it is in and by all that call it: in the order of the functions, and of
    /// their events.
    pub fn seen(&self, place: Span) -> impl Iterator<Item = (&FunctionOps, usize)> {
        let seen = self.seen.get_or_init(|| {
            let mut seen: HashMap<Span, Vec<(u32, u32)>> = HashMap::new();
            for (number, function) in (0..).zip(&self.functions) {
                for (at, event) in (0..).zip(&function.facts.events) {
                    seen.entry(event.span).or_default().push((number, at));
                }
            }
            seen
        });
        let places = seen.get(&place).map_or(&[][..], Vec::as_slice);
        places.iter().map(|&(number, at)| (&self.functions[number as usize], at as usize))
    }

    /// An event as those see it that call the function which looks, each over one or more calls more.
    pub fn above(&self, event: &EventFact) -> impl Iterator<Item = (&FunctionOps, usize)> {
        self.seen(event.span).filter(|(caller, at)| {
            let seen = caller.event(*at);
            seen.via.ends_with(&event.via)
                && seen.via.len() > event.via.len()
                && std::mem::discriminant(&seen.kind) == std::mem::discriminant(&event.kind)
        })
    }

    /// The state that a text in SQL means, by the catalog's word.
    pub fn means(&self, text: &str) -> Option<&str> {
        self.means.get(text).map(String::as_str)
    }
}

/// What one function does, its callees included.
#[derive(Debug)]
pub struct FunctionOps {
    /// the events as they were written down, and what they are around
    pub facts: Arc<FunctionEvents>,
    /// the statements of each SQL event, by its position among the events
    statements: BTreeMap<usize, Vec<sql::Statement>>,
}

impl FunctionOps {
    /// Events with their positions.
    pub fn events(&self) -> impl Iterator<Item = (usize, &EventFact)> {
        self.facts.events.iter().enumerate()
    }

    /// The position at which an event that a caller of this function sees, too, is seen here, over these calls.
    pub fn position(&self, of: &EventFact, via: &[Span]) -> Option<usize> {
        let same = |event: &EventFact| {
            event.span == of.span
                && *event.via == *via
                && std::mem::discriminant(&event.kind) == std::mem::discriminant(&of.kind)
        };
        self.events().find(|(_, event)| same(event)).map(|(at, _)| at)
    }

    /// The event at a position.
    pub fn event(&self, at: usize) -> &EventFact {
        &self.facts.events[at]
    }

    /// The statements of an event.
    pub fn statements(&self, at: usize) -> &[sql::Statement] {
        self.statements.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// Reads the SQL in all events.
pub fn operations(
    workspace: &Workspace,
    program: &Program,
    catalog: &Catalog,
    flow: &FlowFacts,
    dialect: Option<Dialect>,
) -> Operations {
    let schema = schema::of(workspace, program);
    let mut known = statement::Read::default();
    let functions: Vec<FunctionOps> =
        flow.functions.iter().map(|facts| statement::read(facts.clone(), &mut known, dialect)).collect();
    let means = statement::meanings(catalog, &functions);
    let tables = Tables::new(catalog, schema);
    let leases = leases::lease_tables(catalog, &tables, &functions);
    Operations { functions, tables, leases, means, seen: OnceLock::new() }
}
