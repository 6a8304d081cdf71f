//! How a run ends.

/// Exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Exit {
    /// nothing at or above `--fail-on`
    Success = 0,
    /// findings at or above `--fail-on`, or a document that is stale
    Findings = 1,
    /// the run itself failed: usage, configuration, input or output
    Failure = 2,
}

/// Why a run could not be made.
#[derive(Debug)]
pub(super) struct Failure {
    /// what is wrong and what to do, lower case, no full stop
    pub message: String,
}

impl Failure {
    /// A failure with its message.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
