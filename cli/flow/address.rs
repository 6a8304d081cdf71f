//! Addresses of requests, as far as their text is fixed.

use super::scope::has_word;
use super::sources::Sources;
use super::value::{Alt, Kind, Value};
use super::words::normal;
use crate::catalog::Words;

/// Letters of an address that are shown.
const SHOWN: usize = 48;
/// What stands for a value in a text that is shown.
const HOLE: &str = "…";

/// Whether an address says by its last part that it answers questions, on every way on which it is put together.
pub(crate) fn asks(words: &Words, address: &Value) -> bool {
    let address = address.flat();
    let is_question = |text: &str| {
        let mut parts = path(text).rsplit('/');
        let mut last = parts.next().unwrap_or_default();
        if words.batch_paths.iter().any(|known| known == last) {
            last = parts.next().unwrap_or_default();
        }
        // A method of a collection comes behind a colon: `/documents:search`.
        let last = last.rsplit(':').next().unwrap_or(last);
        let last = last.split('.').next().unwrap_or(last);
        parts.next().is_some() && words.query_paths.iter().any(|known| known == last)
    };
    // What a client is handed as the rest of its address is a path of its own.
    let rest = |text: &str| is_question(&format!("/{}", text.trim_start_matches('/')));
    !address.alts.is_empty()
        && address.alts.iter().all(|alt| match given_end(alt) {
            Some(text) => rest(text),
            None => end(alt).is_some_and(is_question),
        })
}

/// Whether an address is one of the machine itself, on every way: what answers there was started along with the process, and
/// is no system of somebody else.
pub(crate) fn is_local(words: &Words, address: &Value) -> bool {
    let address = address.flat();
    let local = |alt: &Alt| {
        alt.atoms.iter().find_map(|atom| text_of(&atom.kind)?.split_once("://")).is_some_and(|(_, rest)| {
            let host = match rest.strip_prefix('[') {
                Some(rest) => rest.split(']').next(),
                None => rest.split(['/', ':', '?', '\u{0}']).next(),
            };
            host.is_some_and(|host| words.local_hosts.iter().any(|known| known == host))
        })
    };
    !address.alts.is_empty() && address.alts.iter().all(local)
}

/// Whether an address ends with the name of a procedure that only reads: `/bot…/getUpdates`.
pub(crate) fn names_reading(words: &Words, address: &Value) -> bool {
    let address = address.flat();
    let is_reading = |text: &str| {
        let last = path(text).rsplit('/').next().unwrap_or_default();
        last.contains(|letter: char| letter.is_ascii_uppercase()) && reads(words, last)
    };
    !address.alts.is_empty() && address.alts.iter().all(|alt| last_part(alt).is_some_and(is_reading))
}

/// What is asked for by an address, without whom: what stands before its first `/`.
pub(crate) fn without_host(address: &Value) -> Value {
    address.filter_map(|alt| match &*alt.atoms {
        [_, rest @ .., template] if text_of(&template.kind).is_some_and(|text| text.starts_with("\u{0}/")) => {
            let atoms = rest.iter().chain([template]).cloned().collect();
            Some(Alt { atoms, shape: alt.shape.clone() })
        }
        _ => Some(alt.clone()),
    })
}

/// Whether a text is an address that ends with what is done there, of which nobody wants two: `/v1/refunds`.
pub(crate) fn names_effect(words: &Words, text: &str) -> bool {
    path(text).rsplit_once('/').is_some_and(|(_, last)| words.acting_paths.iter().any(|known| known == last))
}

/// Whether one of the texts that are handed over is an address at which a payment is taken back: `/v1/refunds`, or a verb
/// for that behind the payment, `/payment_intents/…/cancel`. What fills the last place of a template stands in front of it.
pub(crate) fn names_undoing<'t>(words: &Words, texts: impl Iterator<Item = &'t str>) -> bool {
    let mut filled = "";
    for text in texts {
        let whole = path(text);
        let own = whole.split_once("://").map_or(whole, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
        if let Some((front, last)) = whole.contains('/').then(|| own.rsplit_once('/').unwrap_or(("", own))) {
            let verb = normal(if last == HOLE { filled } else { last });
            let any = |text: &str, known: &[String]| known.iter().any(|word| has_word(text, word));
            let undone = any(&verb, &words.compensation_verbs)
                || front.ends_with(HOLE) && words.retracting_verbs.contains(&verb);
            if undone && own.split('/').chain([&*verb]).any(|part| any(&normal(part), &words.payment_words)) {
                return true;
            }
        }
        filled = text;
    }
    false
}

/// The fixed end of an address. What goes into the last place of a template stands in front of it.
fn last_part(alt: &Alt) -> Option<&str> {
    match has_given_end(alt) {
        true => given_end(alt),
        false => end(alt),
    }
}

fn has_given_end(alt: &Alt) -> bool {
    matches!(&*alt.atoms, [.., _, template] if text_of(&template.kind).is_some_and(|text| text.ends_with("/\u{0}")))
}

/// What goes into the last place of a template, where that is a fixed text.
fn given_end(alt: &Alt) -> Option<&str> {
    match &*alt.atoms {
        [.., given, _] if has_given_end(alt) => text_of(&given.kind),
        _ => None,
    }
}

/// Whether a value is nothing but names of procedures that only read.
pub(crate) fn is_reading(words: &Words, procedure: &Value) -> bool {
    let is_name = |alt: &Alt| match &*alt.atoms {
        [atom] => text_of(&atom.kind).is_some_and(|text| reads(words, text)),
        _ => false,
    };
    !procedure.is_bottom() && procedure.alts.iter().all(is_name)
}

/// The same of what an event keeps of the value.
pub(crate) fn are_reading(words: &Words, procedure: &Sources) -> bool {
    let mut names = procedure.iter().map(|source| text_of(source.kind())).peekable();
    names.peek().is_some() && names.all(|name| name.is_some_and(|text| reads(words, text)))
}

fn text_of(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Constant(text) => text.map(|text| text.as_str()),
        _ => None,
    }
}

