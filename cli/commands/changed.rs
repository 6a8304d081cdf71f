//! `--changed-lines -`: which lines a unified diff adds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use super::exit::Failure;
use super::judged::Judged;
use super::load::Loaded;
use crate::findings::{At, Finding, below};

/// An empty diff, or one that has nothing to do with what was read, is more likely a broken pipeline than a change
/// without lines: to pass it would be to check nothing, silently.
pub(super) fn read(loaded: &[Loaded<Judged>]) -> Result<Changed, Failure> {
    let mut diff = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut diff)
        .map_err(|error| Failure::new(format!("the diff could not be read from standard input: {error}")))?;
    let changed = Changed::parse(&String::from_utf8_lossy(&diff));
    let mut found = Changed::default();
    for Loaded { analysis, prefix, .. } in loaded {
        let workspace = &analysis.workspace;
        let sources = workspace.files.iter().map(|file| file.path.as_str());
        let texts = workspace.texts.iter().map(|(path, _)| path.as_str());
        let inside = changed.for_files(sources.chain(texts), &repository_prefix(&workspace.root));
        let files = inside.0.into_iter();
        found.0.extend(files.map(|(file, lines)| (below(prefix, &file), lines)));
    }
    if found.is_empty() {
        return Err(Failure::new(
            "the diff on standard input adds no line to a file that was read; write it with `git diff <base>`, or leave \
             out `--changed-lines`",
        ));
    }
    Ok(found)
}

/// The way from the top of the repository to the workspace root, with a final `/` unless they are one.
fn repository_prefix(root: &Path) -> String {
    let Some(top) = root.ancestors().find(|folder| folder.join(".git").exists()) else {
        return String::new();
    };
    let inside = root.strip_prefix(top).unwrap_or(Path::new(""));
    inside.components().map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
}

/// Added lines by path as the diff names it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changed(BTreeMap<String, BTreeSet<u32>>);

impl Changed {
    /// Reads a unified diff as git, Mercurial or `diff -u` write it.
    pub(super) fn parse(diff: &str) -> Self {
        let mut changed = Self::default();
        let mut file: Option<String> = None;
        // what is left of the hunk at hand: lines of the old and the new text
        let (mut old_left, mut new_left) = (0_u32, 0_u32);
        let mut line_number = 0_u32;
        for line in diff.lines() {
            if old_left > 0 || new_left > 0 {
                match line.as_bytes().first() {
                    Some(b'+') => {
                        if let Some(file) = &file {
                            changed.0.entry(file.clone()).or_default().insert(line_number);
                        }
                        new_left = new_left.saturating_sub(1);
                        line_number = line_number.saturating_add(1);
                    }
                    Some(b'-') => old_left = old_left.saturating_sub(1),
                    Some(b'\\') => {}
                    // a context line; some tools strip its blank
                    _ => {
                        old_left = old_left.saturating_sub(1);
                        new_left = new_left.saturating_sub(1);
                        line_number = line_number.saturating_add(1);
                    }
                }
            } else if let Some(path) = line.strip_prefix("+++ ") {
                file = new_path(path);
            } else if let Some((old, start, new)) = hunk(line) {
                (old_left, line_number, new_left) = (old, start, new);
            }
        }
        changed
    }

