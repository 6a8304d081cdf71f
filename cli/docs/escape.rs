//! Escaping: a text of the application as Markdown, as a code span, as a label of a Mermaid diagram.
//!
//! The texts come from scanned code. None of them may end a cell, a span, a fence or a diagram, open a link or a tag,
//! or turn the reading direction of what follows.

use std::fmt::Write;

/// A text in a paragraph or a table cell, on one line.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let text = visible(text);
    for (at, c) in text.char_indices() {
        match c {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            // bare addresses become links on their own
            ':' if text[at..].starts_with("://") => out.push_str("\\:"),
            '.' if ends_with_word(&text[..at], "www") => out.push_str("\\."),
            // at the start these begin a list or a rule
            '-' | '+' | '=' if at == 0 => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if at > 0 && text[..at].bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(head) = text.len().checked_sub(word.len()).filter(|at| text.is_char_boundary(*at)) else {
        return false;
    };
    text[head..].eq_ignore_ascii_case(word)
}

/// Source text in a code span, in a paragraph or a table cell.
pub(crate) fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        return String::new();
    }
    if text.contains(['`', '|', '\\']) {
        // a pipe in a code span ends a table's cell in some readers and shows its backslash in others
        let mut out = String::from("<code>");
        for c in text.chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '.' | ',' | '/' | '(' | ')' | '-' => {
                    out.push(c);
                }
                c if c.is_alphanumeric() => out.push(c),
                c => {
                    let _ = write!(out, "&#{};", u32::from(c));
                }
            }
        }
        out.push_str("</code>");
        return out;
    }
    format!("`{text}`")
}

/// A label in a Mermaid diagram. Its entities are those of Mermaid, `#` and `;` around a number.
pub(super) fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let text = visible(text);
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 {
            out.push(' ');
        }
        // a keyword that ends blocks even in the middle of a label
        let keyword = word.eq_ignore_ascii_case("end");
        let mut before = None;
        let mut rest = word.chars().peekable();
        while let Some(c) = rest.next() {
            let hyphen = c == '-'
                && before.is_some_and(char::is_alphanumeric)
                && rest.peek().is_some_and(|c| c.is_alphanumeric());
            let plain = c.is_alphanumeric() || matches!(c, '.' | ',' | '/' | '_' | '(' | ')');
            if (plain || hyphen) && !(keyword && before.is_none()) {
                out.push(c);
            } else {
                let _ = write!(out, "#{};", u32::from(c));
            }
            before = Some(c);
        }
    }
    out
}

/// One line of characters that show: line breaks are spaces; what hides, or turns the direction, is named.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\n' | '\r' | '\t' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if hides(c) => {
                let _ = write!(out, "U+{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Control characters, what is no character at all, and those that only change how others are shown.
fn hides(c: char) -> bool {
    c.is_control()
        || u32::from(c) & 0xFFFE == 0xFFFE
        || matches!(
            u32::from(c),
            0x00AD
                | 0x061C
                | 0x115F..=0x1160
                | 0x180E
                | 0x200B..=0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF9..=0xFFFB
                | 0x1D173..=0x1D17A
                | 0xE0000..=0xE0FFF
        )
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// The visible text of a table cell, and whether anything but text is in it.
    fn cell(content: &str) -> (String, bool) {
        let table = format!("| a | b |\n| --- | --- |\n| {content} | x |\n");
        let mut texts = Vec::new();
        let mut text = String::new();
        let mut plain = true;
        for event in Parser::new_ext(&table, Options::all().difference(Options::ENABLE_SMART_PUNCTUATION)) {
            match event {
                Event::Start(Tag::TableCell) => text.clear(),
                Event::End(pulldown_cmark::TagEnd::TableCell) => texts.push(text.clone()),
                Event::Text(part) => text.push_str(&part),
                Event::Code(part) => text.push_str(&part),
                Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow) | Event::End(_) => {}
                Event::InlineHtml(tag) if matches!(&*tag, "<code>" | "</code>") => {}
                _ => plain = false,
            }
        }
        assert_eq!(texts.len(), 4, "{table}");
        (texts[2].clone(), plain)
    }

    const HOSTILE: [&str; 18] = [
        "a|b",
        "a \\| b",
        "`code` ``x``",
        "[text](https://evil.example)",
        "![x](y)",
        "<script>alert(1)</script>",
        "&lt;b&gt; &#60;",
        "**bold** _em_ ~~gone~~",
        "# heading",
        "- item",
        "1. item",
        "https://evil.example/www.x",
        "a{b}c",
        "back\\slash",
        "footnote[^1]",
        "a$b$c",
        "<!-- effects:end -->",
        "=== rule",
    ];

    #[test]
    fn hostile_text_is_shown_as_it_is() {
        for text in HOSTILE {
            assert_eq!(cell(&markdown(text)), (text.into(), true), "{text}");
            assert_eq!(cell(&code(text)).0, text, "{text}");
            assert!(cell(&code(text)).1, "{text}");
        }
    }

    #[test]
    fn a_paragraph_shows_the_same() {
        for text in HOSTILE {
            let mut shown = String::new();
            let source = markdown(text);
            for event in Parser::new_ext(&source, Options::all().difference(Options::ENABLE_SMART_PUNCTUATION)) {
                match event {
                    Event::Text(part) => shown.push_str(&part),
                    Event::Start(Tag::Paragraph) | Event::End(_) => {}
                    other => panic!("{other:?} in {source}"),
                }
            }
            assert_eq!(shown, text);
        }
    }

    #[test]
    fn lines_and_hidden_characters_are_made_visible() {
        assert_eq!(markdown("a\r\nb\tc"), "a b c");
        assert_eq!(markdown("a\u{202e}b\u{0}"), "aU+202EbU+0000");
        assert_eq!(code("a\u{2066}b"), "`aU+2066b`");
        assert_eq!(mermaid("a\nb\u{200b}"), "a bU#43;200B");
    }

    #[test]
    fn diagrams_are_not_left() {
        assert_eq!(mermaid("end"), "#101;nd");
        assert_eq!(mermaid("a;b%%c\"d"), "a#59;b#37;#37;c#34;d");
        assert_eq!(mermaid("```\nx"), "#96;#96;#96; x");
        assert_eq!(mermaid("invoice/{id}"), "invoice/#123;id#125;");
        assert_eq!(mermaid("stripe-v1 --> x"), "stripe-v1 #45;#45;#62; x");
        for text in HOSTILE {
            let label = mermaid(text);
            assert!(
                label.chars().all(|c| c.is_alphanumeric() || " .,/_()#;-".contains(c) && !label.contains("--")),
                "{label}"
            );
        }
    }
}
