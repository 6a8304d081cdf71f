//! Texts beside the source: Markdown, TOML, SQL.

use super::run::package;

const LEVELS: usize = 100_000;

#[test]
fn markdown() {
    for unit in [
        "> ",
        ">",
        "- ",
        "* ",
        "1. ",
        "#",
        "`",
        "```\n",
        "[",
        "](",
        "![",
        "<a>",
        "<",
        "*a ",
        "_",
        "**",
        "~~",
        "|",
        "&",
        "\\",
        "- a\n  ",
        "> a\n",
        "[a]: b\n",
        "[^a]: ",
        "a\n\n",
        "exactly once ",
        "not ",
    ] {
        let text = format!("{}exactly once delivery", unit.repeat(LEVELS));
        package(unit, &[("README.md", &text)], &[0, 1]);
        let comments: String =
            format!("/// {}exactly once\nfn f() {{}}\n", unit.replace('\n', "\n/// ").repeat(LEVELS));
        package(&format!("comment {unit}"), &[("src/lib.rs", &comments)], &[0, 1]);
    }
    let stairs: String = (0..2_000).map(|depth| format!("{}- exactly once\n", "  ".repeat(depth))).collect();
    package("stairs", &[("README.md", &stairs)], &[0, 1]);
    let quotes: String = (0..2_000).map(|depth| format!("{}exactly once\n", "> ".repeat(depth))).collect();
    package("quotes", &[("README.md", &quotes)], &[0, 1]);
}

#[test]
fn toml() {
    for (open, close) in [("[", "]"), ("{ a = ", " }"), ("[{ a = ", " }]")] {
        let closed = format!("a = {}1{}\n", open.repeat(LEVELS), close.repeat(LEVELS));
        let cut = format!("a = {}", open.repeat(LEVELS));
        for text in [&closed, &cut] {
            package(&format!("{open} in effects.toml"), &[("effects.toml", text)], &[2]);
            package(&format!("{open} in Cargo.toml"), &[("Cargo.toml", text)], &[0, 1, 2]);
        }
    }
    for text in [
        format!("a{} = 1\n", ".a".repeat(LEVELS)),
        format!("[a{}]\n", ".a".repeat(LEVELS)),
        format!("[[a{}]]\n", ".a".repeat(LEVELS)),
        "[[effect]]\n".repeat(LEVELS),
        format!("a = \"{}\"\n", "\\u0041".repeat(LEVELS)),
        (0..LEVELS).map(|number| format!("[a{number}]\n")).collect(),
    ] {
        package("keys in effects.toml", &[("effects.toml", &text)], &[2]);
        package("keys in Cargo.toml", &[("Cargo.toml", &text)], &[0, 1, 2]);
    }
}

#[test]
fn sql() {
    for (before, open, middle, close) in [
        ("SELECT ", "(", "1", ")"),
        ("SELECT * FROM ", "(SELECT * FROM ", "a", ")"),
        ("SELECT ", "NOT ", "1", ""),
        ("SELECT ", "-", "1", ""),
        ("SELECT ", "1 + ", "1", ""),
        ("SELECT ", "CASE WHEN 1 THEN ", "1", " END"),
        ("SELECT ", "a.", "a", ""),
        ("SELECT 1 ", "UNION SELECT 1 ", "", ""),
        ("SELECT 1 WHERE ", "a AND ", "a", ""),
        ("SELECT 1 WHERE ", "a IN (", "1", ")"),
        ("", "BEGIN; ", "", ""),
        ("", "/* ", "", " */"),
        ("", "$$", "", ""),
        ("", "'", "", ""),
        ("CREATE TABLE a (b INT", ", c INT", "", ");"),
        ("INSERT INTO a VALUES (1)", ", (1)", "", ""),
        ("CREATE TABLE a (b ", "INT[", "", "]"),
        ("CREATE TABLE a (b ", "ARRAY<", "INT", ">"),
    ] {
        let text = format!("{before}{}{middle}{}", open.repeat(LEVELS), close.repeat(LEVELS));
        package(open, &[("migrations/1.sql", &text)], &[0, 1]);
        let source = format!("async fn f(p: &sqlx::PgPool) {{ sqlx::query({text:?}).execute(p).await; }}");
        package(&format!("{open} in a query"), &[("src/lib.rs", &source)], &[0, 1]);
    }
}
