//! Which texts beside the source are read: documents for their claims, manifests for their descriptions, SQL.

use crate::config::{self, Config};
use crate::docs::{self, TEMPLATE_NAMES, USUAL_OUT};
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
    // one walk for all: of a large repository it takes longer than what is read of it
    let listed = source::listed(tree, location, workspace);
    source::add_texts(tree, location, workspace, &listed, &documents, &config.prose.exclude)?;
    let generated = generated(workspace, &config.docs);
    source::add_texts(tree, location, workspace, &listed, &generated, &[])?;
    let sql = ["**/*.sql".to_owned()];
    source::add_texts(tree, location, workspace, &listed, &sql, &config.scan.exclude)
}

/// The texts that `docs` writes, and the templates that it writes them by.
fn generated(workspace: &Workspace, settings: &config::Docs) -> Vec<String> {
    let out = settings.out.as_deref().unwrap_or(USUAL_OUT);
    let mut paths = vec![out.to_owned()];
    if settings.per_package {
        paths.extend(workspace.packages.iter().map(|package| docs::below(&package.folder, out)));
    }
    paths.extend(settings.tables.iter().cloned());
    let templates = settings.templates.iter();
    paths.extend(templates.flat_map(|folder| TEMPLATE_NAMES.map(|name| docs::below(folder, name))));
    paths.iter().map(|path| globset::escape(path)).collect()
}
