//! The form of a rule's page.
//!
//! `# rule-name`, then the fixed second-level headings. Under *Flagged* and *Silent* each third-level heading starts an
//! example: all fenced blocks up to the next heading, one file each. The fence's words after the language may hold
//! `file=…`; without it Rust is `src/lib.rs`, TOML `effects.toml`, Markdown `README.md`.
//!
//! A comment `//~ rule-name` (in TOML `#~`, in Markdown `<!--~ … -->`) says that its line is flagged; each `^` after
//! the tilde moves one line up. `//~ path` says that the way of a finding has a step on the line. Comments are cut out
//! before the example is read.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// A page taken apart.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub title: String,
    pub headings: Vec<String>,
    pub flagged: Vec<Example>,
    pub silent: Vec<Example>,
}

/// One example.
#[derive(Debug, Default)]
pub(super) struct Example {
    pub title: String,
    /// path and text, marks cut out
    pub files: Vec<(String, String)>,
    pub marks: Vec<Mark>,
}

/// What must be true of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub file: String,
    pub line: u32,
    /// a rule name, or `path`
    pub what: String,
}

impl Page {
    pub(super) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<(HeadingLevel, String)> = None;
        let mut fence: Option<(String, String)> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, text)) = heading.take() {
                        page.heading(level, text);
                    }
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    fence = Some((info.to_string(), String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, text)) = fence.take() {
                        page.fence(&info, &text);
                    }
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some((_, content)) = &mut heading {
                        content.push_str(&text);
                    } else if let Some((_, content)) = &mut fence {
                        content.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }

    fn heading(&mut self, level: HeadingLevel, text: String) {
        match level {
            HeadingLevel::H1 => self.title = text,
            HeadingLevel::H2 => self.headings.push(text),
            HeadingLevel::H3 => {
                let example = Example { title: text, ..Example::default() };
                match self.headings.last().map(String::as_str) {
                    Some("Flagged") => self.flagged.push(example),
                    Some("Silent") => self.silent.push(example),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn fence(&mut self, info: &str, text: &str) {
        let example = match self.headings.last().map(String::as_str) {
            Some("Flagged") => self.flagged.last_mut(),
            Some("Silent") => self.silent.last_mut(),
            _ => None,
        };
        let Some(example) = example else { return };
        let language = info.split([' ', ',']).next().unwrap_or_default();
        let named = info.split([' ', ',']).find_map(|word| word.strip_prefix("file="));
        let file = named.unwrap_or(match language {
            "toml" => "effects.toml",
            "markdown" => "README.md",
            _ => "src/lib.rs",
        });
        let (text, marks) = cut_marks(file, text);
        example.files.push((file.to_owned(), text));
        example.marks.extend(marks);
    }
}

fn cut_marks(file: &str, text: &str) -> (String, Vec<Mark>) {
    let mut marks = Vec::new();
    let mut kept = String::new();
    for (number, line) in text.lines().enumerate() {
        let found = ["//~", "#~", "<!--~"].iter().find_map(|start| line.split_once(start));
        let Some((code, comment)) = found else {
            kept.push_str(line);
            kept.push('\n');
            continue;
        };
        kept.push_str(code.trim_end());
        kept.push('\n');
        let words = comment.trim_start_matches('^');
        let up = comment.len() - words.len();
        for what in words.trim_end_matches("-->").split_whitespace() {
            marks.push(Mark {
                file: file.to_owned(),
                line: (number + 1).saturating_sub(up) as u32,
                what: what.to_owned(),
            });
        }
    }
    (kept, marks)
}

#[test]
fn marks_are_cut_and_counted() {
    let page = Page::parse(
        "# r\n\n## Flagged\n\n### One\n\n```rust file=src/a.rs\nlet a = 1; //~ r path\n//~^^ s\n```\n\n```toml\nb = 1 #~ r\n```\n",
    );
    let example = &page.flagged[0];
    assert_eq!(example.files[0], ("src/a.rs".to_owned(), "let a = 1;\n\n".to_owned()));
    let marks: Vec<_> = example.marks.iter().map(|m| (m.file.as_str(), m.line, m.what.as_str())).collect();
    assert_eq!(marks, [("src/a.rs", 1, "r"), ("src/a.rs", 1, "path"), ("src/a.rs", 0, "s"), ("effects.toml", 1, "r")]);
}
