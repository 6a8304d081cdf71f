//! From arguments to an analysis: which workspace, which configuration.

use clap::ArgMatches;

use super::exit::Failure;
use super::output::Output;
use crate::findings::Policy;
use crate::pipeline::Analysis;

pub(super) fn analyse(
    _matches: &ArgMatches,
    _policy: &mut Policy,
    _output: &mut Output,
) -> Result<Analysis, Failure> {
    Err(Failure::new("reading a workspace is not wired yet"))
}
