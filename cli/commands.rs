//! The command line: one file for each subcommand.
//!
//! In: arguments. Out: text on standard output and standard error, files where a command says so, an exit code. Besides
//! `source` and `cache` only this module touches disk, environment and standard streams; what it decides is how a run is started
//! and how it ends, never what is a violation.
#![expect(clippy::disallowed_methods, reason = "this is where the program meets its surroundings")]

mod args;
mod asked;
mod baseline;
mod changed;
mod check;
mod diff;
mod docs;
mod exit;
mod explain;
mod file;
mod init;
mod judged;
mod levels;
mod list;
mod load;
mod output;
mod rules;
mod shell;

use std::ffi::OsString;
use std::process::ExitCode;

use exit::{Exit, Failure};
use output::Output;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let mut output = Output::standard();
    let exit = run(std::env::args_os().collect(), &mut output);
    ExitCode::from(exit as u8)
}

/// Runs a command. Cargo calls `cargo-effects effects …` for `cargo effects …`.
fn run(mut arguments: Vec<OsString>, output: &mut Output) -> Exit {
    if arguments.get(1).is_some_and(|first| first == "effects") {
        arguments.remove(1);
    }
    let matches = match args::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return output.clap(&error),
    };
    let result = dispatch(&matches, output);
    match result {
        Ok(exit) => exit,
        Err(failure) => {
            output.failure(&failure);
            Exit::Failure
        }
    }
}

fn dispatch(matches: &clap::ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    let Some((name, inner)) = matches.subcommand() else {
        return check::run(matches, output);
    };
    args::nothing_before(matches, name)?;
    match name {
        "check" => check::run(inner, output),
        "baseline" => baseline::run(inner, output),
        "diff" => diff::run(inner, output),
        "docs" => docs::run(inner, output),
        "init" => init::run(inner, output),
        "list" => list::list(inner, output),
        "contracts" => list::contracts(inner, output),
        "explain" => explain::run(inner, output),
        "rules" => rules::run(output),
        "completions" => shell::completions(inner, output),
        "man" => shell::man(output),
        other => Err(Failure::new(format!("no command is named `{other}`"))),
    }
}