/// Whether a text is a query of GraphQL.
pub(crate) fn is_query(text: &str) -> bool {
    let text = text.trim_start();
    let named =
        |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') && rest.contains('{');
    text.starts_with('{') || text.strip_prefix("query").is_some_and(named)
}

/// Whether a remote procedure says by its name that it reads: `getUpdates`, `eth_getBalance`, `listunspent`.
fn reads(words: &Words, name: &str) -> bool {
    if is_query(name) {
        return true;
    }
    let name = normal(name);
    let acts =
        words.verbs.iter().any(|verb| has_word(&name, verb)) || has_word(&name, "or") || has_word(&name, "create");
    let is_verb = |part: &str| words.query_verbs.iter().any(|verb| verb == part);
    let mut parts = name.split('_');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    // The words of some are written as one.
    let run_on = |part: &str| words.reading_prefixes.iter().any(|prefix| part.starts_with(prefix.as_str()));
    let is_noun = || {
        words
            .reading_nouns
            .iter()
            .any(|noun| name.strip_suffix(noun.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('_')))
    };
    !acts && (is_noun() || is_verb(first) || second.is_some_and(is_verb) || second.is_none() && run_on(first))
}

/// The fixed end of an address, for people: `/v1/charges`, `/orders/…/cancel`. Only where it is one on every way.
pub(crate) fn shown(address: &Value) -> Option<String> {
    let address = address.flat();
    let mut ends: Vec<&str> = address.alts.iter().filter_map(end).collect();
    ends.dedup();
    let [text] = ends.as_slice() else {
        return None;
    };
    let path = path(text);
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.find('/').map(|at| &rest[at..])?,
        None => &path[path.find('/')?..],
    };
    let path = path.replace('\u{0}', "…");
    let plain = path.chars().all(|letter| letter == '…' || letter.is_ascii_graphic() && letter != '`');
    (plain && path.len() > 1 && path.len() <= SHOWN).then_some(path)
}

/// The last text in an address that is put together.
fn end(alt: &Alt) -> Option<&str> {
    alt.atoms.iter().rev().find_map(|atom| match &atom.kind {
        Kind::Constant(Some(text)) => Some(text.as_str()),
        _ => None,
    })
}

/// An address without what is asked of it.
fn path(text: &str) -> &str {
    text.split(['?', '#']).next().unwrap_or(text).trim_end_matches('/')
}

/// The fixed texts in a value, one after the other.
pub(crate) fn texts(value: &Value) -> String {
    let flat = value.flat();
    let texts = flat.atoms().filter_map(|atom| match &atom.kind {
        Kind::Constant(Some(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{names_effect, names_undoing};
    use crate::catalog::built_in;

    #[test]
    fn the_end_of_an_address_says_what_is_done_there() {
        let words = &built_in().words;
        for text in ["https://bank.example/v1/transfers", "…/refunds/", "/orders/…/refund?dry=0"] {
            assert!(names_effect(words, text), "{text}");
        }
        for text in ["refunds", "https://bank.example/refunds/search", "https://sms.example", "a refund/transfer of"] {
            assert!(!names_effect(words, text), "{text}");
        }
    }

    #[test]
    fn an_address_says_that_a_payment_is_taken_back() {
        let words = &built_in().words;
        let undone: [&[&str]; 4] = [
            &["https://api.stripe.com/v1/refunds"],
            &["https://api.stripe.com/v1/payment_intents/…/cancel"],
            &["cancel", "https://api.stripe.com/v1/payment_intents/…/…"],
            &["…/charges/…/void"],
        ];
        for texts in undone {
            assert!(names_undoing(words, texts.iter().copied()), "{texts:?}");
        }
        let others: [&[&str]; 6] = [
            &["capture", "https://api.stripe.com/v1/payment_intents/…/…"],
            &["https://pay.example/orders/…/cancel"],
            &["https://maps.example/reverse"],
            &["cancel"],
            &["refund"],
            &["https://refund.example"],
        ];
        for texts in others {
            assert!(!names_undoing(words, texts.iter().copied()), "{texts:?}");
        }
    }
}
