//! Scenarios: several files and crates in one text, and what a call in them means.

mod calls;
mod names;
mod stats;
mod types;

use super::{Callee, Program, resolve};
use crate::index::{self, FileIndex};
use crate::ir::{ExprKind, FileIr};
use crate::lower::{self, Selection};
use crate::source::{Dependency, FileId, Package, PackageId, SourceFile, Target, TargetKind, Workspace, line_starts};

/// Resolves a fixture: `//- path` starts a file, `//! crate name: dependencies` a package whose files follow. Without
/// one, everything is the library `shop` with its root at `src/lib.rs`.
pub(super) fn program(text: &str) -> Program {
    with_threads(text, 2)
}

pub(super) fn with_threads(text: &str, threads: usize) -> Program {
    build(text, threads, |_| {})
}

/// As [`program`], with the lowered files changed first.
pub(super) fn program_with(text: &str, change: impl FnOnce(&mut Vec<FileIr>)) -> Program {
    build(text, 1, change)
}

fn build(text: &str, threads: usize, change: impl FnOnce(&mut Vec<FileIr>)) -> Program {
    let workspace = fixture(text);
    let indexes: Vec<FileIndex> = workspace.files.iter().map(|file| index::index(&file.text)).collect();
    let mut files = lower::workspace(&workspace, &indexes, Selection::All, threads);
    change(&mut files);
    resolve(&workspace, files, threads)
}

fn fixture(text: &str) -> Workspace {
    let mut packages: Vec<(String, Vec<String>, u16)> = Vec::new();
    let mut files: Vec<(String, String, usize)> = Vec::new();
    if !text.trim_start().starts_with("//= ") {
        packages.push(("shop".to_owned(), Vec::new(), 2021));
    }
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("//= ") {
            let mut words = rest.split_whitespace();
            let name = words.next().unwrap().to_owned();
            let mut edition = 2021;
            let mut dependencies = Vec::new();
            for word in words {
                match word.strip_prefix("edition=") {
                    Some(year) => edition = year.parse().unwrap(),
                    None => dependencies.push(word.to_owned()),
                }
            }
            packages.push((name, dependencies, edition));
        } else if let Some(path) = trimmed.strip_prefix("//- ") {
            let package = packages.len() - 1;
            let folder = &packages[package].0;
            files.push((format!("{folder}/{path}"), String::new(), package));
        } else {
            if files.is_empty() {
                if trimmed.is_empty() {
                    continue;
                }
                files.push(("shop/src/lib.rs".to_owned(), String::new(), 0));
            }
            let last = files.last_mut().unwrap();
            last.1.push_str(line);
            last.1.push('\n');
        }
    }
    files.sort();
    let targets = |package: usize| -> Vec<Target> {
        let name = &packages[package].0;
        let mut found: Vec<Target> = files
            .iter()
            .enumerate()
            .filter_map(|(number, (path, _, _))| {
                let inside = path.strip_prefix(&format!("{name}/"))?;
                let kind = match inside {
                    "src/lib.rs" => TargetKind::Lib,
                    "src/main.rs" => TargetKind::Bin,
                    _ if inside.starts_with("tests/") && inside.matches('/').count() == 1 => TargetKind::Test,
                    _ if inside.starts_with("examples/") => TargetKind::Example,
                    _ => return None,
                };
                Some(Target { kind, crate_name: name.replace('-', "_"), root: FileId(number as u32) })
            })
            .collect();
        found.sort_by_key(|target| target.kind);
        found
    };
    let made = packages
        .iter()
        .enumerate()
        .map(|(number, (name, dependencies, edition))| Package {
            name: name.clone(),
            folder: name.clone(),
            manifest: format!("{name}/Cargo.toml"),
            edition: *edition,
            member: true,
            description: None,
            keywords: Vec::new(),
            targets: targets(number),
            dependencies: dependencies
                .iter()
                .map(|dependency| {
                    let (extern_name, package_name) = dependency.split_once('=').unwrap_or((dependency, dependency));
                    Dependency {
                        extern_name: extern_name.replace('-', "_"),
                        package_name: package_name.to_owned(),
                        local: packages
                            .iter()
                            .position(|package| package.0 == package_name)
                            .map(|number| PackageId(number as u32)),
                        dev: false,
                    }
                })
                .collect(),
            reported: true,
            test_support: false,
        })
        .collect();
    Workspace {
        root: std::path::PathBuf::new(),
        packages: made,
        files: files
            .into_iter()
            .map(|(path, text, package)| SourceFile {
                path,
                line_starts: line_starts(&text),
                text: text.into(),
                package: PackageId(package as u32),
                reported: true,
                problem: None,
            })
            .collect(),
        texts: Vec::new(),
        links: Vec::new(),
        warnings: Vec::new(),
    }
}

