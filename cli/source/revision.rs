//! A revision of a git repository as a [`Tree`]: its objects are read, nothing is checked out.
//!
//! In: a repository and the name of a revision. Out: files as that revision holds them. Objects come from git's own
//! plumbing (`rev-parse`, `ls-tree`, `cat-file`), which applies no filter, calls no hook and knows every storage that a
//! repository may use: packs, alternates, worktrees, reftables, SHA-256. A library that reads objects (gix, of which the
//! last version for Rust 1.85 brings 130 crates, as many as this program has) would double what is built and shipped for
//! one command, and still know less. Where there is a revision to name, there is git.
//!
//! The repository's own configuration is untrusted. Of what it could make git run, plumbing reaches only the fetch of
//! absent objects in a partial clone: that is turned off, and every transport besides.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::path;
use super::tree::{Content, Entry, MAX_FILE, Refusal, Tree};

/// Links that are followed one after another; as many as a kernel follows.
const MAX_LINKS: usize = 40;

/// Longest text of a link.
const MAX_LINK: usize = 4096;

/// The files of one revision.
#[derive(Debug)]
pub struct Revision {
    /// by path from the repository's top
    objects: BTreeMap<String, Object>,
    contents: Mutex<Batch>,
    sizes: Mutex<Batch>,
    /// folders whose files are in another repository
    submodules: Vec<String>,
}

#[derive(Clone, Debug)]
struct Object {
    id: String,
    link: bool,
}

impl Revision {
    /// The revision of that name in the repository with this top folder. An error says why it cannot be read.
    pub fn open(repository: &Path, name: &str) -> Result<Self, String> {
        if !repository.join(".git").exists() {
            return Err("the workspace is in no git repository, so there is no earlier revision of it".to_owned());
        }
        let tree = resolve(repository, name)?;
        let listing = output(git(repository).args(["ls-tree", "-r", "-z", "--full-tree", &tree]))
            .map_err(|why| format!("the files of the revision `{name}` cannot be listed: {why}"))?;
        let mut objects = BTreeMap::new();
        let mut submodules = Vec::new();
        for record in listing.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            // a name that is not UTF-8 can be named by no manifest and no module
            let Ok(record) = std::str::from_utf8(record) else { continue };
            let Some((object, path)) = record.split_once('\t') else {
                return Err(format!("the files of the revision `{name}` cannot be listed: git wrote `{record}`"));
            };
            let mut words = object.split(' ');
            match (words.next(), words.next(), words.next()) {
                (Some("160000"), _, _) => submodules.push(path.to_owned()),
                (Some(mode), _, Some(id)) => {
                    objects.insert(path.to_owned(), Object { id: id.to_owned(), link: mode == "120000" });
                }
                _ => return Err(format!("the files of the revision `{name}` cannot be listed: git wrote `{record}`")),
            }
        }
        Ok(Self {
            objects,
            contents: Mutex::new(Batch::start(repository, "--batch")?),
            sizes: Mutex::new(Batch::start(repository, "--batch-check")?),
            submodules,
        })
    }

    /// Folders that the revision takes from other repositories, and whose files it therefore does not hold.
    pub fn submodules(&self) -> &[String] {
        &self.submodules
    }

    /// Where a path leads when links are followed: a path of a file, or of a folder.
    fn follow(&self, path: &str) -> Result<String, Refusal> {
        let mut rest: Vec<String> = path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut at = String::new();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            let next = path::join(&at, &part).ok_or(Refusal::Outside)?;
            let Some(object) = self.objects.get(&next).filter(|object| object.link) else {
                at = next;
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(Refusal::Unusable("the links on the way to it lead in a circle".to_owned()));
            }
            let target = self.content(&object.id, MAX_LINK as u64)?;
            let target = String::from_utf8(target).map_err(|_| Refusal::Outside)?;
            let target = path::join(path::folder(&next), &target).ok_or(Refusal::Outside)?;
            // from the top again, a part at a time, since each may be a link
            rest.extend(target.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned));
            at = String::new();
        }
        Ok(at)
    }

    fn is_folder(&self, path: &str) -> bool {
        let prefix = format!("{path}/");
        path.is_empty()
            || self.objects.range(prefix.clone()..).next().is_some_and(|(name, _)| name.starts_with(&prefix))
    }

    /// The object of a file behind links.
    fn file(&self, path: &str) -> Result<(String, &Object), Refusal> {
        let place = self.follow(path)?;
        match self.objects.get(&place) {
            Some(object) => Ok((place, object)),
            None if self.is_folder(&place) => Err(Refusal::Folder),
            None => Err(Refusal::Missing),
        }
    }

    fn content(&self, id: &str, most: u64) -> Result<Vec<u8>, Refusal> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner).content(id, most)
    }
}

