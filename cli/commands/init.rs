//! `init`: takes stock of effects without a contract, proposes one for each, and writes a first `effects.toml`.

use std::collections::BTreeMap;

use clap::ArgMatches;

use super::asked::CONFIG;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::{args, file, load};
use crate::pipeline::{self, Analysis};
use crate::propose::{self, propose};
use crate::render;
use crate::rules::Group;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let loaded = load::one(matches, output)?;
    let analysis = &loaded.analysis;
    let findings = findings(analysis);
    let proposals = propose(propose::Known {
        workspace: &analysis.workspace,
        program: &analysis.program,
        catalog: &analysis.catalog,
        contracts: &analysis.contracts,
        flow: &analysis.flow,
        findings: &findings,
    });
    // a file on its own has no configuration but the one that is named
    let wants_file = !loaded.is_lone() && !matches.contains_id("config");
    let path = analysis.workspace.root.join(CONFIG);
    let written = wants_file
        && file::create(&path, &render::first_configuration(&proposals))
            .map_err(|error| Failure::new(format!("{CONFIG} could not be written: {error}")))?;
    output.result(&render::proposals(&proposals, !written))?;
    if written {
        output.say(&format!("wrote {CONFIG}\n"));
    } else if wants_file {
        output.say(&format!("{CONFIG} is there already and stays as it is\n"));
    }
    output.say(&match proposals.len() {
        0 if analysis.contracts.is_empty() => format!(
            "no effect was recognised in {}; calls that only this application knows, such as those of its own clients, are \
             named by `[[dispatch]]` in {CONFIG}\n",
            match analysis.workspace.files.len() {
                1 => "1 file".to_owned(),
                count => format!("{count} files"),
            },
        ),
        0 => "every recognised effect has a contract\n".to_owned(),
        1 => format!("1 function performs an effect without a contract; {NEXT}\n"),
        count => format!("{count} functions perform effects without a contract; {NEXT}\n"),
    });
    Ok(Exit::Success)
}

const NEXT: &str = "add the attribute's crate with `cargo add effect-contracts`, and ask `cargo effects check` again";

/// How many findings each item has, those left out that only say that something is not declared or not proven.
fn findings(analysis: &Analysis) -> BTreeMap<String, usize> {
    let report = analysis.check(&pipeline::policy(analysis, Vec::new(), None));
    let mut counts = BTreeMap::new();
    for finding in &report.findings {
        let counts_here = !matches!(finding.rule.group, Group::Coverage | Group::Docs | Group::Evidence | Group::Meta);
        if let (true, Some(handler)) = (counts_here, &finding.handler) {
            *counts.entry(handler.clone()).or_default() += 1;
        }
    }
    counts
}
