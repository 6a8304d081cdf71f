//! Sentences that claim and sentences that only look like it; positions; hostile texts.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{Backed, Claim, Promise, Text, TextKind, claims};
use crate::findings::Confidence;

fn read(text: &str, kind: TextKind) -> Vec<Claim> {
    claims(Text { text, kind, history: false, own: &[] }, &[])
}

/// Each line of `tests/sentences.txt` is a document of its own; all that is wrong is shown at once.
#[test]
fn sentences_are_heard_as_they_are_meant() {
    let mut wrong = String::new();
    let mut count = 0;
    for line in include_str!("tests/sentences.txt").lines() {
        let Some((volume, rest)) = line.split_once(' ').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let (kind, text) = rest.split_once(' ').expect("a kind and a text");
        let kind = match kind {
            "md" => TextKind::Markdown,
            "rs" => TextKind::Rust,
            "toml" => TextKind::Manifest,
            other => panic!("unknown kind {other}"),
        };
        let found = read(&text.replace("\\n", "\n"), kind);
        let loud = found.iter().any(|claim| claim.confidence > Confidence::Possible);
        let right = match volume {
            "loud" => loud,
            "any" => !found.is_empty(),
            "quiet" => !loud,
            other => panic!("unknown volume {other}"),
        };
        count += 1;
        if !right {
            let found: Vec<_> = found.iter().map(|claim| (&claim.phrase, claim.confidence)).collect();
            let _ = writeln!(wrong, "{volume}: {text}\n    {found:?}");
        }
    }
    assert!(count > 300, "only {count} sentences were read");
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The text that each claim's range covers.
fn covered(text: &str, kind: TextKind) -> Vec<&str> {
    read(text, kind).iter().map(|claim| &text[claim.range.start as usize..claim.range.end as usize]).collect()
}

#[test]
fn ranges_cover_the_phrase_in_the_source() {
    let cases = [
        (TextKind::Markdown, "Jobs run **exactly** once.", "exactly** once"),
        (TextKind::Markdown, "Every mail is sent exactly\r\nonce.", "exactly\r\nonce"),
        (TextKind::Markdown, "Größe: &amp; every mail is sent exactly once.", "exactly once"),
        (TextKind::Markdown, "<p>\n  Every mail is sent exactly <b>once</b>.\n</p>", "exactly <b>once"),
        (
            TextKind::Markdown,
            "---\ntitle: x\ndescription: >\n  Every mail is sent\n  exactly once.\n---\n",
            "exactly once",
        ),
        (TextKind::Markdown, "| a | b |\n|--|--|\n| Delivery | exactly once |\n", "exactly once"),
        (TextKind::Rust, "\u{feff}/// Every mail is sent exactly\r\n///   once.\r\nfn f() {}", "exactly\r\n///   once"),
        (TextKind::Rust, "/**\n  * Every mail is\n  * sent exactly once.\n  */\nfn f() {}", "exactly once"),
        (TextKind::Rust, "#[doc = \"Every \\\"mail\\\" is sent exactly once.\"]\nfn f() {}", "exactly once"),
        (TextKind::Rust, "#![doc = r#\"Every mail is sent exactly once.\"#]", "exactly once"),
        (TextKind::Manifest, "[package]\ndescription = \"Every \\\"mail\\\" is sent exactly once\"", "exactly once"),
        (
            TextKind::Manifest,
            "[workspace.package]\ndescription = '''\nEvery mail is sent\nexactly once'''",
            "exactly once",
        ),
    ];
    for (kind, text, phrase) in cases {
        assert_eq!(covered(text, kind), [phrase], "in {text:?}");
    }
}

#[test]
fn the_two_promises_are_told_apart() {
    let promise = |text| read(text, TextKind::Markdown).first().map(|claim| claim.promise);
    assert_eq!(promise("Charges are exactly once."), Some(Promise::ExactlyOnce));
    assert_eq!(promise("Charges are effectively once."), Some(Promise::EffectivelyOnce));
    assert_eq!(promise("Charges are effectively exactly once."), Some(Promise::EffectivelyOnce));
}

#[test]
fn a_changelog_only_tells() {
    let text = Text { text: "Mails are sent exactly once.", kind: TextKind::Markdown, history: true, own: &[] };
    assert_eq!(claims(text, &[])[0].confidence, Confidence::Possible);
}

#[test]
fn the_projects_own_name_is_no_other_product() {
    let own = ["restate".to_owned(), "server".to_owned()];
    let confidence = |text: &str| {
        claims(Text { text, kind: TextKind::Markdown, history: false, own: &own }, &[]).first().map(|it| it.confidence)
    };
    assert_eq!(confidence("Restate guarantees that tasks run exactly once."), Some(Confidence::Certain));
    assert_eq!(confidence("Kafka guarantees that events are delivered exactly once."), Some(Confidence::Possible));
}

#[test]
fn a_sentence_has_one_verdict() {
    let text = "Mails are sent exactly once, payments are made exactly once, and no order is shipped twice.";
    assert_eq!(read(text, TextKind::Markdown).len(), 1);
}

#[test]
fn plain_claims_are_certain() {
    for text in [
        "Mails are sent exactly once.",
        "Gravel guarantees exactly-once delivery.",
        "# gravel\n\n- Exactly-once job processing",
    ] {
        assert_eq!(read(text, TextKind::Markdown)[0].confidence, Confidence::Certain, "{text}");
    }
    for text in
        ["Normally mails are sent exactly once.", "At-least-once or exactly-once delivery.", "No mail is sent twice."]
    {
        assert_eq!(read(text, TextKind::Markdown)[0].confidence, Confidence::Likely, "{text}");
    }
}

#[test]
fn generated_blocks_are_not_read() {
    let text = "<!-- effects:table -->\n| a | mails are sent exactly once |\n| - | - |\n<!-- effects:end -->\n\nMails are sent exactly once.";
    assert_eq!(covered(text, TextKind::Markdown).len(), 1);
}

#[test]
fn a_mark_that_nothing_closes_silences_nothing() {
    let text = "<!-- effects:end -->\n\n<!-- effects:table -->\n\nMails are sent exactly once.";
    assert_eq!(covered(text, TextKind::Markdown), ["exactly once"]);
}

fn handlers() -> [Backed; 2] {
    let handler = |path: &str, name: &str| Backed {
        handler: path.into(),
        name: Some(name.into()),
        effect: Some(format!("{name}-effect")),
        anchor: path.replace("::", "-"),
        sentence: format!("Mails are effectively once without end, by key `{path}/{{id}}` at acme."),
        claim: "effectively once for the horizon".into(),
        item: None,
    };
    [handler("shop::charge_card", "Charge a card"), handler("shop::mail", "Mail a receipt")]
}

/// What a finding offers instead, by the text it stands in.
fn offered(text: &str) -> String {
    let text = Text { text, kind: TextKind::Markdown, history: false, own: &[] };
    claims(text, &handlers()).first().map(|claim| claim.suggestion.clone()).unwrap_or_default()
}

#[test]
fn a_claim_near_a_handler_is_answered_by_what_holds_for_it() {
    for text in [
        "`charge_card` makes the payment exactly once.",
        "Charge a card: the payment is made exactly once.",
        "## Charge a card\n\nEvery payment is made exactly once.",
        "Every payment is made [exactly once](docs/guarantees.md#shop-charge_card).",
        "| Handler | Delivery |\n| --- | --- |\n| `shop::charge_card` | exactly once |",
        "How we use `charge_card`:\n\n- every payment is made exactly once\n",
    ] {
        assert_eq!(
            offered(text),
            "write what holds for `shop::charge_card`: \"Mails are effectively once without end, by key `shop::charge_card/{id}` at acme.\"",
            "{text}"
        );
    }
    // nobody is named, two are, or the name is a word
    for text in [
        "Every payment is made exactly once.",
        "Payments by `charge_card` and `mail` are made exactly once.",
        "Every mail is sent exactly once.",
        "# Charge a card\n\nText.\n\n# Other things\n\nEvery payment is made exactly once.",
    ] {
        assert!(!offered(text).is_empty() && !offered(text).contains("write what holds"), "{text}: {}", offered(text));
    }
}

#[test]
fn derived_sentences_are_no_claims() {
    for text in [
        "MAILS ARE EFFECTIVELY ONCE without end, by key `shop::charge_card/{id}` at acme.",
        "- Mails are *effectively once* without end, by\n  key `shop::charge_card/{id}` at acme.",
        "| Handler | Guarantee |\n| --- | --- |\n| Charge a card | effectively once for the horizon |",
    ] {
        assert!(!read(text, TextKind::Markdown).is_empty(), "{text}");
        assert_eq!(offered(text), "", "{text}");
    }
    for text in [
        "Mails are effectively once without end.",
        "| Handler | Guarantee |\n| --- | --- |\n| Something else | effectively once for the horizon |",
        "Mails are effectively once without end, by key `shop::charge_card/{id}` at acme. Refunds are effectively once.",
    ] {
        assert_ne!(offered(text), "", "{text}");
    }
}

#[test]
fn code_and_test_code_are_not_read() {
    let text = "fn a() { let _ = \"/// mails are sent exactly once\"; let _ = r#\"\n/// mails are sent exactly once\n\"#; let _ = '\"'; }\n// mails are sent exactly once\n#[cfg(test)]\n/// mails are sent exactly once\nmod tests { /// mails are sent exactly once\n fn b() { let _ = \"}\"; } }\n#[tokio::test]\n/// mails are sent exactly once\nasync fn c() {}\n#[cfg(not(test))]\n/// Mails are sent exactly once.\nfn d() {}\n";
    assert_eq!(read(text, TextKind::Rust).len(), 1);
}

/// Nothing panics, and time grows with the length of the text.
#[test]
fn hostile_texts_are_read_in_time() {
    let sentence = "no mail is sent exactly once, ";
    let texts = [
        sentence.repeat(1_000),
        "exactly once ".repeat(4_000),
        format!("{}exactly once", "> ".repeat(200_000)),
        format!("{}exactly once", "- ".repeat(50_000)),
        format!("{}exactly once\n", "> ".repeat(400)).repeat(200),
        format!("{}exactly once\n", "1. ".repeat(20_000)),
        format!("{} exactly once", "<".repeat(100_000)),
        format!("{} exactly once", "<!--".repeat(50_000)),
        format!("{}exactly once{}", "*a ".repeat(30_000), "*".repeat(30_000)),
        format!("| {} |\n|-|\n| exactly once |", "a | ".repeat(20_000)),
        format!("{}exactly once", "[".repeat(50_000)),
        "never a b c d e twice ".repeat(2_000),
        format!("{} exactly once", "\u{1F980}\u{E000}\u{E001}é".repeat(20_000)),
        "- exactly once\n".repeat(2_000),
        "exactly once.\n\n".repeat(2_000),
        format!("description = \"{} exactly once\"", "\\u0041".repeat(20_000)),
    ];
    for text in &texts {
        for kind in [TextKind::Markdown, TextKind::Manifest] {
            let start = Instant::now();
            let _ = read(text, kind);
            assert!(start.elapsed() < Duration::from_secs(20), "{} …", text.chars().take(30).collect::<String>());
        }
    }
    for text in [
        "/*",
        "/** exactly once",
        "#[doc = \"exactly once",
        "#[doc = r##\"exactly once\"#",
        "r\"",
        "'",
        "'\\",
        "#[",
        "//! exactly once\r",
        "/***/",
        "/**/",
        "/*! exactly once*/",
        "b'\"' \"/// exactly once",
    ] {
        let _ = read(text, TextKind::Rust);
        let _ = read(&text.repeat(1000), TextKind::Rust);
    }
}
