//! Whether anybody looks at the digest of a payload that is kept beside the key of a request.

use crate::flow::{EventFact, EventFactKind, OriginKind};
use crate::operations::FunctionOps;
use crate::rules::Facts;
use crate::rules::scene::has_any;
use crate::sql::{Kind, Statement};

/// The columns of a table that hold the digest.
pub(super) struct Digest<'a> {
    pub(super) table: &'a str,
    pub(super) columns: Vec<&'a str>,
}

/// Whether a function that comes to a read, or another one that is reached from there, looks at the digest, if there is one.
pub(super) fn is_looked_at(facts: &Facts<'_>, read: &EventFact, digest: &Digest<'_>) -> bool {
    let mut functions = facts.operations.functions.iter();
    !digest.columns.is_empty()
        && functions.any(|function| match function.events().find(|(_, event)| event.span == read.span) {
            None => false,
            Some((at, event)) if read.through.contains(&function.facts.function) => {
                knows_more(facts, function, event) && looks(facts, function, at, digest)
            }
            Some(_) => function.events().any(|(at, _)| looks(facts, function, at, digest)),
        })
}

/// Whether a helper that reads is handed more than what it reads by, so that it could compare something.
fn knows_more(facts: &Facts<'_>, helper: &FunctionOps, read: &EventFact) -> bool {
    let EventFactKind::Sql { binds, executor, .. } = &read.kind else {
        return true;
    };
    let used = |name: &str| {
        let mut origins = binds.iter().chain([executor]).flat_map(|value| &value.origins);
        origins.any(|origin| matches!(origin, OriginKind::Input(path) if path.as_str().split('.').next() == Some(name)))
    };
    let params = &facts.program.function(helper.facts.function).ir.params;
    params.iter().any(|param| param.name.is_none_or(|name| name.as_str() != "self" && !used(name.as_str())))
}

/// Whether the event at a position asks for rows with the digest, or gives it to somebody who may look at it.
fn looks(facts: &Facts<'_>, function: &FunctionOps, at: usize, digest: &Digest<'_>) -> bool {
    let EventFactKind::Sql { texts, .. } = &function.event(at).kind else {
        return false;
    };
    let of_table = |statement: &&Statement| statement.table.as_deref() == Some(digest.table);
    function.statements(at).iter().filter(of_table).any(|statement| {
        let holds = |column: &String| column == "*" || digest.columns.contains(&column.as_str());
        let mut given = statement.columns.iter().chain(&statement.returning);
        let mut asked = statement.conditions.iter().map(|asked| &asked.column).chain(&statement.either);
        match (given.any(holds), statement.kind) {
            _ if asked.any(holds) => true,
            (true, _) => goes_on(facts, function, (at, statement), digest),
            // In an expression, which may compare it.
            (false, Kind::Select) => {
                digest.columns.iter().any(|column| texts.iter().any(|text| text.as_str().contains(column)))
            }
            (false, _) => false,
        }
    })
}

/// Whether the digest is among what each function takes of the answer on its way up.
fn goes_on(
    facts: &Facts<'_>,
    function: &FunctionOps,
    (at, statement): (usize, &Statement),
    digest: &Digest<'_>,
) -> bool {
    let event = function.event(at);
    let given: Vec<&String> = statement.columns.iter().chain(&statement.returning).collect();
    let named = |name: &str| digest.columns.contains(&name) || has_any(name, &facts.catalog.words.digest_columns);
    let is_digest = |taken: &str| match taken.parse::<usize>() {
        Ok(place) => given.get(place).is_none_or(|column| *column == "*" || named(column)),
        Err(_) => named(taken),
    };
    let here = event.taken.as_ref().is_none_or(|taken| taken.iter().any(|column| is_digest(column.as_str())));
    let below = || facts.operations.one_below(event);
    here && below().is_none_or(|(below, at)| goes_on(facts, below, (at, statement), digest))
}
