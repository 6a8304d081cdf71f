//! Faults of a configuration file, for people.
//!
//! In: problems with byte ranges. Out: faults with line and column.

use std::fmt;

use crate::source::{Position, TextRange};
use crate::toml_text::{Problem, position};

/// Something wrong in a configuration file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// the file
    pub path: String,
    /// where, for people
    pub position: Position,
    /// where, in bytes
    pub range: TextRange,
    /// what is wrong and why
    pub message: String,
    /// what to do
    pub help: Option<String>,
}

impl Fault {
    pub(super) fn new(path: &str, text: &str, problem: Problem) -> Self {
        Self {
            path: path.to_owned(),
            position: position(text, problem.range.start),
            range: problem.range,
            message: problem.message,
            help: problem.help,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        write!(formatter, "{}:{line}:{column}: {}", self.path, self.message)?;
        match &self.help {
            Some(help) => write!(formatter, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
