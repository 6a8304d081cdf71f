//! `diff`: the guarantees of an earlier revision, or of a saved file, against those of the working tree.

use std::path::Path;

use clap::ArgMatches;

use super::args;
use super::exit::{Exit, Failure};
use super::load::{self, Loaded};
use super::output::Output;
use crate::diff::{Change, Comparison, Snapshot, compare, unanswerable};
use crate::render::{self, DiffFormat};
use crate::source::Revision;

pub(super) fn run(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let base = matches.get_one::<String>("base").map(String::as_str).unwrap_or_default();
    let loaded = load::one(matches, output)?;
    let now = loaded.snapshot();
    let comparison = match earlier(base, &loaded, matches, output) {
        Ok(then) => compare(base, &then, &now),
        Err(reason) => unanswerable(base, &now, &reason),
    };
    output.result(&render::diff(&comparison, format(matches)))?;
    if let Some(reason) = &comparison.unanswerable {
        output.failure(&Failure::new(format!("nothing was compared: {reason}")));
    }
    Ok(exit(&comparison, matches.contains_id("fail-on")))
}

/// An answer with a gap is no answer: whoever gates on it must see that first.
fn exit(comparison: &Comparison, gates: bool) -> Exit {
    if comparison.is_incomplete() {
        Exit::Failure
    } else if gates && comparison.count(Change::Weakened) > 0 {
        Exit::Findings
    } else {
        Exit::Success
    }
}

/// The guarantees of the base, or why they cannot be known.
fn earlier(base: &str, loaded: &Loaded, matches: &ArgMatches, output: &mut Output) -> Result<Snapshot, String> {
    // a revision that has the name of a file can be written in full, as in refs/heads/name
    if Path::new(base).is_file() {
        let text = std::fs::read_to_string(base).map_err(|error| format!("`{base}` could not be read: {error}"))?;
        return Snapshot::parse(&text).map_err(|why| format!("`{base}` cannot be compared with: {why}"));
    }
    if loaded.is_lone() {
        return Err(
            "a file on its own can only be compared with a file that `cargo effects contracts` wrote".to_owned()
        );
    }
    let revision = Revision::open(loaded.repository(), base)?;
    for folder in revision.submodules() {
        output.say(&format!("warning: at `{base}`: `{folder}` is a submodule, whose files are not compared\n"));
    }
    let mut warn = |warning: &str| output.say(&format!("warning: at `{base}`: {warning}\n"));
    let analysis = loaded
        .at(&revision, matches, &mut warn)
        .map_err(|failure| format!("the workspace cannot be read at the revision `{base}`: {}", failure.message))?;
    Ok(loaded.snapshot_of(&analysis, &revision))
}

fn format(matches: &ArgMatches) -> DiffFormat {
    let chosen = matches.get_one::<String>("format");
    let known = chosen.and_then(|word| DiffFormat::ALL.into_iter().find(|(name, _)| name == word));
    known.map_or(DiffFormat::Human, |(_, format)| format)
}
