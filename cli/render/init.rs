//! Proposals for people: each with the attribute to paste, and what a first `effects.toml` holds.

use std::fmt::Write;

use effect_contracts_grammar::EffectKind;

use super::plain::{line, neutral};
use crate::propose::{Proposal, attribute, table};

/// All proposals in their order, each with its attribute; with its table, too, where the attribute cannot stand or the
/// tables go nowhere else.
pub fn proposals(proposals: &[Proposal], tables: bool) -> String {
    let mut out = String::new();
    for (number, proposal) in (1..).zip(proposals) {
        let Proposal { handler, file, line: at, .. } = proposal;
        let _ = writeln!(out, "{number}. {} ({}:{at})", line(handler), line(file));
        let _ = writeln!(out, "   {}\n", line(&about(proposal)));
        if proposal.attachable {
            out.push_str(&neutral(&attribute(proposal)));
        }
        if tables || !proposal.attachable {
            if proposal.attachable {
                out.push('\n');
            }
            out.push_str(&neutral(&table(proposal)));
        }
        out.push('\n');
    }
    out
}

/// `payment by create at stripe-v1; key per-attempt; 2 findings`
fn about(proposal: &Proposal) -> String {
    let kind = if proposal.kind == EffectKind::Other { "effect" } else { proposal.kind.as_str() };
    let provider = proposal.contract.provider.as_deref().unwrap_or("a provider that is not known");
    let mut out = kind.to_owned();
    if !proposal.calls.is_empty() {
        let _ = write!(out, " by {}", proposal.calls.join(", "));
    }
    let _ = write!(out, " at {provider}");
    let _ = match proposal.key {
        "missing" => write!(out, "; no key is sent"),
        "not-carried" => write!(out, "; the call carries no key"),
        key => write!(out, "; key {key}"),
    };
    match proposal.findings {
        0 => {}
        1 => out.push_str("; 1 finding"),
        count => {
            let _ = write!(out, "; {count} findings");
        }
    }
    if proposal.lookups.len() > 1 {
        let _ = write!(out, "; lookups may be {}", proposal.lookups.join(", "));
    }
    if !proposal.attachable {
        out.push_str("; made by a macro, so it cannot carry the attribute");
    }
    out
}

/// The first `effects.toml` of a workspace.
pub fn first_configuration(proposals: &[Proposal]) -> String {
    let mut out = String::from(START);
    if proposals.is_empty() {
        return out;
    }
    out.push_str(INTRODUCTION);
    for proposal in proposals {
        out.push_str("#\n");
        for line in table(proposal).lines() {
            let _ = writeln!(out, "# {line}");
        }
    }
    out
}

const START: &str = r#"#:schema https://raw.githubusercontent.com/effect-contracts/effect-contracts/main/schemas/effects.schema.json
# What `cargo effects` knows beyond the source. `#[effect(…)]` on a function says the same, and wins.
version = 1

# Facts of every effect whose contract says nothing else. Take the marks away where they are true.
[defaults]
# delivery = "at_least_once"
# replay_horizon = "7d"
# boundary = "postgres: orders"
# record = "orders"
# evidence_retention = "400d"
# operator = "docs/unknown-outcomes.md"
"#;

const INTRODUCTION: &str = r#"
# Effects in the source that no contract speaks of, the most consequential first. Each table is a start and no claim: check
# it, complete it and take the marks away, or put the attribute on the function that `cargo effects init` prints.
"#;
