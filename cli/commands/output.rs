//! Standard streams: results on standard output, everything else on standard error.

use std::io::{self, IsTerminal, Write};

use super::exit::{Exit, Failure};
use crate::render;

/// Where a run writes to.
pub(super) struct Output {
    quiet: bool,
    color: Color,
}

/// `--color`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Color {
    /// on a terminal, unless the environment says otherwise
    Auto,
    /// always
    Always,
    /// never
    Never,
}

impl Color {
    /// The choice that a word names.
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

impl Output {
    /// The streams of the process.
    pub(super) fn standard() -> Self {
        Self { quiet: false, color: Color::Auto }
    }

    /// Applies `-q` and `--color`.
    pub(super) fn configure(&mut self, quiet: bool, color: Option<Color>) {
        self.quiet = quiet;
        let environment = || Color::parse(&std::env::var("CARGO_TERM_COLOR").ok()?);
        self.color = color.or_else(environment).unwrap_or(Color::Auto);
    }

    /// Whether standard output takes colour.
    pub(super) fn colored(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                !refused && !dumb && io::stdout().is_terminal()
            }
        }
    }

    /// Writes a result. A reader that has gone away has seen enough: that is no failure.
    pub(super) fn result(&mut self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("the result could not be written to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Says something about the run, unless `-q`.
    pub(super) fn say(&mut self, text: &str) {
        if !self.quiet {
            to_stderr(text);
        }
    }

    /// Says why the run failed.
    pub(super) fn failure(&mut self, failure: &Failure) {
        to_stderr(&format!("error: {}\n", failure.message.trim_end()));
    }

    /// Help and version are results; a usage error is a failure.
    pub(super) fn clap(&mut self, error: &clap::Error) -> Exit {
        // a closed stream leaves nobody to tell
        let _ = error.print();
        if error.use_stderr() { Exit::Failure } else { Exit::Success }
    }
}

/// Names of files and texts of manifests are in it, which anybody may have written.
fn to_stderr(text: &str) {
    // there is nowhere left to report that standard error is closed
    let _ = io::stderr().lock().write_all(render::neutral(text).as_bytes());
}
