//! Text between HTML tags.
//!
//! In: pieces of HTML as the Markdown parser hands them over, with their place. Out: a row of [`Piece`]s. It is a
//! scanner, not a parser: tags are never matched, so broken HTML costs at most a wrong cut.

/// What the scanner meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    /// running text at that offset of the piece of HTML
    Text(&'a str, usize),
    /// a tag that starts or ends a block
    Block,
    /// `<h1>` to `<h6>`
    Heading(u8),
    /// start of a link, or its end
    Link(bool),
    /// a comment's text
    Comment(&'a str),
}

/// What is open from one piece of HTML to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scanner {
    /// waits for this closing text and drops everything before it
    skip: Option<String>,
}

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];
const SILENT: &[&str] = &["code", "pre", "script", "style", "kbd", "samp", "svg", "del", "s", "textarea"];

impl Scanner {
    /// Whether text is being dropped, up to a closing tag that has not come yet.
    pub(super) fn silent(&self) -> bool {
        self.skip.is_some()
    }

    /// Scans one piece of HTML.
    pub(super) fn scan<'a>(&mut self, html: &'a str, mut see: impl FnMut(Piece<'a>)) {
        let mut at = 0;
        while at < html.len() {
            if let Some(end) = &self.skip {
                match find_ignoring_case(&html[at..], end) {
                    Some(found) => at += found + end.len(),
                    None => return,
                }
                self.skip = None;
                continue;
            }
            let rest = &html[at..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                let end = comment.find("-->");
                see(Piece::Comment(&comment[..end.unwrap_or(comment.len())]));
                match end {
                    Some(end) => at += 4 + end + 3,
                    None => self.skip = Some("-->".into()),
                }
                if self.skip.is_some() {
                    return;
                }
            } else if rest.starts_with('<')
                && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
            {
                let length = rest.find('>').map_or(rest.len(), |end| end + 1);
                self.tag(&rest[..length], &mut see);
                at += length;
            } else {
                // a lone `<` is text; the next one may start a tag
                let next = rest.char_indices().skip(1).find(|&(_, character)| character == '<');
                let length = next.map_or(rest.len(), |(next, _)| next);
                see(Piece::Text(&rest[..length], at));
                at += length;
            }
        }
    }

    fn tag<'a>(&mut self, tag: &str, see: &mut impl FnMut(Piece<'a>)) {
        let closing = tag.starts_with("</");
        let name: String = (tag.trim_start_matches(['<', '/']).chars())
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let level = name.strip_prefix('h').and_then(|level| level.parse::<u8>().ok());
        match level {
            Some(level @ 1..=6) if !closing => return see(Piece::Heading(level)),
            Some(1..=6) => return see(Piece::Block),
            _ => {}
        }
        if name == "a" {
            see(Piece::Link(!closing));
        } else if BLOCKS.contains(&name.as_str()) {
            see(Piece::Block);
        } else if !closing && !tag.ends_with("/>") && SILENT.contains(&name.as_str()) {
            self.skip = Some(format!("</{name}>"));
        }
    }
}

fn find_ignoring_case(text: &str, ascii: &str) -> Option<usize> {
    (text.as_bytes().windows(ascii.len())).position(|window| window.eq_ignore_ascii_case(ascii.as_bytes()))
}
