//! `check`: findings in the chosen format.

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::levels::Said;
use super::output::Output;
use super::{args, baseline, changed, judged, load};
use crate::findings::{Level, Report};
use crate::render::{self, Format, Options};

/// Lines of a snippet are wrapped here; a terminal's own width would make the bytes depend on it.
const WIDTH: usize = 100;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    // what is misspelt is said before anything is read
    let said = Said::new(matches)?;
    let mut loaded = judged::all(matches, output)?;
    if matches.get_flag("repository-paths") {
        load::from_repository(&mut loaded)?;
    }
    let mut report = Report::default();
    let packages: Vec<&str> = matches.get_many("package").into_iter().flatten().map(String::as_str).collect();
    for loaded in &mut loaded {
        let judged = &mut loaded.analysis;
        let baseline = baseline::read(&judged.workspace, &judged.config)?;
        let judgement = std::mem::take(&mut judged.judgement);
        let mut policy = said.policy(&judgement, &judged.config);
        policy.baseline = baseline.fingerprints();
        let found = judgement.report(&judged.workspace, &policy);
        baseline::say_stale(&baseline, &found, &judged.workspace, output);
        report.merge(found, &loaded.prefix);
        report.scope.push_str(&loaded.scope(&packages));
    }
    if matches.get_one::<String>("changed-lines").is_some() {
        let changed = changed::read(&loaded)?;
        report.retain(|finding| changed.touches(finding));
    }
    write(&report, format(matches), matches.get_count("verbose") > 0, output)?;
    let fail_on = matches.get_one::<String>("fail-on").and_then(|word| Level::parse(word));
    let new_only = matches.get_flag("fail-on-new");
    let failed = fail_on.is_some_and(|level| report.reaches(level, new_only));
    // The process ends here: the system takes its memory back faster than it can be given back piece by piece.
    std::mem::forget(loaded);
    Ok(if failed { Exit::Findings } else { Exit::Success })
}

fn write(report: &Report, format: Format, notes: bool, output: &mut Output) -> Result<(), Failure> {
    let options = Options { color: output.colored(), notes, width: WIDTH };
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
