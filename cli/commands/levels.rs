//! What the command line says about findings: the day, and levels of rules.

use clap::ArgMatches;

use super::args::LEVELS;
use super::exit::Failure;
use crate::config::Config;
use crate::findings::{Level, LevelEntry, Policy};
use crate::pipeline::Judgement;
use crate::rules;

/// The command line's part of a policy.
pub(super) struct Said {
    levels: Vec<LevelEntry>,
    today: String,
}

impl Said {
    /// What the arguments say.
    pub(super) fn new(matches: &ArgMatches) -> Result<Self, Failure> {
        Ok(Self { levels: levels(matches)?, today: today(matches)? })
    }

    /// Together with what configuration and contracts of a workspace say.
    pub(super) fn policy(&self, judgement: &Judgement, config: &Config) -> Policy {
        judgement.policy(config, self.levels.clone(), Some(self.today.clone()))
    }
}

/// `--today`, else the clock's day in UTC.
fn today(matches: &ArgMatches) -> Result<String, Failure> {
    match matches.get_one::<String>("today") {
        Some(text) => match text.parse::<jiff::civil::Date>() {
            Ok(date) => Ok(date.to_string()),
            Err(_) => Err(Failure::new(format!("`--today {text}` is no date; write it as 2027-06-30"))),
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
                return Err(Failure::new(format!("`--{word} {name}`: no rule is named so; {hint}")));
            }
            let place = None;
            entries.push((index, LevelEntry { rule, level, place }));
        }
    }
    entries.sort_by_key(|(index, _)| *index);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}
