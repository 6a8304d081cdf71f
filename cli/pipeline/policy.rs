//! What configuration and contracts say about findings.

use super::Analysis;
use crate::config::{AllowTarget, Config};
use crate::findings::{AllowEntry, AllowScope, LevelEntry, Policy};
use crate::source::Span;

/// Levels and suppressions of `effects.toml` and of all contracts, and on top the levels of the command line.
pub fn policy(analysis: &Analysis, command_line: Vec<LevelEntry>, today: Option<String>) -> Policy {
    combined(&analysis.config, of_contracts(analysis), command_line, today)
}

/// The same where the suppressions of contracts are known already.
pub(super) fn combined(
    config: &Config,
    of_contracts: Vec<AllowEntry>,
    command_line: Vec<LevelEntry>,
    today: Option<String>,
) -> Policy {
    let mut levels = of_file(config);
    levels.extend(command_line);
    let mut allows = tables(config);
    allows.extend(of_contracts);
    Policy { levels, allows, today, ..Policy::default() }
}

fn of_file(config: &Config) -> Vec<LevelEntry> {
    let settings = config.levels.iter();
    settings
        .map(|setting| LevelEntry {
            rule: setting.rule.clone(),
            level: setting.level,
            place: Some(config.place(setting.range)),
        })
        .collect()
}

fn tables(config: &Config) -> Vec<AllowEntry> {
    let tables = config.allows.iter();
    tables
        .map(|table| AllowEntry {
            rule: table.rule.clone(),
            scope: match &table.target {
                AllowTarget::Item(item) => AllowScope::Item(item.clone()),
                AllowTarget::File(file) => AllowScope::File(file.clone()),
            },
            reason: table.reason.clone(),
            until: table.until.clone(),
            owner: table.owner.clone(),
            place: config.place(table.range),
        })
        .collect()
}

/// The suppressions of attributes and of `[[effect]]` tables.
pub(super) fn of_contracts(analysis: &Analysis) -> Vec<AllowEntry> {
    let mut entries = Vec::new();
    for contract in &analysis.contracts {
        let function = analysis.program.function(contract.function);
        for (allow, place) in &contract.allows {
            entries.push(AllowEntry {
                rule: allow.rule.clone(),
                scope: AllowScope::Handler {
                    item: Span::new(function.file, function.ir.range),
                    path: contract.handler.clone(),
                },
                reason: allow.reason.clone(),
                until: allow.until.clone(),
                owner: allow.owner.clone(),
                place: place.clone(),
            });
        }
    }
    entries
}