/// All calls of a function, one a line in source order: `text = meaning`.
pub(super) fn calls(program: &Program, path: &str) -> Vec<String> {
    let found = program.find_functions(path);
    assert!(!found.is_empty(), "no function {path}: {:?}", paths(program));
    let mut lines = Vec::new();
    for id in found {
        let info = program.function(id);
        let Some(body) = program.body(id) else {
            continue;
        };
        let mut calls: Vec<(u32, u32, String)> = info
            .types
            .callees
            .iter()
            .map(|(at, callee)| {
                let expr = body.expr(*at);
                let head = match &expr.kind {
                    ExprKind::MethodCall(call) => format!(".{}", call.name),
                    ExprKind::Macro(call) => {
                        format!("{}!", call.path.segments.last().unwrap().name)
                    }
                    ExprKind::Call { callee, .. } => match &body.expr(*callee).kind {
                        ExprKind::Path(path) => {
                            path.segments.iter().map(|segment| segment.name.as_str()).collect::<Vec<_>>().join("::")
                        }
                        ExprKind::Local(local) => body.locals[local.0 as usize].name.to_string(),
                        _ => "(..)".to_owned(),
                    },
                    _ => "?".to_owned(),
                };
                let line = format!("{head} = {}", shown(program, callee));
                (expr.range.end, expr.range.start, line)
            })
            .collect();
        calls.sort();
        lines.extend(calls.into_iter().map(|call| call.2));
    }
    lines
}

/// A callee as text.
pub(super) fn shown(program: &Program, callee: &Callee) -> String {
    match callee {
        Callee::Functions(ids) => {
            ids.iter().map(|id| program.function(*id).path.as_str()).collect::<Vec<_>>().join(" | ")
        }
        Callee::External(path) => format!("external {path}"),
        Callee::ExternalMethod { receiver, method } => format!("external {receiver}.{method}"),
        Callee::UnknownMethod(name) => format!("unknown .{name}"),
        Callee::Constructor(id, variant) => {
            let info = program.type_(*id);
            format!("new {}::{}", info.path, info.ir.variants[*variant as usize].name)
        }
        Callee::Local(_) => "local".to_owned(),
        Callee::Unresolved(path) => format!("unresolved {path}"),
        Callee::Unknown => "unknown".to_owned(),
    }
}

pub(super) fn paths(program: &Program) -> Vec<&'static str> {
    program.functions.iter().map(|info| info.path.as_str()).collect()
}

/// The type of a local of a function, as text.
pub(super) fn local(program: &Program, path: &str, name: &str) -> String {
    let id = program.find_functions(path)[0];
    let body = program.body(id).unwrap();
    let number =
        body.locals.iter().position(|local| local.name.as_str() == name).unwrap_or_else(|| panic!("no local {name}"));
    show(program, program.function(id).types.local(crate::ir::LocalId(number as u32)))
}

/// A type as text.
pub(super) fn show(program: &Program, ty: &super::Ty) -> String {
    use super::Ty;
    let list = |args: &[Ty]| args.iter().map(|arg| show(program, arg)).collect::<Vec<_>>().join(", ");
    let applied = |path: &str, args: &[Ty]| {
        if args.is_empty() { path.to_owned() } else { format!("{path}<{}>", list(args)) }
    };
    match ty {
        Ty::Unknown => "_".to_owned(),
        Ty::Adt(id, args) => applied(program.type_(*id).path.as_str(), args),
        Ty::External(path, args) => {
            let path = path.as_str();
            applied(path.rsplit("::").next().unwrap_or(path), args)
        }
        Ty::SomeOf(path) => format!("some {path}"),
        Ty::Traits(ids) => {
            ids.iter().map(|id| format!("impl {}", program.traits[id.0 as usize].path)).collect::<Vec<_>>().join(" + ")
        }
        Ty::ExternalTraits(paths) => format!("impl {paths:?}"),
        Ty::Tuple(items) => format!("({})", list(items)),
        Ty::Sequence(of) => format!("[{}]", show(program, of)),
        Ty::Future(of) => format!("future {}", show(program, of)),
        Ty::Callable(_) => "callable".to_owned(),
        Ty::Primitive(name) => name.to_string(),
        Ty::Param(name) => format!("parameter {name}"),
    }
}
