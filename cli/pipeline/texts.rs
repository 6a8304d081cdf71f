//! Which texts beside the source are read: documents for their claims, manifests for their descriptions, SQL.

use crate::config::Config;
use crate::source::{self, Error, Location, Tree, Workspace};

/// Adds the texts that rules read.
pub fn add_texts(
    tree: &dyn Tree,
    location: &Location,
    workspace: &mut Workspace,
    config: &Config,
) -> Result<(), Error> {
    let reported = workspace.packages.iter().filter(|package| package.reported);
    let mut documents: Vec<String> = reported.map(|package| globset::escape(&package.manifest)).collect();
    // the workspace's own manifest holds what its members inherit
    documents.push("Cargo.toml".to_owned());
    documents.extend(config.prose.include.iter().cloned());
    source::add_texts(tree, location, workspace, &documents, &config.prose.exclude)?;
    let sql = ["**/*.sql".to_owned()];
    source::add_texts(tree, location, workspace, &sql, &config.scan.exclude)
}
