//! Guarantee documents of whole workspaces: written, found up to date, and intact whatever the source is called.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

fn cargo_effects(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn read(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).expect("a text")
}

/// The second-level headings, and whether all rows of each table have one width.
fn outline(markdown: &str) -> (Vec<String>, bool) {
    let (mut headings, mut text, mut even) = (Vec::new(), String::new(), true);
    let (mut width, mut cells) = (0, 0);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_GFM) {
        match event {
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => headings.push(text.clone()),
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(TagEnd::TableHead) => width = std::mem::take(&mut cells),
            Event::End(TagEnd::TableRow) => even &= std::mem::take(&mut cells) == width,
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            _ => {}
        }
    }
    (headings, even)
}

const HANDLER: &str = r#"
/// Charges the invoice of kind NUMBER.
#[effect(
    name = "Charge NUMBER",
    intent_key = "invoice/{invoice}/NUMBER",
    provider = "stripe-v1",
    provider_window = at_least("24h"),
    terminal = [confirmed = Charge::Settled, rejected, reconciled],
    replay_horizon = "HORIZONd",
    delivery = at_least_once,
    boundary = "postgres: ledger",
    record = "ledger",
    reconcile = find,
    evidence_retention = "90d",
    operator = "runbooks/NUMBER.md",
)]
pub async fn chargeNUMBER(http: &reqwest::Client, invoice: u64) -> Result<(), reqwest::Error> {
    let request = http.post("https://api.stripe.com/v1/charges");
    request.header("Idempotency-Key", format!("invoice/{invoice}/NUMBER")).send().await?;
    Ok(())
}
"#;

/// A workspace of two packages with fifty handlers.
fn fifty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, "Cargo.toml", "[workspace]\nmembers = [\"shop\", \"mail\"]\nresolver = \"2\"\n");
    write(root, "effects.toml", "version = 1\n\n[docs]\ntables = [\"README.md\"]\n");
    write(root, "README.md", "# Shop\n\n<!-- effects:table -->\n<!-- effects:end -->\n\nThe end.\n");
    for (package, numbers) in [("shop", 0..30), ("mail", 30..50)] {
        let manifest = format!(
            "[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             effect-contracts = \"0.1\"\nreqwest = \"0.12\"\n"
        );
        write(root, &format!("{package}/Cargo.toml"), &manifest);
        let mut lib = "use effect_contracts::effect;\n\npub async fn find(invoice: u64) {}\n".to_owned();
        for number in numbers {
            let horizon = (number % 3 + 1).to_string();
            lib.push_str(&HANDLER.replace("NUMBER", &number.to_string()).replace("HORIZON", &horizon));
        }
        write(root, &format!("{package}/src/lib.rs"), &lib);
    }
    folder
}

#[test]
fn fifty_handlers_are_up_to_date_once_they_are_written() {
    let folder = fifty();
    let root = folder.path();
    assert_eq!(cargo_effects(root, &["docs"]).status.code(), Some(0));
    let (document, readme) = (read(root, "docs/guarantees.md"), read(root, "README.md"));
    let (headings, even) = outline(&document);
    assert_eq!((headings.len(), even), (50, true));
    assert!(readme.ends_with("\n<!-- effects:end -->\n\nThe end.\n"));
    assert_eq!(readme.lines().filter(|line| line.starts_with("| Charge ")).count(), 50);

    let again = cargo_effects(root, &["docs"]);
    assert_eq!(text(&again.stderr), "");
    assert_eq!((document, readme), (read(root, "docs/guarantees.md"), read(root, "README.md")));
    for arguments in [&["docs", "--check"][..], &["docs", "--check", "-p", "mail"], &["docs", "--check", "-j", "1"]] {
        let checked = cargo_effects(root, arguments);
        assert_eq!((checked.status.code(), text(&checked.stdout)), (Some(0), ""), "{arguments:?}");
    }
    for arguments in [&["check", "--workspace"][..], &["check", "-p", "shop"]] {
        let checked = cargo_effects(root, &[arguments, &["--format", "json"]].concat());
        let found = text(&checked.stdout);
        for rule in ["stale-guarantee-table", "unqualified-exactly-once", "unbounded-effectively-once"] {
            assert!(!found.contains(rule), "{rule} in {found}");
        }
    }
}

#[test]
fn a_changed_contract_makes_them_stale_whatever_is_selected() {
    let folder = fifty();
    let root = folder.path();
    cargo_effects(root, &["docs"]);
    let lib = read(root, "mail/src/lib.rs");
    write(root, "mail/src/lib.rs", &lib.replacen("at_least(\"24h\")", "at_least(\"2h\")", 1));
    let checked = cargo_effects(root, &["docs", "--check", "-p", "shop"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains("\n-| `provider_window` | `at_least 24h` | attribute |\n+"));
    let found = cargo_effects(root, &["check", "-p", "shop", "--format", "short"]);
    let stale = text(&found.stdout).lines().filter(|line| line.contains("deny[stale-guarantee-table]"));
    let places: Vec<&str> = stale.map(|line| line.split(':').next().unwrap_or_default()).collect();
    assert_eq!(places, ["README.md", "docs/guarantees.md"]);
}

#[test]
fn the_last_effect_of_a_package_leaves_no_old_document() {
    let folder = fifty();
    let root = folder.path();
    write(root, "effects.toml", "version = 1\n\n[docs]\nper-package = true\n");
    cargo_effects(root, &["docs"]);
    assert_eq!(outline(&read(root, "mail/docs/guarantees.md")).0.len(), 20);
    write(root, "mail/src/lib.rs", "pub fn nothing() {}\n");
    assert_eq!(cargo_effects(root, &["docs", "--check"]).status.code(), Some(1));
    cargo_effects(root, &["docs"]);
    assert!(read(root, "mail/docs/guarantees.md").ends_with("No effect is declared.\n"));
    assert!(!root.join("docs").exists());
}

/// `.ci/render` gives it to the real Mermaid parser, too.
const HOSTILE: &str = include_str!("documents/hostile.rs.txt");

/// Names and texts full of Markdown, HTML, control characters and Mermaid, through the whole program.
#[test]
fn a_hostile_workspace_leaves_the_document_intact() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, "Cargo.toml", "[package]\nname = \"nasty\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    write(root, "src/lib.rs", HOSTILE);
    write(root, "effects.toml", "version = 1\n\n[docs]\ntables = [\"README.md\"]\n");
    write(root, "README.md", "<!-- effects:table -->\n<!-- effects:end -->\n\n## Tail\n");
    assert_eq!(cargo_effects(root, &["docs"]).status.code(), Some(0));
    let document = read(root, "docs/guarantees.md");
    let (headings, even) = outline(&document);
    assert_eq!((headings.len(), even), (HOSTILE.matches("pub async fn").count(), true), "{headings:?}");
    assert!(document.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(!document.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{fffe}']));
    // a text that starts with line breaks opens no paragraph
    assert!(!document.contains("\n\n\n") && !document.contains(". \n"));
    let readme = read(root, "README.md");
    assert_eq!(outline(&readme), (vec!["Tail".to_owned()], true));
    assert_eq!(readme.matches("\n<!-- effects:end -->\n").count(), 1);
    assert_eq!(cargo_effects(root, &["docs", "--check"]).status.code(), Some(0));
}
