//! The definitions of all arguments.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};

use super::exit::Failure;
use super::output::Color;
use crate::render::{DiffFormat, Format};

/// The options that set the level of a rule, with the level's word.
pub(super) const LEVELS: [(&str, char, &str); 4] = [
    ("allow", 'A', "Do not report this rule"),
    ("note", 'N', "Report this rule as a note at most"),
    ("warn", 'W', "Report this rule as a warning at most"),
    ("deny", 'D', "Report this rule as denied where it is certain"),
];

/// The version, and the commit where the build knows it.
const VERSION: &str = if env!("EFFECTS_BUILD").is_empty() {
    env!("CARGO_PKG_VERSION")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("EFFECTS_BUILD"), ")")
};

/// The whole command line.
pub(super) fn command() -> Command {
    let root = Command::new("cargo-effects")
        .bin_name("cargo effects")
        .version(VERSION)
        .about("Checks, documents and compares the guarantee contracts of external effects")
        .after_help(
            "Examples:\n  cargo effects\n  cargo effects check --workspace --fail-on warn\n  git diff origin/main | cargo \
             effects check --changed-lines -\n  cargo effects init\n  cargo effects diff origin/main --fail-on \
             weakened\n\nWithout a command: check.\nExit status: 0 nothing at or above --fail-on, 1 findings, 2 the run \
             failed.",
        )
        .disable_help_subcommand(true)
        .subcommand(
            check_options(Command::new("check"))
                .about("Report where code or contract break the guarantee")
                .arg(paths()),
        )
        .subcommand(
            workspace_options(Command::new("list"))
                .about("List every handler, declared or found, with the verdict on its key")
                .arg(path()),
        )
        .subcommand(
            workspace_options(Command::new("contracts"))
                .about("Write contracts and derived guarantees as JSON")
                .arg(path()),
        )
        .subcommand(
            workspace_options(Command::new("docs"))
                .about("Write the guarantee document and fill the tables in listed files")
                .arg(
                    Arg::new("check")
                        .long("check")
                        .action(ArgAction::SetTrue)
                        .help("Write nothing; show what is stale, and exit with 1 if anything is"),
                )
                .arg(
                    Arg::new("out")
                        .long("out")
                        .value_name("FILE")
                        .value_hint(ValueHint::FilePath)
                        .help("Write one document to this file, whatever effects.toml says"),
                )
                .arg(path()),
        )
        .subcommand(diff())
        .subcommand(
            workspace_options(Command::new("init"))
                .about("Propose contracts for effects without one, and write a first effects.toml")
                .arg(path())
                .after_help(
                    "The proposals go to standard output, the most consequential first: payments before messages, many \
                     findings before few. effects.toml is only written where there is none.\n\nExamples:\n  cargo \
                     effects init\n  cargo effects init --workspace > proposals.txt",
                ),
        )
        .subcommand(
            level_options(workspace_options(Command::new("baseline")))
                .about("Take note of the present findings, so that `check --fail-on-new` gates on later ones")
                .arg(path()),
        )
        .subcommand(
            Command::new("explain")
                .about("Show the page of a rule")
                .arg(Arg::new("rule").value_name("RULE").required(true).help("Name of the rule")),
        )
        .subcommand(Command::new("rules").about("List all rules"))
        .subcommand(
            Command::new("completions").about("Write completions for a shell").arg(
                Arg::new("shell")
                    .value_name("SHELL")
                    .required(true)
                    .value_parser(value_parser!(clap_complete::Shell))
                    .help("Which shell"),
            ),
        )
        .subcommand(Command::new("man").about("Write the manual page"));
    check_options(root)
}

