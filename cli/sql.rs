//! SQL text as facts: which tables and columns a statement reads, sets and asks by.
//!
//! In: a text, perhaps with holes of a format template. Out: [`Statement`]s, or nothing where no dialect reads it. This
//! module knows no program and no catalog.

mod foreign;
mod holes;
mod locking;
mod outline;
mod read;
mod schema;

#[cfg(test)]
mod tests;

pub use outline::outline;
pub use read::read;
pub use schema::{Schema, TableFacts};

/// The dialect that is tried first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// PostgreSQL
    Postgres,
    /// SQLite
    Sqlite,
    /// MySQL, MariaDB
    Mysql,
    /// what most databases share
    Generic,
}

/// One statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statement {
    /// what it does
    pub kind: Kind,
    /// the table it writes, or reads first: lower case, without schema and quotes; `None` where a hole stands for it
    pub table: Option<String>,
    /// further tables that are read
    pub other_tables: Vec<String>,
    /// columns that are set: `UPDATE … SET`, the first row of an `INSERT`
    pub set: Vec<Assignment>,
    /// columns that are set on a conflict
    pub conflict_set: Vec<Assignment>,
    /// top-level conditions that must all hold
    pub conditions: Vec<Condition>,
    /// conditions on the same table by which a query inside picks the rows: `id IN (SELECT id … WHERE …)`
    pub picked: Vec<Condition>,
    /// columns that are compared in alternatives: `a IS NULL OR a < now()`
    pub either: Vec<String>,
    /// what happens on a conflict
    pub conflict: Conflict,
    /// the columns that conflict
    pub conflict_target: Vec<String>,
    /// returned columns; `*` for all
    pub returning: Vec<String>,
    /// `FOR UPDATE`
    pub for_update: bool,
    /// a lock of the session is given up: `pg_advisory_unlock`
    pub unlocks: bool,
    /// `SKIP LOCKED`
    pub skip_locked: bool,
    /// `SELECT EXISTS (…)`, `SELECT count(…)`
    pub exists: bool,
    /// `LIMIT`
    pub limit: bool,
    /// the column by which rows are ordered first
    pub ordered_by: Option<String>,
    /// columns that are read
    pub columns: Vec<String>,
    /// an `INSERT` of more rows than one: several in its values, or those of a query over a list
    pub many: bool,
}

impl Statement {
    /// The columns that must equal something, sorted: those by which the statement names its row.
    pub fn row(&self) -> Vec<&str> {
        let equal = self.conditions.iter().filter(|condition| condition.equal);
        let mut columns: Vec<&str> = equal.map(|condition| condition.column.as_str()).collect();
        columns.sort_unstable();
        columns
    }

    /// Of a statement by which the second of two is answered with what the first has stored, or with nothing (an insert that
    /// leaves a row that is there, a change that sets only what is empty): the values that tell its answer from others, which
    /// are those that name the row, and those that it answers with and sets anew all the same.
    pub fn claims_by(&self) -> Option<Vec<&Set>> {
        let answered = |column: &str| self.returning.iter().any(|back| back == column || back == "*");
        let is_empty = |column: &str| {
            self.conditions.iter().any(|known| known.column == column && known.equal && known.against == Set::Null)
        };
        let kept = |set: &Assignment| set.value == Set::Own || is_empty(&set.column);
        let again = match self.kind {
            Kind::Insert if self.conflict != Conflict::Fail => &self.conflict_set,
            Kind::Update if self.set.iter().any(|set| kept(set) && answered(&set.column)) => &self.set,
            _ => return None,
        };
        if self.returning.is_empty() {
            return None;
        }
        let anew = |column: &str| again.iter().any(|set| set.column == column && answered(column) && !kept(set));
        let target = |column: &String| self.conflict_target.contains(column);
        let told = self.set.iter().filter(|set| target(&set.column) || anew(&set.column));
        let changed = again.iter().filter(|set| anew(&set.column));
        let row = self.conditions.iter().filter(|known| known.equal).map(|known| &known.against);
        Some(told.chain(changed).map(|set| &set.value).chain(row).collect())
    }

    /// Whether a row that is there has its own value of a column replaced, where an insert comes upon it.
    pub fn replaces(&self, column: &str) -> bool {
        self.conflict_set.iter().any(|set| set.column == column && set.value != Set::Own)
    }

    /// What a repeat changes once more, by a difference.
    pub fn delta(&self) -> Option<&Assignment> {
        let set = if self.kind == Kind::Update { &self.set } else { &self.conflict_set };
        set.iter().find(|assignment| matches!(assignment.value, Set::Delta { .. })).filter(|_| !self.moves_on())
    }

    /// Whether a change moves the row out of the state that it asks for, so that it takes place once.
    pub fn moves_on(&self) -> bool {
        self.set.iter().any(|assignment| {
            let asked = self
                .conditions
                .iter()
                .find(|condition| (&condition.column, &condition.of) == (&assignment.column, &assignment.of));
            asked.is_some_and(|condition| match condition.equal {
                true => {
                    condition.against != assignment.value && !matches!(assignment.value, Set::Delta { .. } | Set::Own)
                }
                // what it is not yet, it is made: `last <> $1`, a list that does not hold it
                false => {
                    !matches!(condition.against, Set::Null)
                        && !matches!(assignment.value, Set::Delta { .. } | Set::Null)
                }
            })
        })
    }
}

/// What a statement does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// reads
    Select,
    /// adds rows
    Insert,
    /// changes rows
    Update,
    /// removes rows
    Delete,
    /// `BEGIN`
    Begin,
    /// `COMMIT`
    Commit,
    /// `ROLLBACK`
    Rollback,
    /// anything else
    #[default]
    Other,
}

/// A column and what it is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// lower case
    pub column: String,
    /// the joined table or alias whose column it is; none for the table that the statement is about
    pub of: Option<String>,
    /// its new value
    pub value: Set,
}

/// The new value of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Set {
    /// a placeholder, by its number from 0
    Placeholder(usize),
    /// a literal text
    Text(String),
    /// a literal number
    Number(String),
    /// `TRUE`, `FALSE`
    Truth(bool),
    /// `NULL`
    Null,
    /// the time of the statement
    Now,
    /// that time less a fixed interval, as written: `7 days`
    Age(String),
    /// on a conflict, what was to be inserted: `EXCLUDED.state`, `VALUES(state)`
    Given,
    /// that time less so many of a unit, the number being a placeholder: `make_interval(days => $1)`
    AgeOf(usize, String),
    /// the column's own value and a difference: `balance = balance + $1`
    Delta {
        /// the difference is taken from it: `balance = balance - $1`
        less: bool,
        /// the placeholder that is the difference, if it is one
        by: Option<usize>,
    },
    /// what the column is already, if it is something: `t.key`, `COALESCE(key, $1)`
    Own,
    /// anything else
    Expression,
}

/// A condition on a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// lower case
    pub column: String,
    /// the joined table or alias whose column it is; none for the table that the statement is about
    pub of: Option<String>,
    /// `=`, `IN`, `IS NULL`: narrows to given values, rather than to a range
    pub equal: bool,
    /// what it is compared with
    pub against: Set,
}

/// What an `INSERT` does on a conflict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Conflict {
    /// fails
    #[default]
    Fail,
    /// does nothing
    Nothing,
    /// changes the row that is there
    Update,
}
