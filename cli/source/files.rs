//! The files of the packages: from the root of each target along its `mod` declarations.
//!
//! In: the planned packages and what a file declares. Out: every file once, in a fixed order, with its package. Files
//! are read round by round, each round in parallel; what belongs to whom is settled afterwards, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobSet;

use super::members::PlannedPackage;
use super::modules::ModuleFolder;
use super::tree::{Refusal, Tree};
use super::{ModFile, Scanned};

/// Most files of one workspace; beyond that something makes them up.
const MAX_FILES: usize = 1 << 20;

/// A file that was read.
pub(super) struct Read<S> {
    /// from the repository root
    pub(super) path: String,
    pub(super) text: Arc<str>,
    pub(super) problem: Option<String>,
    pub(super) scanned: Scanned<S>,
    /// number of the package that reaches it first
    pub(super) package: usize,
}

/// All files, and other paths of the same ones.
pub(super) struct Files<S> {
    /// sorted by path
    pub(super) files: Vec<Read<S>>,
    /// by path: number of the file it links to
    pub(super) links: BTreeMap<String, usize>,
}

/// A file as a place in the module tree: its children's folder depends on who names it.
type Visit = (String, bool);

fn children(visit: &Visit) -> ModuleFolder {
    if visit.1 { ModuleFolder::of_owner(&visit.0) } else { ModuleFolder::of_file(&visit.0) }
}

enum State {
    /// there is none
    Absent,
    /// number in the order of reading
    Present(usize),
}

/// Reads all files of the packages.
pub(super) fn read<S: Send>(
    tree: &dyn Tree,
    packages: &[PlannedPackage],
    exclude: &GlobSet,
    shown: &(dyn Fn(&str) -> String + Sync),
    threads: usize,
    scan: &(dyn Fn(&str) -> Scanned<S> + Sync),
) -> Files<S> {
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    let mut identities: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut files: Vec<Read<S>> = Vec::new();
    let mut links: BTreeMap<String, usize> = BTreeMap::new();
    let mut visited: BTreeSet<Visit> = BTreeSet::new();
    let mut round: BTreeSet<Visit> =
        packages.iter().flat_map(|package| &package.targets).map(|target| (target.root.clone(), true)).collect();
    let roots: BTreeSet<String> = round.iter().map(|visit| visit.0.clone()).collect();
    while !round.is_empty() {
        let wanted: Vec<&str> = round
            .iter()
            .map(|visit| visit.0.as_str())
            .filter(|path| !states.contains_key(*path) && !exclude.is_match(shown(path)))
            .collect::<BTreeSet<&str>>()
            .into_iter()
            .collect();
        let results = in_parallel(threads, &wanted, |path| read_one(tree, path, scan));
        for (path, result) in wanted.iter().zip(results) {
            let state = match result {
                Outcome::Absent if roots.contains(*path) => {
                    files.push(unread(
                        path,
                        "the root of a target is not there, so nothing of the target is read",
                        scan,
                    ));
                    State::Present(files.len() - 1)
                }
                Outcome::Absent => State::Absent,
                // a folder named like a module is simply not that module, but a target's root must be a file
                Outcome::Failed(Refusal::Folder) if !roots.contains(*path) => State::Absent,
                Outcome::Failed(refusal) => {
                    files.push(unread(path, &refusal.to_string(), scan));
                    State::Present(files.len() - 1)
                }
                Outcome::Read { identity, text, problem, scanned } => match identities.get(&identity) {
                    Some(&number) => {
                        links.insert((*path).to_owned(), number);
                        State::Present(number)
                    }
                    None => {
                        files.push(Read { path: (*path).to_owned(), text, problem, scanned, package: usize::MAX });
                        identities.insert(identity, files.len() - 1);
                        State::Present(files.len() - 1)
                    }
                },
            };
            states.insert((*path).to_owned(), state);
        }
        let mut next = BTreeSet::new();
        for visit in round {
            let Some(State::Present(number)) = states.get(&visit.0) else {
                continue;
            };
            // a link to a file that was read is the same file: its children are found from there
            if links.contains_key(&visit.0) {
                let target = (files[*number].path.clone(), visit.1);
                if !visited.contains(&target) {
                    next.insert(target);
                }
                visited.insert(visit);
                continue;
            }
            for found in declared(&visit, &files[*number].scanned.mods) {
                if !visited.contains(&found) && files.len() < MAX_FILES {
                    next.insert(found);
                }
            }
            visited.insert(visit);
        }
        next.retain(|visit| !visited.contains(visit));
        round = next;
    }
    claim(packages, &states, &links, &mut files);
    sorted(files, links)
}

