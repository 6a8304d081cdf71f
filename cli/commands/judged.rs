//! What the rules say of each workspace: as an earlier run found it where nothing has changed since, else by all stages.

use std::path::Path;

use clap::ArgMatches;

use super::asked::Asked;
use super::exit::Failure;
use super::load::{self, Loaded};
use super::output::Output;
use crate::cache::{self, Recorder, Slot};
use crate::config::Config;
use crate::pipeline::{Analysis, Judgement};
use crate::source::{Disk, Workspace};

/// A workspace after all stages but the findings.
pub(super) struct Judged {
    /// packages, files, texts
    pub workspace: Workspace,
    /// what the user configured
    pub config: Config,
    /// what the rules say
    pub judgement: Judgement,
}

/// All workspaces that the arguments name, each once, in the order of their paths.
pub(super) fn all(matches: &ArgMatches, output: &mut Output) -> Result<Vec<Loaded<Judged>>, Failure> {
    let folder = if matches.get_flag("no-cache") { None } else { cache::folder() };
    load::each(matches, output, |asked, disk, warn| judge(asked, disk, folder.as_deref(), warn))
}

fn judge(asked: &Asked<'_>, disk: &Disk, folder: Option<&Path>, warn: &mut dyn FnMut(&str)) -> Result<Judged, Failure> {
    let Some(folder) = folder else {
        return Ok(Judged::new(asked.analyse(disk, warn)?));
    };
    let slot = Slot::new(folder, asked.key());
    if let Some(known) = slot.recall(disk, asked.threads()) {
        known.warnings.iter().for_each(|warning| warn(warning));
        return Ok(Judged { workspace: known.workspace, config: asked.config.clone(), judgement: known.judgement });
    }
    let recorder = Recorder::new(disk);
    let mut warnings = Vec::new();
    let mut say = |warning: &str| {
        warn(warning);
        warnings.push(warning.to_owned());
    };
    let judged = Judged::new(asked.analyse(&recorder, &mut say)?);
    slot.keep(&recorder, &judged.workspace, &judged.judgement, &warnings);
    Ok(judged)
}

impl Judged {
    fn new(analysis: Analysis) -> Self {
        let judgement = analysis.judge();
        let Analysis { workspace, config, program, catalog, contracts, guarantees, flow, operations, threads: _ } =
            analysis;
        // The process ends soon: the system takes its memory back faster than it can be given back piece by piece.
        std::mem::forget((program, catalog, contracts, guarantees, flow, operations));
        Self { workspace, config, judgement }
    }
}
