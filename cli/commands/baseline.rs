//! `baseline`: takes note of the present findings, so that `check --fail-on-new` gates on later ones.

use std::path::{Path, PathBuf};

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::levels::Said;
use super::output::Output;
use super::{args, file, load};
use crate::config::Config;
use crate::findings::{Baseline, Report};
use crate::source::Workspace;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let said = Said::new(matches)?;
    let loaded = load::one(matches, output)?;
    let (workspace, config) = (&loaded.analysis.workspace, &loaded.analysis.config);
    let judgement = loaded.analysis.judge();
    let policy = said.policy(&judgement, config);
    let report = judgement.report(workspace, &policy);
    let earlier = read(workspace, config)?;
    let judged = judged(workspace);
    let stale = earlier.stale(&report, &judged);
    let mut baseline = Baseline::of(&report);
    baseline.keep(earlier, &judged);
    file::replace(&path(workspace, config), &baseline.text())
        .map_err(|error| Failure::new(format!("{} could not be written: {error}", shown(config))))?;
    for entry in &stale {
        output.say(&format!("pruned, since it is gone: {entry}\n"));
    }
    let findings = report.findings.len();
    let noun = if findings == 1 { "finding" } else { "findings" };
    output.say(&format!(
        "{findings} {noun} written to {}
",
        shown(config)
    ));
    Ok(Exit::Success)
}

/// The baseline on disk; without a file nothing is known.
pub(super) fn read(workspace: &Workspace, config: &Config) -> Result<Baseline, Failure> {
    match std::fs::read_to_string(path(workspace, config)) {
        Ok(text) => Baseline::parse(&text).map_err(|error| Failure::new(format!("{}: {error}", shown(config)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Baseline::default()),
        Err(error) => Err(Failure::new(format!("{} could not be read: {error}", shown(config)))),
    }
}

/// Says which entries stand for nothing any more.
pub(super) fn say_stale(baseline: &Baseline, report: &Report, workspace: &Workspace, output: &mut Output) {
    for entry in baseline.stale(report, &judged(workspace)) {
        output.say(&format!(
            "warning: the baseline lists a finding that is gone: {entry}; `cargo effects baseline` prunes it\n"
        ));
    }
}

/// Whether this run judged a file: it is reported, or it is gone.
fn judged(workspace: &Workspace) -> impl Fn(&str) -> bool {
    |path| match workspace.files.binary_search_by(|file| file.path.as_str().cmp(path)) {
        Ok(at) => workspace.files[at].reported,
        Err(_) => true,
    }
}

fn shown(config: &Config) -> &str {
    config.baseline.as_deref().unwrap_or("effects-baseline.toml")
}

fn path(workspace: &Workspace, config: &Config) -> PathBuf {
    workspace.root.join(Path::new(shown(config)))
}
