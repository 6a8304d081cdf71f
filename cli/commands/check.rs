//! `check`: findings in the chosen format.

use std::io::Read;
use std::path::Path;

use clap::ArgMatches;

use super::args::{self, LEVELS};
use super::changed::Changed;
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::findings::{Level, LevelEntry, Policy, Report};
use crate::render::{self, Format, Options};
use crate::rules;
use crate::source::Workspace;

/// Lines of a snippet are wrapped here; a terminal's own width would make the bytes depend on it.
const WIDTH: usize = 100;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let format = format(matches);
    let fail_on = matches
        .get_one::<String>("fail-on")
        .and_then(|word| Level::parse(word));
    let mut policy = Policy {
        today: Some(today(matches)?),
        ..Policy::default()
    };
    policy.levels.extend(levels(matches)?);
    let analysis = super::load::analyse(matches, &mut policy, output)?;
    let mut report = analysis.check(&policy);
    if matches.get_one::<String>("changed-lines").is_some() {
        let changed = changed_lines(&analysis.workspace)?;
        report.retain(|finding| changed.touches(finding));
    }
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

fn format(matches: &ArgMatches) -> Format {
    if matches.get_one::<String>("message-format").is_some() {
        return Format::Rustc;
    }
    let chosen = matches.get_one::<String>("format");
    chosen
        .and_then(|word| Format::ALL.into_iter().find(|(name, _)| name == word))
        .map_or(Format::Human, |(_, format)| format)
}

/// An empty diff, or one that has nothing to do with what was read, is more likely a broken pipeline than a change
/// without lines: to pass it would be to check nothing, silently.
fn changed_lines(workspace: &Workspace) -> Result<Changed, Failure> {
    let mut diff = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut diff)
        .map_err(|error| {
            Failure::new(format!(
                "the diff could not be read from standard input: {error}"
            ))
        })?;
    let changed = Changed::parse(&String::from_utf8_lossy(&diff));
    let sources = workspace.files.iter().map(|file| file.path.as_str());
    let texts = workspace.texts.iter().map(|(path, _)| path.as_str());
    let changed = changed.for_files(sources.chain(texts), &repository_prefix(&workspace.root));
    if changed.is_empty() {
        return Err(Failure::new(
            "the diff on standard input adds no line to a file that was read; write it with `git diff <base>`, or leave \
             out `--changed-lines`",
        ));
    }
    Ok(changed)
}

/// The way from the top of the repository to the workspace root, with a final `/` unless they are one.
fn repository_prefix(root: &Path) -> String {
    let Some(top) = root.ancestors().find(|folder| folder.join(".git").exists()) else {
        return String::new();
    };
    let inside = root.strip_prefix(top).unwrap_or(Path::new(""));
    inside
        .components()
        .map(|part| format!("{}/", part.as_os_str().to_string_lossy()))
        .collect()
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
