//! All formats carry the same findings, at positions counted by hand.

use serde_json::Value;

use super::*;
use crate::findings::{Confidence, Coverage, Level, LevelEntry, Place, Policy, Step, Violation, settle};
use crate::pipeline::workspace_of_texts;
use crate::rules::RULES;
use crate::source::TextRange;

const LIB: &str = "// é\r\nfn charge() {\r\n    let key = make();\r\n    send(\"ü\", key);\r\n}\r\n";
const KEYS: &str = "pub fn make() -> String {\n    random()\n}\n";

fn place(path: &str, text: &str, needle: &str) -> Place {
    let start = text.find(needle).expect("the needle is in the text") as u32;
    Place::Text { path: path.into(), range: TextRange { start, end: start + needle.len() as u32 } }
}

/// Two findings of the first two rules; whatever their rules are, only form is looked at here.
fn report() -> Report {
    let workspace = workspace_of_texts(vec![
        ("src/lib.rs".into(), LIB.into()),
        ("src/bin/keys.rs".into(), KEYS.into()),
        ("docs/a b.md".into(), "never | twice\n".into()),
    ])
    .expect("a workspace");
    let first = Violation {
        rule: RULES[0].name,
        confidence: Confidence::Certain,
        message: "the key is made anew, so a retry charges <twice> & \u{202e}more".into(),
        help: "derive it from the invoice".into(),
        place: place("src/lib.rs", LIB, "key);"),
        path: vec![
            Step { place: place("src/bin/keys.rs", KEYS, "random()"), note: "a random value is made here".into() },
            Step { place: place("src/lib.rs", LIB, "key = make()"), note: "it becomes `key`".into() },
        ],
        handler: Some("shop::charge".into()),
        detail: vec![("origin", "random".into())],
    };
    let second = Violation {
        rule: RULES[1].name,
        confidence: Confidence::Possible,
        message: "a claim | with `marks`".into(),
        help: String::new(),
        place: place("docs/a b.md", "never | twice\n", "twice"),
        path: Vec::new(),
        handler: None,
        detail: Vec::new(),
    };
    let coverage = Coverage { files: 2, ..Coverage::default() };
    let mut policy = Policy::default();
    let rule = RULES[0].name.to_owned();
    let (level, place) = (Level::Deny, None);
    policy.levels.push(LevelEntry { rule, level, place });
    settle(&workspace, vec![first, second], coverage, &policy)
}

const ALL: Options = Options { color: false, notes: true, width: 100 };

/// (rule, file, line, column) in order of the report.
fn expected() -> Vec<(String, String, u64, u64)> {
    vec![(RULES[1].name.into(), "docs/a b.md".into(), 1, 9), (RULES[0].name.into(), "src/lib.rs".into(), 4, 15)]
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
fn json_and_sarif_and_rustc_and_gitlab_carry_the_same_findings() {
    let report = report();
    let json: Value = serde_json::from_str(&render(&report, Format::Json, ALL)).expect("JSON");
    let of_json: Vec<_> = json["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|f| (text(&f["rule"]), text(&f["file"]), number(&f["line"]), number(&f["column"])))
        .collect();
    assert_eq!(of_json, expected());

    let sarif: Value = serde_json::from_str(&render(&report, Format::Sarif, ALL)).expect("SARIF is JSON");
    let of_sarif: Vec<_> = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|r| {
            let place = &r["locations"][0]["physicalLocation"];
            let rules = &sarif["runs"][0]["tool"]["driver"]["rules"];
            let index = number(&r["ruleIndex"]) as usize;
            assert_eq!(rules[index]["id"], r["ruleId"]);
            (
                text(&r["ruleId"]),
                text(&place["artifactLocation"]["uri"]).replace("%20", " "),
                number(&place["region"]["startLine"]),
                number(&place["region"]["startColumn"]),
            )
        })
        .collect();
    assert_eq!(of_sarif, expected());
    let flow = &sarif["runs"][0]["results"][1]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(2));

    let rustc = render(&report, Format::Rustc, ALL);
    let of_rustc: Vec<_> = rustc
        .lines()
        .map(|line| {
            let diagnostic: Value = serde_json::from_str(line).expect("JSON a line");
            let span = &diagnostic["spans"][0];
            assert_eq!(span["is_primary"], true);
            let rule = text(&diagnostic["code"]["code"]).replace("effects::", "");
            (rule, text(&span["file_name"]), number(&span["line_start"]), number(&span["column_start"]))
        })
        .collect();
    assert_eq!(of_rustc, expected());

    let gitlab: Value = serde_json::from_str(&render(&report, Format::Gitlab, ALL)).expect("JSON");
    let of_gitlab: Vec<_> = gitlab
        .as_array()
        .expect("an array")
        .iter()
        .map(|issue| {
            let place = &issue["location"];
            (text(&issue["check_name"]), text(&place["path"]), number(&place["lines"]["begin"]))
        })
        .collect();
    let without_column: Vec<_> = expected().into_iter().map(|(rule, file, line, _)| (rule, file, line)).collect();
    assert_eq!(of_gitlab, without_column);
}

