//! What is kept is found under its own key, by the same build, and never trusted.

use std::path::PathBuf;

use super::*;
use crate::findings::{Confidence, Place, Step, Violation};
use crate::index;
use crate::source::{FileId, Memory, Options, Span, TextRange};

fn location() -> Location {
    Location { repository: PathBuf::from("/repository"), workspace: String::new(), package: None, file: None }
}

fn tree() -> Memory {
    let texts = [
        ("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "mod absent;\nfn a() {}\n"),
        ("src/main.rs", "fn main() {}\n"),
    ];
    Memory(texts.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect())
}

fn judgement() -> Judgement {
    let place = |file, start| Place::Source(Span::new(FileId(file), TextRange { start, end: start + 2 }));
    let violation = Violation {
        rule: "per-attempt-key",
        confidence: Confidence::Certain,
        message: "m\u{1b}".into(),
        help: "h".into(),
        place: place(0, 12),
        path: vec![Step { place: place(0, 0), note: "here".into() }],
        handler: None,
        detail: vec![("origin", "random".into())],
    };
    Judgement { violations: vec![violation], ..Judgement::default() }
}

const CONFIGURATION: (&str, &str) = ("effects.toml", "version = 1\n");

struct Kept {
    locations: [Location; 1],
    selection: Selection,
    bytes: Vec<u8>,
}

impl Kept {
    fn new() -> Self {
        let (locations, selection) = ([location()], Selection::default());
        let tree = tree();
        let recorder = Recorder::new(&tree);
        let (workspace, _) = index::read_tree(&recorder, &locations[0], &Options::default()).expect("it can be read");
        let key = Key { locations: &locations, selection: &selection, configuration: Some(CONFIGURATION) };
        let bytes = stored::bytes(key, &recorder, &workspace, &judgement(), &["w".to_owned()]).expect("it is kept");
        Self { locations, selection, bytes }
    }

    fn recall(&self, bytes: &[u8], tree: &Memory) -> Option<Known> {
        stored::recall(bytes, self.key(), tree, 2)
    }

    fn key(&self) -> Key<'_> {
        Key { locations: &self.locations, selection: &self.selection, configuration: Some(CONFIGURATION) }
    }

    /// What was kept, with a part of its text replaced.
    fn with(&self, from: &str, to: &str) -> Vec<u8> {
        let text = std::str::from_utf8(&self.bytes).expect("JSON");
        assert!(text.contains(from), "{from}: {text}");
        text.replacen(from, to, 1).into_bytes()
    }
}

#[test]
fn what_comes_back_is_what_was_kept() {
    let kept = Kept::new();
    let known = kept.recall(&kept.bytes, &tree()).expect("nothing has changed");
    assert_eq!(known.judgement, judgement());
    assert_eq!(known.warnings, ["w"]);
    let files: Vec<(&str, &str)> = known.workspace.files.iter().map(|file| (&*file.path, &*file.text)).collect();
    assert_eq!(
        files,
        [("src/lib.rs", "mod absent;\nfn a() {}\n"), ("src/main.rs", "")],
        "nothing points into the other"
    );
    assert_eq!(known.workspace.files[0].line_starts, [0, 12, 22]);
    assert_eq!(known.workspace.packages[0].name, "shop");
}

#[test]
fn every_answer_counts() {
    let kept = Kept::new();
    for (path, text) in [("src/lib.rs", "x"), ("src/absent.rs", ""), ("src/bin/tool.rs", ""), ("Cargo.toml", "")] {
        let mut tree = tree();
        tree.0.insert(path.to_owned(), text.as_bytes().to_vec());
        assert!(kept.recall(&kept.bytes, &tree).is_none(), "{path}");
    }
    for path in ["src/lib.rs", "src/main.rs", "Cargo.toml"] {
        let mut tree = tree();
        tree.0.remove(path);
        assert!(kept.recall(&kept.bytes, &tree).is_none(), "{path}");
    }
}

#[test]
fn another_key_finds_nothing() {
    let kept = Kept::new();
    let selection = Selection { workspace: true, ..Selection::default() };
    let locations = [Location { package: Some("shop".to_owned()), ..location() }];
    let others = [
        Key { configuration: None, ..kept.key() },
        Key { configuration: Some(("effects.toml", "version = 1\n\n")), ..kept.key() },
        Key { configuration: Some(("other.toml", CONFIGURATION.1)), ..kept.key() },
        Key { selection: &selection, ..kept.key() },
        Key { locations: &locations, ..kept.key() },
    ];
    for key in others {
        assert!(stored::recall(&kept.bytes, key, &tree(), 1).is_none(), "{key:?}");
    }
    let version = concat!("[[\\\"", env!("CARGO_PKG_VERSION"), "\\\"");
    for (from, to) in [(version, "[[\\\"9.9.9\\\""), (env!("EFFECTS_SOURCES"), "0"), ("\"key\":\"", "\"key\":\"x")] {
        assert!(kept.recall(&kept.with(from, to), &tree()).is_none(), "{from}");
    }
}

#[test]
fn numbers_that_stand_for_nothing_are_refused() {
    let kept = Kept::new();
    let changes = [
        ("\"file\":0,\"range\":{\"start\":12", "\"file\":7,\"range\":{\"start\":12"),
        ("\"file\":0,\"range\":{\"start\":0", "\"file\":7,\"range\":{\"start\":0"),
        ("\"package\":0", "\"package\":7"),
        ("\"root\":0", "\"root\":7"),
        ("\"Answer\":", "\"Answer\":9"),
        ("\"rule\":\"per-attempt-key\"", "\"rule\":\"no-such-rule\""),
    ];
    for (from, to) in changes {
        assert!(kept.recall(&kept.with(from, to), &tree()).is_none(), "{from}");
    }
    for length in (0..kept.bytes.len()).step_by(7) {
        assert!(kept.recall(&kept.bytes[..length], &tree()).is_none(), "{length} bytes");
    }
    assert!(kept.recall("[".repeat(100_000).as_bytes(), &tree()).is_none());
}

#[test]
fn a_tree_that_changes_while_it_is_read_is_not_kept() {
    let (before, mut after) = (tree(), tree());
    after.0.insert("src/lib.rs".to_owned(), Vec::new());
    struct Turning(Memory, Memory, std::sync::atomic::AtomicBool);
    impl Tree for Turning {
        fn read(&self, path: &str) -> Result<crate::source::Content, crate::source::Refusal> {
            let turned = self.2.swap(true, std::sync::atomic::Ordering::Relaxed);
            if turned { self.1.read(path) } else { self.0.read(path) }
        }

        fn list(&self, folder: &str) -> Vec<crate::source::Entry> {
            self.0.list(folder)
        }

        fn size(&self, path: &str) -> Option<u64> {
            self.0.size(path)
        }
    }
    let turning = Turning(before, after, false.into());
    let recorder = Recorder::new(&turning);
    assert!(recorder.read("src/lib.rs").is_ok());
    assert!(recorder.answers().is_some());
    assert!(recorder.read("src/lib.rs").is_ok());
    assert!(recorder.answers().is_none());
}
