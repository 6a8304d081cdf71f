//! Bases that cannot be read, and repositories that mean ill.

use serde_json::Value;

use super::repository::{CONFIGURATION, LIB, MANIFEST, Repository, SOURCE, changes, service};

/// What a base that cannot be read says: every handler is unanswerable, and the exit status is 2.
fn refused(repository: &Repository, base: &str, why: &str) {
    let (code, answer) = repository.diff(&["--", base]);
    assert_eq!(code, Some(2), "{answer}");
    let reason = answer["unanswerable"].as_str().unwrap_or_else(|| panic!("no reason: {answer}"));
    assert!(reason.contains(why), "{reason}");
    assert_eq!(changes(&answer), [("unanswerable".to_owned(), Vec::new(), Vec::new())]);
    for format in ["human", "markdown"] {
        let (code, stdout, stderr) = repository.run(&["diff", "--format", format, "--", base]);
        assert_eq!(code, Some(2));
        assert!(stdout.contains("nanswer") && stderr.contains("nothing was compared"), "{stdout}{stderr}");
    }
}

#[test]
fn what_cannot_be_read_is_never_no_change() {
    let repository = service();
    refused(&repository, "no-such-branch", "the revision `no-such-branch` cannot be read");
    refused(&repository, "--output=x", "the revision `--output=x` cannot be read");
    repository.write("other.json", "{\"findings\": []}");
    refused(&repository, "other.json", "it is no JSON that `cargo effects contracts` writes");
    repository.write("later.json", "{\"version\": 9, \"contracts\": []}");
    refused(&repository, "later.json", "its format has version 9");
    let saved = repository.run(&["contracts"]).1;
    repository.write("claim.json", &saved.replace("effectively once for the horizon", "always once"));
    let (code, answer) = repository.diff(&["claim.json"]);
    assert_eq!((code, changes(&answer)[0].0.as_str()), (Some(2), "unanswerable"));

    // a configuration that is broken, a workspace that is not there
    repository.write("effects.toml", "version = 1\n[[effect]\n");
    repository.commit();
    repository.write("effects.toml", CONFIGURATION);
    repository.git(&["add", "effects.toml"]);
    repository.git(&["rm", "--quiet", "--cached", "Cargo.toml"]);
    repository.git(&["commit", "--quiet", "--message", "without a manifest"]);
    refused(&repository, "HEAD", "Cargo.toml");
    refused(&repository, "HEAD~1", "effects.toml");
}

#[test]
fn a_file_that_was_broken_then_is_unanswerable_and_not_new() {
    let repository = service();
    repository.edit(LIB, "pub async fn charge(", "pub async fn charge((");
    repository.commit();
    repository.edit(LIB, "pub async fn charge((", "pub async fn charge(");
    let (code, answer) = repository.diff(&["HEAD"]);
    assert_eq!((code, changes(&answer)[0].0.as_str()), (Some(2), "unanswerable"), "{answer}");
    // and the other way round
    let (_, answer) = repository.diff(&["HEAD~1"]);
    assert_eq!(changes(&answer), []);
    repository.edit(LIB, "pub async fn charge(", "pub async fn charge((");
    let (code, answer) = repository.diff(&["HEAD~1", "--fail-on", "weakened"]);
    assert_eq!((code, changes(&answer)[0].0.as_str()), (Some(2), "unanswerable"), "{answer}");
}

#[test]
fn a_shallow_clone_says_that_it_is_one() {
    let repository = service();
    repository.edit(LIB, "replay_horizon = \"3d\"", "replay_horizon = \"30d\"");
    repository.commit();
    let clone = Repository::empty();
    let from = format!("file://{}", repository.path().display());
    clone.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    refused(&clone, "HEAD~1", "the clone is shallow");
    // what is in it can be compared with
    assert_eq!(clone.diff(&["HEAD"]).0, Some(0));
}

/// A partial clone would fetch what is absent, by whatever command its configuration names.
#[test]
fn absent_objects_are_not_fetched() {
    let repository = service();
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    repository.edit(LIB, "replay_horizon = \"3d\"", "replay_horizon = \"30d\"");
    repository.commit();
    let clone = Repository::empty();
    let from = format!("file://{}", repository.path().display());
    clone.git(&["clone", "--quiet", "--filter", "blob:none", &from, "."]);
    let marker = clone.path().join("was-run");
    clone.git(&["config", "remote.origin.uploadpack", &format!("touch {}; false", marker.display())]);
    clone.git(&["config", "core.fsmonitor", &format!("touch {}", marker.display())]);
    let (code, answer) = clone.diff(&["HEAD~1"]);
    assert_eq!(code, Some(2), "{answer}");
    assert_eq!(changes(&answer)[0].0, "unanswerable", "{answer}");
    assert!(!marker.exists(), "something of the repository's configuration was run");
}

#[test]
fn links_and_subfolders_are_followed_as_on_disk() {
    let repository = Repository::new();
    repository.write("services/shop/Cargo.toml", MANIFEST);
    repository.write("services/common/effects.toml", CONFIGURATION);
    repository.write("services/common/charge.rs", SOURCE);
    repository.write("services/shop/src/lib.rs", "mod charge;\n");
    #[cfg(unix)]
    {
        let link = |to: &str, at: &str| {
            std::os::unix::fs::symlink(to, repository.path().join(at)).expect("a link");
        };
        link("../../common/charge.rs", "services/shop/src/charge.rs");
        link("../common/effects.toml", "services/shop/effects.toml");
        link("/etc/passwd", "services/shop/src/outside.rs");
        link("circle.rs", "services/shop/src/circle.rs");
        repository.commit();
        let shop = ["--manifest-path", "services/shop/Cargo.toml"];
        let (code, answer) = repository.diff(&[&["HEAD"], &shop[..]].concat());
        assert_eq!((code, &answer["unchanged"]), (Some(0), &Value::from(1)), "{answer}");
        repository.edit("services/common/charge.rs", "replay_horizon = \"3d\"", "replay_horizon = \"30d\"");
        let (_, answer) = repository.diff(&[&["HEAD"], &shop[..]].concat());
        assert_eq!(changes(&answer)[0].0, "weakened");
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let repository = service();
    repository.commit();
    repository.edit(LIB, "runbooks/charge.md", "| <img src=x> `a` [b](https://c.example) @team #1 \\u{202e}");
    repository.edit(LIB, "postgres: ledger", "</table>\\n\\n# heading\\n\\u{1b}[31m");
    let (_, markdown, _) = repository.run(&["diff", "HEAD", "--format", "markdown"]);
    let (_, human, _) = repository.run(&["diff", "HEAD"]);
    for text in [&markdown, &human] {
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
    }
    let options = pulldown_cmark::Options::all();
    let mut cells = 0;
    for event in pulldown_cmark::Parser::new_ext(&markdown, options) {
        use pulldown_cmark::{Event, HeadingLevel, Tag};
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link in\n{markdown}"),
            Event::Start(Tag::Heading { level, .. }) => assert_ne!(level, HeadingLevel::H1, "{markdown}"),
            Event::Start(Tag::TableCell) => cells += 1,
            Event::InlineHtml(tag) | Event::Html(tag) => {
                assert!(matches!(&*tag, "<code>" | "</code>"), "{tag} in\n{markdown}");
            }
            _ => {}
        }
    }
    // a head and two fields of four columns
    assert_eq!(cells, 12, "{markdown}");
}