    /// The same for the files of a workspace: a diff's paths start at the top of the repository, which lies at `prefix`
    /// above the workspace root (`services/billing/`, or nothing), and often with a letter such as `b/` in front.
    pub(super) fn for_files<'a>(&self, files: impl Iterator<Item = &'a str>, prefix: &str) -> Self {
        let mut found = BTreeMap::new();
        for file in files {
            let full = normal(&format!("{prefix}{file}"));
            let stripped = |path: &str| path.split_once('/').is_some_and(|(_, rest)| rest == full);
            let lines = self.0.iter().find(|(path, _)| **path == full || stripped(path));
            // `git diff --relative` and diffs made in the workspace's own folder
            let lines = lines.or_else(|| {
                self.0
                    .iter()
                    .find(|(path, _)| *path == file || path.split_once('/').is_some_and(|(_, rest)| rest == file))
            });
            if let Some((_, lines)) = lines {
                found.insert(file.to_owned(), lines.clone());
            }
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the finding or a step on its way stands on an added line: a key made badly is a fault of the change that
    /// makes it, wherever it is used.
    pub(super) fn touches(&self, finding: &Finding) -> bool {
        let on = |at: &At| {
            let lines = self.0.get(&at.file);
            lines.is_some_and(|lines| lines.range(at.start.line..=at.end.line).next().is_some())
        };
        on(&finding.at) || finding.path.iter().any(|step| on(&step.at))
    }
}

/// `@@ -old,count +start,count @@`: count of old lines, first new line, count of new lines.
fn hunk(line: &str) -> Option<(u32, u32, u32)> {
    let ranges = line.strip_prefix("@@ -")?;
    let (old, rest) = ranges.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (start, count) = range(new)?;
    Some((range(old)?.1, start, count))
}

/// The path of a `+++` line: unquoted, without a time stamp; none for a deleted file.
fn new_path(text: &str) -> Option<String> {
    let path = match text.strip_prefix('"') {
        Some(quoted) => unquote(quoted)?,
        None => text.split('\t').next().unwrap_or_default().trim_end().to_owned(),
    };
    (path != "/dev/null").then_some(path)
}

/// Git quotes unusual paths as C does.
fn unquote(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    loop {
        match rest.next()? {
            b'"' => return String::from_utf8(bytes).ok(),
            b'\\' => match rest.next()? {
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                digit @ b'0'..=b'3' => {
                    let mut value = digit - b'0';
                    for _ in 0..2 {
                        let digit = rest.next().filter(|digit| (b'0'..=b'7').contains(digit))?;
                        value = (value << 3) | (digit - b'0');
                    }
                    bytes.push(value);
                }
                other => bytes.push(other),
            },
            byte => bytes.push(byte),
        }
    }
}

/// `a/../b` as `b`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(changed: &Changed, file: &str) -> Vec<u32> {
        changed.0.get(file).into_iter().flatten().copied().collect()
    }

    const DIFF: &str = "\
diff --git a/svc/src/lib.rs b/svc/src/lib.rs
--- a/svc/src/lib.rs
+++ b/svc/src/lib.rs
@@ -1,3 +1,4 @@
 fn a() {}
+fn new() {}
--- a/not a header
+++ not a header either
 fn b() {}
@@ -10 +11,0 @@ fn x()
-fn gone() {}
\\ No newline at end of file
--- /dev/null
+++ \"b/svc/src/\\303\\274.rs\"
@@ -0,0 +1,2 @@
+one
+two
";

    #[test]
    fn added_lines_are_counted_in_the_new_text() {
        let changed = Changed::parse(DIFF);
        assert_eq!(lines(&changed, "b/svc/src/lib.rs"), [2, 3]);
        assert_eq!(lines(&changed, "b/svc/src/ü.rs"), [1, 2]);
    }

    #[test]
    fn paths_are_found_from_the_workspace() {
        let changed = Changed::parse(DIFF);
        let files = ["src/lib.rs", "../other/src/lib.rs"];
        let inside = changed.for_files(files.into_iter(), "svc/");
        assert_eq!(lines(&inside, "src/lib.rs"), [2, 3]);
        assert_eq!(inside.0.len(), 1);
        assert!(changed.for_files(["src/main.rs"].into_iter(), "svc/").is_empty());
        let relative = Changed::parse("--- src/lib.rs\t2026\n+++ src/lib.rs\t2026\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(lines(&relative.for_files(files.into_iter(), "svc/"), "src/lib.rs"), [1]);
    }

    #[test]
    fn nonsense_changes_nothing() {
        for text in ["", "@@ -1,2 +", "+++ ", "+++ \"b/\\9\"", "@@ -1 +99999999999 @@\n+a"] {
            assert!(Changed::parse(text).is_empty(), "{text}");
        }
        let far = Changed::parse("+++ b/a\n@@ -1 +4294967295,2 @@\n+a\n+b\n");
        assert_eq!(lines(&far, "b/a"), [u32::MAX]);
    }
}
