//! What ends a run before it starts: a named path, a manifest, a selection that cannot be used.

use std::fmt;

use super::Position;

/// Why nothing could be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// the path as it was named, or relative to the workspace root
    pub path: String,
    /// where in that file
    pub position: Option<Position>,
    /// what is wrong, lower case, no full stop
    pub message: String,
    /// what to do, lower case, no full stop
    pub help: String,
}

impl Error {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { path: path.into(), position: None, message: message.into(), help: help.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(position) = self.position {
            write!(f, ":{}:{}", position.line, position.column)?;
        }
        write!(f, ": {} (help: {})", self.message, self.help)
    }
}

impl std::error::Error for Error {}
