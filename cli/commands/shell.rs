//! `completions` and `man`: what a shell and a manual reader need, made from the argument definitions.

use clap::ArgMatches;
use clap_complete::Shell;

use super::args;
use super::exit::{Exit, Failure};
use super::output::Output;

pub(super) fn completions(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Err(Failure::new("name the shell that the completions are for"));
    };
    let mut text = Vec::new();
    clap_complete::generate(*shell, &mut args::command(), "cargo-effects", &mut text);
    output.result(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Success)
}

pub(super) fn man(output: &mut Output) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(args::command())
        .render(&mut text)
        .map_err(|error| Failure::new(format!("the manual page could not be made: {error}")))?;
    output.result(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Success)
}
