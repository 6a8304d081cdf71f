//! Marked blocks: the table between `<!-- effects:table -->` and `<!-- effects:end -->` in a file that people write.

use std::ops::Range;

/// What filling did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Filled {
    /// the whole text with its blocks filled
    Text(String),
    /// the text has no marked block
    NoBlock,
    /// a mark without its partner, at this byte
    Unbalanced(usize),
}

/// What a generated document carries, so that nobody takes it for somebody's own words.
pub(super) const DOCUMENT: &str = "<!-- effects:document -->";

const BEGIN: &str = "<!-- effects:table -->";
const END: &str = "<!-- effects:end -->";

/// Fills all marked blocks of a text with a table. Marks in fenced code are examples and are left alone.
pub fn fill(text: &str, table: &str) -> Filled {
    let marks = marks(text);
    if marks.is_empty() {
        return Filled::NoBlock;
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let table = table.trim_end().replace('\n', newline);
    let mut out = String::with_capacity(text.len() + table.len());
    let mut copied = 0;
    let mut open: Option<Range<usize>> = None;
    for (is_begin, range) in marks {
        match (is_begin, &open) {
            (true, None) => open = Some(range),
            (false, Some(begin)) => {
                out.push_str(&text[copied..begin.end]);
                out.push_str(newline);
                out.push_str(newline);
                out.push_str(&table);
                out.push_str(newline);
                out.push_str(newline);
                copied = range.start;
                open = None;
            }
            (true, Some(_)) | (false, None) => return Filled::Unbalanced(range.start),
        }
    }
    if let Some(begin) = open {
        return Filled::Unbalanced(begin.start);
    }
    out.push_str(&text[copied..]);
    Filled::Text(out)
}

/// Whether a text is a document that this tool wrote: it carries the mark on one of its first lines.
pub fn is_generated(text: &str) -> bool {
    const FRONT_MATTER: usize = 40;
    text.lines().take(FRONT_MATTER).any(|line| line.trim() == DOCUMENT)
}

/// A document with its mark: first of all, or behind front matter, which is none unless it comes first.
pub(super) fn marked(text: &str) -> String {
    if is_generated(text) {
        return text.to_owned();
    }
    let end = ["---\n", "+++\n"].into_iter().find_map(|fence| {
        let rest = text.strip_prefix(fence)?;
        let closing = rest.find(&format!("\n{fence}"))?;
        Some(fence.len() + closing + 1 + fence.len())
    });
    let (front, body) = text.split_at(end.unwrap_or(0));
    format!("{front}{DOCUMENT}\n\n{}", body.trim_start_matches('\n'))
}

/// Lines that are a mark, outside of fenced code: whether it begins a block, and its bytes.
fn marks(text: &str) -> Vec<(bool, Range<usize>)> {
    let mut marks = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        if let Some((symbol, length)) = fence_of(trimmed) {
            match fence {
                None => fence = Some((symbol, length)),
                Some((open, least)) => {
                    let closes = symbol == open && length >= least && trimmed.len() == length;
                    if closes {
                        fence = None;
                    }
                }
            }
            continue;
        }
        if fence.is_none() && (trimmed == BEGIN || trimmed == END) {
            marks.push((trimmed == BEGIN, at..at + trimmed.len()));
        }
    }
    marks
}

/// The symbol and length of a code fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let symbol = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == symbol).count();
    (length >= 3).then_some((symbol, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> String {
        match fill(text, "| new |\n") {
            Filled::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_block_is_replaced_and_the_rest_kept() {
        let text = "# a\n\n<!-- effects:table -->\nold\n<!-- effects:end -->\ntail";
        let once = filled(text);
        assert_eq!(once, "# a\n\n<!-- effects:table -->\n\n| new |\n\n<!-- effects:end -->\ntail");
        assert_eq!(filled(&once), once);
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        let text = "a\r\n<!-- effects:table -->\r\n<!-- effects:end -->\r\n";
        assert_eq!(filled(text), "a\r\n<!-- effects:table -->\r\n\r\n| new |\r\n\r\n<!-- effects:end -->\r\n");
    }

    #[test]
    fn marks_in_code_and_in_running_text_are_no_marks() {
        let text = "````\n```\n<!-- effects:table -->\n````\nsee `<!-- effects:table -->` there\n";
        assert_eq!(fill(text, "t"), Filled::NoBlock);
        assert_eq!(fill("no marks", "t"), Filled::NoBlock);
    }

    #[test]
    fn a_mark_without_partner_is_found() {
        assert_eq!(fill("x\n<!-- effects:table -->\n", "t"), Filled::Unbalanced(2));
        assert_eq!(fill("<!-- effects:end -->\n", "t"), Filled::Unbalanced(0));
        let twice = "<!-- effects:table -->\n<!-- effects:table -->\n<!-- effects:end -->\n";
        assert_eq!(fill(twice, "t"), Filled::Unbalanced(23));
    }

    #[test]
    fn a_document_is_marked_once_and_behind_its_front_matter() {
        assert_eq!(marked("# a\n"), "<!-- effects:document -->\n\n# a\n");
        let once = marked("---\ntitle: a\n---\n\n# a\n");
        assert_eq!(once, "---\ntitle: a\n---\n<!-- effects:document -->\n\n# a\n");
        assert_eq!(marked(&once), once);
        assert!(is_generated(&once.replace('\n', "\r\n")));
        assert!(!is_generated("see `<!-- effects:document -->`\n"));
    }

    #[test]
    fn two_blocks_are_both_filled() {
        let block = "<!-- effects:table -->\n<!-- effects:end -->\n";
        let text = format!("{block}between\n{block}");
        assert_eq!(filled(&text).matches("| new |").count(), 2);
    }
}
