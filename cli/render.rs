//! Views: a [`Report`] as bytes, one file for each format.
//!
//! In: a report. Out: text. Nothing here decides what is reported; wire structs live beside their format. Whatever comes
//! from scanned code is untrusted: each format escapes it, and what goes to a terminal has its control characters
//! replaced.

mod contracts;
mod diff;
mod github;
mod gitlab;
mod human;
mod init;
mod json;
mod junit;
mod list;
mod markdown;
mod plain;
mod rustc;
mod sarif;
mod short;
#[cfg(test)]
mod tests;
mod wire;

use crate::findings::Report;

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// snippets with labels
    Human,
    /// one line for each finding
    Short,
    /// the tool's own JSON
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// annotations of GitHub Actions
    Github,
    /// a code quality report for GitLab
    Gitlab,
    /// a JUnit test report
    Junit,
    /// a summary table
    Markdown,
    /// rustc's diagnostics, one a line
    Rustc,
}

/// How to render.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// colour and Unicode, for human
    pub color: bool,
    /// notes too, for human and short
    pub notes: bool,
    /// columns of the terminal, for human
    pub width: usize,
}

impl Format {
    /// The formats of `--format` with their words.
    pub const ALL: [(&'static str, Self); 8] = [
        ("human", Self::Human),
        ("short", Self::Short),
        ("json", Self::Json),
        ("sarif", Self::Sarif),
        ("github", Self::Github),
        ("gitlab", Self::Gitlab),
        ("junit", Self::Junit),
        ("markdown", Self::Markdown),
    ];

    /// Whether people read it: then notes are hidden unless asked for.
    pub fn for_people(self) -> bool {
        matches!(self, Self::Human | Self::Short)
    }
}

/// The report in a format, with a final line end.
pub fn render(report: &Report, format: Format, options: Options) -> String {
    match format {
        Format::Human => human::render(report, options),
        Format::Short => short::render(report, options),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Gitlab => gitlab::render(report),
        Format::Junit => junit::render(report),
        Format::Markdown => markdown::render(report),
        Format::Rustc => rustc::render(report),
    }
}

pub use contracts::contracts;
pub use diff::{DiffFormat, diff};
pub use init::{first_configuration, proposals};
pub use list::list;
pub use plain::{closing, neutral};