#[test]
fn text_formats_carry_the_same_findings() {
    let report = report();
    for (word, format) in Format::ALL {
        let text = render(&report, format, ALL);
        for (rule, file, line, column) in expected() {
            assert!(text.contains(&rule), "{word} names {rule}:\n{text}");
            let place = match format {
                Format::Human | Format::Short | Format::Junit | Format::Markdown => {
                    format!("{file}:{line}:{column}")
                }
                Format::Github => format!("file={file},line={line},col={column}"),
                _ => continue,
            };
            assert!(text.contains(&place), "{word} says {place}:\n{text}");
        }
        if format.for_people() {
            assert!(!text.contains('\u{202e}'), "{word} lets a control character through");
        }
    }
}

#[test]
fn junit_is_well_formed() {
    let text = render(&report(), Format::Junit, ALL);
    let opened = text.matches("<testcase ").count();
    assert_eq!(opened, text.matches("</testcase>").count());
    assert!(text.contains("charges &lt;twice&gt; &amp; "));
    assert!(text.contains("tests=\"2\" failures=\"1\""));
}

#[test]
fn notes_are_hidden_from_people_only() {
    let report = report();
    let quiet = Options { notes: false, ..ALL };
    assert_eq!(render(&report, Format::Short, quiet).lines().count(), 1);
    assert_eq!(render(&report, Format::Short, ALL).lines().count(), 2);
    assert_eq!(render(&report, Format::Json, quiet), render(&report, Format::Json, ALL));
    assert!(closing(&report, false).contains("1 note hidden (-v shows them)"));
}

#[test]
fn human_shows_the_way_in_both_files() {
    let text = render(&report(), Format::Human, Options { notes: false, ..ALL });
    assert_eq!(text, HUMAN.replace("RULE", RULES[0].name));
}

const HUMAN: &str = "\
deny[RULE]

  × the key is made anew, so a retry charges <twice> & \u{fffd}more
   ╭─[src/lib.rs:4:15]
 2 │ fn charge() {
 3 │     let key = make();
   ·         ──────┬─────
   ·               ╰── 2. it becomes `key`
 4 │     send(\"ü\", key);
   ·               ─────
 5 │ }
   ╰────
  help: derive it from the invoice

  ☞ on its way through src/bin/keys.rs
   ╭─[src/bin/keys.rs:2:5]
 1 │ pub fn make() -> String {
 2 │     random()
   ·     ────┬───
   ·         ╰── 1. a random value is made here
 3 │ }
   ╰────

";

/// A long file costs no more per finding than a short one.
#[test]
fn the_line_table_answers_in_a_large_file() {
    let line = "    let nothing = 1;\n";
    let text = line.repeat(60_000);
    let workspace = workspace_of_texts(vec![("src/lib.rs".into(), text.clone())]).expect("a workspace");
    let violations: Vec<Violation> = (0..2_000)
        .map(|number| Violation {
            rule: RULES[0].name,
            confidence: Confidence::Certain,
            message: "m".into(),
            help: "h".into(),
            place: Place::Text {
                path: "src/lib.rs".into(),
                range: TextRange { start: number * 500, end: number * 500 + 3 },
            },
            path: Vec::new(),
            handler: None,
            detail: vec![("number", number.to_string())],
        })
        .collect();
    let report = settle(&workspace, violations, Coverage::default(), &Policy::default());
    assert_eq!(report.findings.len(), 2_000);
    assert!(report.findings.iter().all(|finding| finding.level == RULES[0].default_level));
    let start = std::time::Instant::now();
    let text = render(&report, Format::Human, ALL);
    let took = start.elapsed();
    assert!(text.contains("src/lib.rs:47596:"), "the last finding is shown");
    // a scan of the text for each finding would take seconds
    assert!(took.as_millis() < 1_500, "{took:?} for 2,000 findings");
}
