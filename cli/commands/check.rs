//! `check`: findings in the chosen format.

use clap::ArgMatches;

use super::args::{self, LEVELS};
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::findings::{Level, LevelEntry, Policy, Report};
use crate::render::{self, Format, Options};
use crate::rules;

/// Lines of a snippet are wrapped here; a terminal's own width would make the bytes depend on it.
const WIDTH: usize = 100;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let format = format(matches, output);
    let fail_on = matches
        .get_one::<String>("fail-on")
        .and_then(|word| Level::parse(word));
    let mut policy = Policy {
        today: Some(today(matches)?),
        ..Policy::default()
    };
    policy.levels.extend(levels(matches)?);
    let analysis = super::load::analyse(matches, &mut policy, output)?;
    let report = analysis.check(&policy);
    write(&report, format, matches.get_count("verbose") > 0, output)?;
    let failed = fail_on.is_some_and(|level| report.reaches(level, false));
    Ok(if failed {
        Exit::Findings
    } else {
        Exit::Success
    })
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

fn format(matches: &ArgMatches, _output: &Output) -> Format {
    let chosen = matches.get_one::<String>("format");
    chosen
        .and_then(|word| Format::ALL.into_iter().find(|(name, _)| name == word))
        .map_or(Format::Human, |(_, format)| format)
}

fn today(matches: &ArgMatches) -> Result<String, Failure> {
    match matches.get_one::<String>("today") {
        Some(text) => match text.parse::<jiff::civil::Date>() {
            Ok(date) => Ok(date.to_string()),
            Err(_) => Err(Failure::new(format!(
                "`--today {text}` is no date; write it as 2027-06-30"
            ))),
        },
        None => {
            let now = jiff::Timestamp::now();
            Ok(now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
        }
    }
}

/// Levels in the order given on the command line, so that a later one wins.
fn levels(matches: &ArgMatches) -> Result<Vec<LevelEntry>, Failure> {
    let mut entries = Vec::new();
    for (word, _, _) in LEVELS {
        let Some(level) = Level::parse(word) else {
            continue;
        };
        let names = matches.get_many::<String>(word).into_iter().flatten();
        let indices = matches.indices_of(word).into_iter().flatten();
        for (name, index) in names.zip(indices) {
            let rule = name.replace('_', "-");
            if !rules::is_known(&rule) {
                let hint = match rules::nearest(&rule) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`cargo effects rules` lists all rules".to_owned(),
                };
                return Err(Failure::new(format!(
                    "`--{word} {name}`: no rule is named so; {hint}"
                )));
            }
            let place = None;
            entries.push((index, LevelEntry { rule, level, place }));
        }
    }
    entries.sort_by_key(|(index, _)| *index);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}
