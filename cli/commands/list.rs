//! `list` and `contracts`: what is declared, found and derived.

use clap::ArgMatches;

use super::exit::{Exit, Failure};
use super::output::Output;
use super::{args, load};
use crate::render;

pub(super) fn list(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let analysis = load::one(matches, output)?.analysis;
    let text = render::list(&analysis.program, &analysis.contracts, &analysis.guarantees, &analysis.flow);
    output.result(&text)?;
    Ok(Exit::Success)
}

pub(super) fn contracts(matches: &ArgMatches, output: &mut Output) -> Result<Exit, Failure> {
    output.configure(matches.get_flag("quiet"), args::color(matches));
    let loaded = load::one(matches, output)?;
    output.result(&render::contracts(&loaded.snapshot()))?;
    Ok(Exit::Success)
}
