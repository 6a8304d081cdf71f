//! `check`: findings in the chosen format.

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::load::{self, Loaded};
use super::output::Output;
use super::{args, baseline, changed, levels};
use crate::findings::{Level, Policy, Report};
use crate::pipeline;
use crate::render::{self, Format, Options};

/// Lines of a snippet are wrapped here; a terminal's own width would make the bytes depend on it.
const WIDTH: usize = 100;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let loaded = load::all(matches, output)?;
    let mut report = Report::default();
    for loaded in &loaded {
        let baseline = baseline::read(loaded)?;
        let mut policy = policy(matches, loaded)?;
        policy.baseline = baseline.fingerprints();
        let found = loaded.analysis.check(&policy);
        baseline::say_stale(&baseline, &found, &loaded.analysis.workspace, output);
        report.merge(found, &loaded.prefix);
    }
    if matches.get_one::<String>("changed-lines").is_some() {
        let changed = changed::read(&loaded)?;
        report.retain(|finding| changed.touches(finding));
    }
    write(
        &report,
        format(matches),
        matches.get_count("verbose") > 0,
        output,
    )?;
    let fail_on = matches
        .get_one::<String>("fail-on")
        .and_then(|word| Level::parse(word));
    let new_only = matches.get_flag("fail-on-new");
    let failed = fail_on.is_some_and(|level| report.reaches(level, new_only));
    Ok(if failed {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// What configuration, contracts and command line say about findings.
pub(super) fn policy(matches: &ArgMatches, loaded: &Loaded) -> Result<Policy, Failure> {
    let levels = levels::levels(matches)?;
    let today = levels::today(matches)?;
    Ok(pipeline::policy(&loaded.analysis, levels, Some(today)))
}

fn write(report: &Report, format: Format, notes: bool, output: &mut Output) -> Result<(), Failure> {
    let options = Options {
        color: output.colored(),
        notes,
        width: WIDTH,
    };
    output.result(&render::render(report, format, options))?;
    output.say(&render::closing(report, notes || !format.for_people()));
    Ok(())
}

fn format(matches: &ArgMatches) -> Format {
    if matches.get_one::<String>("message-format").is_some() {
        return Format::Rustc;
    }
    let chosen = matches.get_one::<String>("format");
    chosen
        .and_then(|word| Format::ALL.into_iter().find(|(name, _)| name == word))
        .map_or(Format::Human, |(_, format)| format)
}
