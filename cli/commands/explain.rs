//! `explain RULE`: the page of a rule.

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::rules;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    let name = matches.get_one::<String>("rule").map_or("", String::as_str);
    // contracts spell rules in snake case
    let kebab = name.replace('_', "-");
    let Some(rule) = rules::find(&kebab) else {
        let hint = match rules::nearest(&kebab).filter(|near| rules::find(near).is_some()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`cargo effects rules` lists all rules".to_owned(),
        };
        return Err(Failure::new(format!("no rule is named `{name}`; {hint}")));
    };
    output.result(rule.doc)?;
    Ok(Exit::Success)
}
