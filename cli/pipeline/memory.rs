//! A run over texts in memory: what rule pages and tests use.

use std::path::PathBuf;
use std::sync::Arc;

use super::Analysis;
use crate::catalog::Catalog;
use crate::findings::{Policy, Report, SourceText};
use crate::flow::FlowFacts;
use crate::resolve::Program;
use crate::source::{FileId, Package, PackageId, SourceFile, Target, TargetKind, Workspace};

/// Checks one package given as texts by path: `src/lib.rs`, `src/keys.rs`, `effects.toml` …
pub fn check_texts(texts: Vec<(String, String)>, policy: Policy) -> Result<Report, String> {
    let analysis = Analysis {
        workspace: workspace_of_texts(texts),
        program: Program::default(),
        catalog: Catalog::default(),
        contracts: Vec::new(),
        guarantees: Vec::new(),
        flow: FlowFacts::default(),
    };
    Ok(analysis.check(&policy))
}

/// A workspace of one package called `example`.
pub fn workspace_of_texts(mut texts: Vec<(String, String)>) -> Workspace {
    texts.sort();
    let (sources, texts): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(path, _)| path.ends_with(".rs"));
    let files: Vec<SourceFile> = sources
        .into_iter()
        .map(|(path, text)| {
            let lines = SourceText::new(Arc::from(text));
            SourceFile {
                path,
                text: lines.text,
                line_starts: lines.line_starts,
                package: PackageId(0),
                reported: true,
                problem: None,
            }
        })
        .collect();
    let root = files.iter().position(|file| file.path == "src/lib.rs");
    let target = root.map(|root| Target {
        kind: TargetKind::Lib,
        crate_name: "example".to_owned(),
        root: FileId(root as u32),
    });
    Workspace {
        root: PathBuf::new(),
        packages: vec![Package {
            name: "example".to_owned(),
            folder: String::new(),
            manifest: "Cargo.toml".to_owned(),
            edition: 2024,
            description: None,
            keywords: Vec::new(),
            targets: target.into_iter().collect(),
            dependencies: Vec::new(),
            reported: true,
        }],
        files,
        texts: texts
            .into_iter()
            .map(|(path, text)| (path, Arc::from(text)))
            .collect(),
        links: Vec::new(),
        warnings: Vec::new(),
    }
}