impl Tree for Revision {
    fn read(&self, path: &str) -> Result<Content, Refusal> {
        let (place, object) = self.file(path)?;
        let bytes = self.content(&object.id, MAX_FILE)?;
        Ok(Content { identity: PathBuf::from(place), bytes })
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let Ok(place) = self.follow(folder) else {
            return Vec::new();
        };
        let prefix = if place.is_empty() { String::new() } else { format!("{place}/") };
        let inside = self.objects.range(prefix.clone()..).map_while(|(path, object)| {
            let rest = path.strip_prefix(&prefix)?;
            Some((rest, object.link))
        });
        let mut found: Vec<Entry> = inside
            .filter_map(|(rest, link)| match rest.split_once('/') {
                Some((name, _)) => Some(Entry { name: name.to_owned(), folder: true, link: false }),
                None if link => {
                    let target = self.follow(&format!("{prefix}{rest}")).ok()?;
                    Some(Entry { name: rest.to_owned(), folder: self.is_folder(&target), link })
                }
                None => Some(Entry { name: rest.to_owned(), folder: false, link }),
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn size(&self, path: &str) -> Option<u64> {
        let (_, object) = self.file(path).ok()?;
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).header(&object.id).ok()
    }

    fn is_file(&self, path: &str) -> bool {
        // a file whose content is absent is there all the same, and reading it says so
        self.file(path).is_ok()
    }
}

/// The tree that a revision names.
fn resolve(repository: &Path, name: &str) -> Result<String, String> {
    let wanted = format!("{name}^{{tree}}");
    let found = output(git(repository).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]));
    match found {
        Ok(id) => Ok(String::from_utf8_lossy(&id).trim().to_owned()),
        Err(why) => {
            let shallow = output(git(repository).args(["rev-parse", "--is-shallow-repository"]));
            let hint = match shallow {
                Ok(answer) if answer.starts_with(b"true") => {
                    "; the clone is shallow, so earlier revisions are not in it: fetch them with `git fetch --unshallow`"
                }
                _ => {
                    "; name a branch, a tag or a commit that is in this repository, or a file that `cargo effects \
                      contracts` wrote"
                }
            };
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            Err(format!("the revision `{name}` cannot be read{why}{hint}"))
        }
    }
}

/// Git at a repository, so set up that nothing of the repository's is run.
fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    // hooks that start this program set these for another folder or another index
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE"] {
        command.env_remove(variable);
    }
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .args(["--no-replace-objects", "--no-optional-locks"])
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .arg("-C")
        .arg(repository)
        .stdin(Stdio::null());
    command
}

/// What a command prints; else what it complains of.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(not_started)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text.lines().find_map(|line| line.strip_prefix("fatal: ")).unwrap_or_default().trim().to_owned())
}

fn not_started(error: std::io::Error) -> String {
    format!("git could not be started: {}", error.kind())
}

/// A running `git cat-file`, asked for one object at a time.
#[derive(Debug)]
struct Batch {
    process: Child,
    /// nothing once the process is to end
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Batch {
    fn start(repository: &Path, mode: &str) -> Result<Self, String> {
        let mut process = git(repository)
            .args(["cat-file", mode])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(not_started)?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { process, questions: Some(questions), answers: BufReader::new(answers) })
            }
            _ => Err("git could not be asked for objects".to_owned()),
        }
    }

    /// Asks for an object; its size.
    fn header(&mut self, id: &str) -> Result<u64, Refusal> {
        let absent = || Refusal::Unusable("its object is not in the repository".to_owned());
        let questions = self.questions.as_mut().ok_or_else(absent)?;
        questions.write_all(format!("{id}\n").as_bytes()).and_then(|()| questions.flush()).map_err(|_| absent())?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|_| absent())?;
        let size = match line.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "blob", size] => size.parse().ok(),
            _ => None,
        };
        size.ok_or_else(absent)
    }

    fn content(&mut self, id: &str, most: u64) -> Result<Vec<u8>, Refusal> {
        let size = self.header(id)?;
        let broken = |_| Refusal::Unusable("its object could not be read to the end".to_owned());
        let mut bytes = Vec::new();
        // what is too large is taken from the pipe all the same: the next answer stands behind it
        let kept = if size <= most { size } else { 0 };
        self.answers.by_ref().take(kept).read_to_end(&mut bytes).map_err(broken)?;
        let skipped = size - kept + 1;
        std::io::copy(&mut self.answers.by_ref().take(skipped), &mut std::io::sink()).map_err(broken)?;
        if size > most {
            return Err(Refusal::Unusable(format!("the file is larger than {} KiB and is not read", most >> 10)));
        }
        if bytes.len() as u64 == size {
            Ok(bytes)
        } else {
            Err(Refusal::Unusable("its object could not be read to the end".to_owned()))
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // without questions git ends by itself
        self.questions = None;
        let _ = self.process.wait();
    }
}
