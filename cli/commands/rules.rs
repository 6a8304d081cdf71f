//! `rules`: all rules with group, default level and summary.

use std::fmt::Write;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::rules::RULES;

pub(super) fn run(output: &mut Output) -> Result<Exit, Failure> {
    let mut rules: Vec<_> = RULES.iter().collect();
    rules.sort_by_key(|rule| (rule.group, rule.precedence()));
    let name_width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in rules {
        let group = rule.group.as_str();
        let level = rule.default_level.as_str();
        let _ = writeln!(text, "{group:<9} {:<name_width$} {level:<5} {}", rule.name, rule.summary);
    }
    output.result(&text)?;
    Ok(Exit::Success)
}