/// A file of which nothing is known but why.
fn unread<S>(path: &str, reason: &str, scan: &(dyn Fn(&str) -> Scanned<S> + Sync)) -> Read<S> {
    Read {
        path: path.to_owned(),
        text: Arc::from(""),
        problem: Some(reason.to_owned()),
        scanned: scan(""),
        package: usize::MAX,
    }
}

/// The files that a file's declarations may mean.
fn declared(visit: &Visit, mods: &[ModFile]) -> Vec<Visit> {
    let mut found = Vec::new();
    for declaration in mods {
        let mut folder = children(visit);
        for (name, path) in &declaration.inside {
            folder = folder.inline(name, path.as_deref());
        }
        let paths: Vec<Option<&str>> = if declaration.paths.is_empty() {
            vec![None]
        } else {
            // behind `cfg_attr` the default file may be meant as well
            declaration
                .paths
                .iter()
                .map(|path| Some(path.as_str()))
                .chain(declaration.conditional.then_some(None))
                .collect()
        };
        for path in paths {
            for candidate in folder.file(&declaration.name, path) {
                // nothing above the repository root can be named
                if !candidate.path.starts_with("..") {
                    found.push((candidate.path, candidate.children.is_owner()));
                }
            }
        }
    }
    found
}

/// Gives every file the package whose target reaches it first; those that are reported go first.
fn claim<S>(
    packages: &[PlannedPackage],
    states: &BTreeMap<String, State>,
    links: &BTreeMap<String, usize>,
    files: &mut [Read<S>],
) {
    let mut order: Vec<usize> = (0..packages.len()).collect();
    order.sort_by_key(|&number| !packages[number].reported);
    let mut visited: BTreeSet<Visit> = BTreeSet::new();
    for number in order {
        for target in &packages[number].targets {
            let mut stack = vec![(target.root.clone(), true)];
            while let Some(visit) = stack.pop() {
                let Some(State::Present(file)) = states.get(&visit.0) else {
                    continue;
                };
                if !visited.insert(visit.clone()) {
                    continue;
                }
                if files[*file].package == usize::MAX {
                    files[*file].package = number;
                }
                if links.contains_key(&visit.0) {
                    stack.push((files[*file].path.clone(), visit.1));
                    continue;
                }
                let mut found = declared(&visit, &files[*file].scanned.mods);
                found.reverse();
                stack.append(&mut found);
            }
        }
    }
}

fn sorted<S>(files: Vec<Read<S>>, links: BTreeMap<String, usize>) -> Files<S> {
    let mut numbered: Vec<(usize, Read<S>)> = files.into_iter().enumerate().collect();
    numbered.sort_by(|left, right| left.1.path.cmp(&right.1.path));
    let mut place = vec![0; numbered.len()];
    for (new, (old, _)) in numbered.iter().enumerate() {
        place[*old] = new;
    }
    Files {
        files: numbered.into_iter().map(|(_, file)| file).collect(),
        links: links.into_iter().map(|(path, old)| (path, place[old])).collect(),
    }
}

enum Outcome<S> {
    Absent,
    Failed(Refusal),
    Read { identity: PathBuf, text: Arc<str>, problem: Option<String>, scanned: Scanned<S> },
}

fn read_one<S>(tree: &dyn Tree, path: &str, scan: &(dyn Fn(&str) -> Scanned<S> + Sync)) -> Outcome<S> {
    let content = match tree.read(path) {
        Ok(content) => content,
        Err(Refusal::Missing) => return Outcome::Absent,
        Err(refusal) => return Outcome::Failed(refusal),
    };
    let (text, problem) = match String::from_utf8(content.bytes) {
        Ok(text) => (text, None),
        Err(error) => (
            String::new(),
            Some(format!("the file is not UTF-8 from byte {} on, so it is not read", error.utf8_error().valid_up_to())),
        ),
    };
    let scanned = scan(&text);
    Outcome::Read { identity: content.identity, text: Arc::from(text), problem, scanned }
}

/// The results for all inputs, in their order.
fn in_parallel<I: Sync, O: Send>(threads: usize, inputs: &[I], work: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let threads = threads.clamp(1, inputs.len().max(1));
    if threads == 1 {
        return inputs.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, O)>> = Mutex::new(Vec::with_capacity(inputs.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut own = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = inputs.get(at) else { break };
                    own.push((at, work(input)));
                }
                done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, output)| output).collect()
}
