//! What a run asks of a tree, and whether the answers are still the same.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::parallel;
use crate::source::{Content, Entry, Refusal, Tree};

/// What may be asked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) enum Question<'a> {
    /// what a folder holds
    #[serde(rename = "l")]
    List(#[serde(borrow)] Cow<'a, str>),
    /// what a file holds
    #[serde(rename = "r")]
    Read(#[serde(borrow)] Cow<'a, str>),
    /// how long a file is
    #[serde(rename = "s")]
    Size(#[serde(borrow)] Cow<'a, str>),
}

/// A question with the digest of its answer.
pub(super) type Answered<'a> = (Question<'a>, u128);

/// What digests start from. It is new for each recording: whoever writes the files that are read cannot make two contents
/// with one digest without knowing it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Seed(u64, u64);

impl Seed {
    fn random() -> Self {
        // the standard library's way to randomness, so that no crate is needed for it
        let random = RandomState::new();
        Self(random.hash_one(0_u8), random.hash_one(1_u8))
    }

    fn hasher(self) -> SipHasher13 {
        SipHasher13::new_with_keys(self.0, self.1)
    }

    fn content(self, answer: Result<(&Path, &[u8]), &Refusal>) -> u128 {
        let mut hasher = self.hasher();
        match answer {
            Ok((identity, bytes)) => {
                // where it really is counts, too: two paths of one file are read once
                sized(&mut hasher, identity.as_os_str().as_encoded_bytes());
                hasher.write(bytes);
            }
            Err(refusal) => {
                hasher.write_u64(u64::MAX);
                hasher.write(format!("{refusal:?}").as_bytes());
            }
        }
        hasher.finish128().as_u128()
    }

    fn entries(self, entries: &[Entry]) -> u128 {
        let mut hasher = self.hasher();
        for entry in entries {
            sized(&mut hasher, entry.name.as_bytes());
            hasher.write_u8(u8::from(entry.folder) << 1 | u8::from(entry.link));
        }
        hasher.finish128().as_u128()
    }

    fn size(self, size: Option<u64>) -> u128 {
        let mut hasher = self.hasher();
        hasher.write_u64(size.map_or(u64::MAX, |size| size));
        hasher.finish128().as_u128()
    }
}

/// Length first, so that no two answers hash the same bytes.
fn sized(hasher: &mut SipHasher13, bytes: &[u8]) {
    hasher.write_u64(bytes.len() as u64);
    hasher.write(bytes);
}

/// A tree that takes note of what it is asked.
pub struct Recorder<'a> {
    tree: &'a dyn Tree,
    seed: Seed,
    answers: Mutex<Vec<Answered<'static>>>,
    /// paths of the files that were read
    whole: Mutex<HashSet<String>>,
}

impl<'a> Recorder<'a> {
    /// A recorder of a tree.
    pub fn new(tree: &'a dyn Tree) -> Self {
        Self { tree, seed: Seed::random(), answers: Mutex::default(), whole: Mutex::default() }
    }

    fn note(&self, question: Question<'static>, digest: u128) {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push((question, digest));
    }

    /// What digests start from.
    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    /// All that was asked, each question once, sorted; nothing if one was answered in two ways, since then somebody writes
    /// while the run reads.
    pub(super) fn answers(&self) -> Option<Vec<Answered<'static>>> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        answers.sort_unstable();
        answers.dedup();
        let steady = answers.windows(2).all(|pair| pair[0].0 != pair[1].0);
        // what a file holds tells how long it is
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(question, _)| !matches!(question, Question::Size(path) if whole.contains(&**path)));
        steady.then_some(answers)
    }
}

impl Tree for Recorder<'_> {
    fn read(&self, path: &str) -> Result<Content, Refusal> {
        let answer = self.tree.read(path);
        let content = answer.as_ref().map(|content| (content.identity.as_path(), content.bytes.as_slice()));
        self.note(Question::Read(path.to_owned().into()), self.seed.content(content));
        if answer.is_ok() {
            self.whole.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        }
        answer
    }

    fn list(&self, folder: &str) -> Vec<Entry> {
        let entries = self.tree.list(folder);
        self.note(Question::List(folder.to_owned().into()), self.seed.entries(&entries));
        entries
    }

    fn size(&self, path: &str) -> Option<u64> {
        let size = self.tree.size(path);
        self.note(Question::Size(path.to_owned().into()), self.seed.size(size));
        size
    }
}

/// The texts that are wanted, by question, if a tree still gives all answers. The first that differs ends it.
pub(super) fn confirm(
    tree: &dyn Tree,
    seed: Seed,
    answers: &[Answered<'_>],
    wanted: impl Fn(usize) -> bool + Sync,
    threads: usize,
) -> Option<Vec<Option<Arc<str>>>> {
    let differs = AtomicBool::new(false);
    let texts = parallel::map(answers.len(), threads, Vec::new, |bytes, number| {
        if differs.load(Ordering::Relaxed) {
            return None;
        }
        let (question, digest) = &answers[number];
        let mut text = None;
        let now = match question {
            Question::Read(path) => {
                let answer = tree.read_into(path, bytes);
                if wanted(number) && answer.is_ok() {
                    text = std::str::from_utf8(bytes).ok().map(Arc::from);
                }
                seed.content(answer.as_ref().map(|identity| (identity.as_path(), bytes.as_slice())))
            }
            Question::List(folder) => seed.entries(&tree.list(folder)),
            Question::Size(path) => seed.size(tree.size(path)),
        };
        if now != *digest {
            differs.store(true, Ordering::Relaxed);
        }
        text
    });
    (!differs.into_inner()).then_some(texts)
}