fn diff() -> Command {
    workspace_options(Command::new("diff"))
        .about("Compare the guarantees of an earlier revision with those of the working tree")
        .arg(
            Arg::new("base")
                .value_name("BASE")
                .required(true)
                .value_hint(ValueHint::Other)
                .help("Git revision, or file that `cargo effects contracts` wrote; nothing is checked out"),
        )
        .arg(
            Arg::new("fail-on")
                .long("fail-on")
                .value_name("CHANGE")
                .value_parser(PossibleValuesParser::new(["weakened"]))
                .help("Exit with 1 if a guarantee is weakened"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .default_value("human")
                .value_parser(PossibleValuesParser::new(DiffFormat::ALL.map(|(word, _)| word)))
                .help("How the comparison is written; markdown is for the comment on a pull request"),
        )
        .arg(path())
        .after_help(
            "Examples:\n  cargo effects diff HEAD\n  cargo effects diff origin/main --fail-on weakened\n  \
             cargo effects diff \"$(git merge-base origin/main HEAD)\" --format markdown\n  cargo effects contracts > \
             released.json && cargo effects diff released.json\n\nExit status: 0 compared, 1 weakened with --fail-on, 2 \
             something could not be compared.",
        )
}

fn paths() -> Arg {
    Arg::new("paths")
        .value_name("PATH")
        .num_args(0..)
        .value_hint(ValueHint::AnyPath)
        .value_parser(value_parser!(std::path::PathBuf))
        .help("Folders with a Cargo.toml, or single .rs files")
}

fn path() -> Arg {
    paths().num_args(0..=1).help("Folder with a Cargo.toml, or single .rs file")
}

/// Refuses options in front of a command, which would otherwise be ignored.
pub(super) fn nothing_before(matches: &ArgMatches, name: &str) -> Result<(), Failure> {
    let given = matches.ids().find(|id| {
        let source = matches.value_source(id.as_str());
        source == Some(clap::parser::ValueSource::CommandLine)
    });
    match given {
        Some(id) => Err(Failure::new(format!(
            "`--{id}` stands in front of the command `{name}`; write it behind: `cargo effects {name} --{id} …`"
        ))),
        None => Ok(()),
    }
}

/// Which packages, from where.
pub(super) fn workspace_options(command: Command) -> Command {
    let heading = "Package selection";
    command
        .arg(
            Arg::new("manifest-path")
                .long("manifest-path")
                .value_name("PATH")
                .value_hint(ValueHint::FilePath)
                .value_parser(value_parser!(std::path::PathBuf))
                .help("Cargo.toml to start from")
                .help_heading(heading),
        )
        .arg(
            Arg::new("package")
                .short('p')
                .long("package")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Report on this member of the workspace")
                .help_heading(heading),
        )
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .action(ArgAction::SetTrue)
                .help("Report on all members of the workspace")
                .help_heading(heading),
        )
        .arg(
            Arg::new("exclude")
                .long("exclude")
                .value_name("NAME")
                .action(ArgAction::Append)
                .requires("workspace")
                .help("With --workspace: all members but this one")
                .help_heading(heading),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .value_parser(value_parser!(std::path::PathBuf))
                .help("Configuration instead of effects.toml at the workspace root"),
        )
        .arg(
            Arg::new("offline")
                .long("offline")
                .action(ArgAction::SetTrue)
                .help("Accepted as cargo's own; the network is never used"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
                .help("Colour the output"),
        )
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .action(ArgAction::SetTrue)
                .conflicts_with("verbose")
                .help("Only findings: no summary, no warnings about the run"),
        )
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count).help("Show notes too"))
        .arg(
            Arg::new("jobs")
                .short('j')
                .long("jobs")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("Threads; all processors by default"),
        )
}

fn check_options(command: Command) -> Command {
    let command = workspace_options(command)
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(Format::ALL.map(|(word, _)| word)))
                .help("How findings are written; machine formats always carry all of them"),
        )
        .arg(
            Arg::new("message-format")
                .long("message-format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(["json"]))
                .conflicts_with("format")
                .help("rustc's diagnostics as JSON, one a line, for editors"),
        )
        .arg(
            Arg::new("repository-paths")
                .long("repository-paths")
                .action(ArgAction::SetTrue)
                .help("Name files from the root of the repository, as code hosts want them, not of the workspace"),
        )
        .arg(
            Arg::new("changed-lines")
                .long("changed-lines")
                .value_name("-")
                .value_parser(PossibleValuesParser::new(["-"]))
                .help("Only findings on lines that the unified diff on standard input adds"),
        )
        .arg(
            Arg::new("fail-on")
                .long("fail-on")
                .value_name("LEVEL")
                .default_value("deny")
                .value_parser(PossibleValuesParser::new(["deny", "warn", "note"]))
                .help("Exit with 1 from this level on"),
        )
        .arg(
            Arg::new("fail-on-new")
                .long("fail-on-new")
                .action(ArgAction::SetTrue)
                .help("Findings of the baseline do not count for --fail-on"),
        )
        .arg(
            Arg::new("no-cache")
                .long("no-cache")
                .action(ArgAction::SetTrue)
                .help("Neither read nor write what a run over the same files found"),
        );
    level_options(command)
}

/// What decides about findings, wherever they are made.
fn level_options(command: Command) -> Command {
    let mut command = command.arg(
        Arg::new("today")
            .long("today")
            .value_name("YYYY-MM-DD")
            .help("The day on which suppressions expire, instead of the clock's"),
    );
    for (word, short, help) in LEVELS {
        command = command.arg(
            Arg::new(word)
                .short(short)
                .long(word)
                .value_name("RULE")
                .action(ArgAction::Append)
                .help(help)
                .help_heading("Levels"),
        );
    }
    command
}

/// `--color`, if given.
pub(super) fn color(matches: &ArgMatches) -> Option<Color> {
    Color::parse(matches.get_one::<String>("color")?)
}
