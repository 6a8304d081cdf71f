//! Clauses in another order than the parser knows: databases take `FOR UPDATE SKIP LOCKED LIMIT 1`, too.

/// Words of a clause that locks rows, behind its `FOR`.
const LOCKING: &[&str] = &["update", "share", "no", "key", "skip", "locked", "nowait", "of"];

/// The text with each clause that locks rows behind the limit that follows it; nothing where there is none.
pub(super) fn locks_last(text: &str) -> Option<String> {
    let words = words(text);
    let is =
        |at: usize, word: &str| words.get(at).is_some_and(|&(start, end)| text[start..end].eq_ignore_ascii_case(word));
    let locks = |at: usize| LOCKING.iter().any(|word| is(at, word));
    let mut out = String::with_capacity(text.len() + 1);
    let mut copied = 0;
    let mut at = 0;
    while at < words.len() {
        let lock = at;
        at += 1;
        if !is(lock, "for") || !locks(at) {
            continue;
        }
        // `OF` is followed by a table.
        while locks(at) || is(at - 1, "of") {
            at += 1;
        }
        let (Some(&(from, _)), Some(&(limit, _)), Some(&(_, end))) =
            (words.get(lock), words.get(at), words.get(at + 1))
        else {
            continue;
        };
        if is(at, "limit") {
            out.push_str(&text[copied..from]);
            out.push_str(&text[limit..end]);
            out.push(' ');
            out.push_str(&text[from..limit]);
            copied = end;
        }
    }
    out.push_str(&text[copied..]);
    (copied > 0).then_some(out)
}

/// Where the words of a text stand: names, numbers, placeholders.
fn words(text: &str) -> Vec<(usize, usize)> {
    let in_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '?' | ':' | '@' | '.');
    let mut words = Vec::new();
    let mut start = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, in_word(char)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}
