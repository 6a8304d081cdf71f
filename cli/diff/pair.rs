//! Which effect of then is which effect of now: by its function, and where that moved or was renamed by what it is for.

use super::snapshot::Entry;

/// What tells an effect from others; nothing where it does not say.
type Likeness = fn(&Entry) -> Option<Vec<String>>;

/// What two effects must have in common to be one, from the strongest to the weakest. Each is tried on what is left, and
/// holds only where it leads to one candidate on either side.
const LIKENESSES: &[Likeness] = &[
    |entry| Some(vec![entry.handler.clone(), name(entry), shown(entry, "dispatch")]),
    |entry| Some(vec![entry.handler.clone(), name(entry)]),
    |entry| Some(vec![entry.handler.clone(), key(entry)?]),
    |entry| Some(vec![entry.handler.clone()]),
    |entry| Some(vec![entry.effect.clone()?, key(entry)?, last(&entry.handler).to_owned()]),
    |entry| Some(vec![entry.effect.clone()?, key(entry)?]),
    |entry| Some(vec![key(entry)?, shown(entry, "provider"), last(&entry.handler).to_owned()]),
    |entry| Some(vec![key(entry)?, shown(entry, "provider")]),
    |entry| entry.effect.clone().map(|effect| vec![effect]),
];

/// Effects of both times with their partners. Where there is none the effect is gone, or new.
pub(super) fn pairs<'a>(before: &'a [Entry], after: &'a [Entry]) -> Vec<(Option<&'a Entry>, Option<&'a Entry>)> {
    let mut then: Vec<&Entry> = before.iter().collect();
    let mut now: Vec<&Entry> = after.iter().collect();
    let mut pairs = Vec::new();
    for likeness in LIKENESSES {
        let alike = |list: &[&Entry], wanted: &Vec<String>| {
            list.iter().filter(|entry| likeness(entry).as_ref() == Some(wanted)).count()
        };
        let mut left = Vec::new();
        let earlier = then.clone();
        for entry in then {
            let wanted = likeness(entry);
            let found = wanted.filter(|wanted| alike(&earlier, wanted) == 1 && alike(&now, wanted) == 1);
            match found.and_then(|wanted| now.iter().position(|other| likeness(other).as_ref() == Some(&wanted))) {
                Some(at) => pairs.push((Some(entry), Some(now.remove(at)))),
                None => left.push(entry),
            }
        }
        then = left;
    }
    pairs.extend(then.into_iter().map(|entry| (Some(entry), None)));
    pairs.extend(now.into_iter().map(|entry| (None, Some(entry))));
    pairs
}

fn name(entry: &Entry) -> String {
    shown(entry, "name")
}

fn shown(entry: &Entry, field: &str) -> String {
    entry.field(field).map(ToString::to_string).unwrap_or_default()
}

/// The template of the intent key, without spaces in its placeholders.
fn key(entry: &Entry) -> Option<String> {
    Some(entry.text("intent_key")?.chars().filter(|c| !c.is_whitespace()).collect())
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(handler: &str, fields: &[(&str, &str)]) -> Entry {
        let given =
            fields.iter().map(|(name, value)| ((*name).to_owned(), json!({ "value": value, "from": "attribute" })));
        let effect = fields.iter().find(|(name, _)| *name == "effect").map(|(_, value)| *value);
        let fields: serde_json::Map<String, serde_json::Value> = given.collect();
        let entry = json!({ "handler": handler, "effect": effect, "fields": fields, "claim": "" });
        serde_json::from_value(entry).expect("an entry")
    }

    fn paths(before: &[Entry], after: &[Entry]) -> Vec<(String, String)> {
        let path = |entry: Option<&Entry>| entry.map_or("-".to_owned(), |entry| entry.handler.clone());
        let mut found: Vec<_> = pairs(before, after).into_iter().map(|(then, now)| (path(then), path(now))).collect();
        found.sort();
        found
    }

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(then, now)| ((*then).to_owned(), (*now).to_owned())).collect()
    }

    #[test]
    fn the_function_comes_before_what_it_is_for() {
        let before = [entry("a::charge", &[("intent_key", "x/{id}")]), entry("a::refund", &[("intent_key", "y/{id}")])];
        let after = [entry("a::charge", &[("intent_key", "y/{id}")]), entry("a::refund", &[("intent_key", "x/{id}")])];
        assert_eq!(paths(&before, &after), owned(&[("a::charge", "a::charge"), ("a::refund", "a::refund")]));
    }

    #[test]
    fn a_renamed_function_is_found_by_its_key_or_its_effect() {
        let before = [
            entry("a::charge", &[("intent_key", "x/{ id }"), ("provider", "p")]),
            entry("a::mail", &[("intent_key", "m/{id}"), ("effect", "mail")]),
        ];
        let after = [
            entry("b::bill", &[("intent_key", "x/{id}"), ("provider", "p")]),
            entry("b::send", &[("intent_key", "mail/{id}"), ("effect", "mail")]),
        ];
        assert_eq!(paths(&before, &after), owned(&[("a::charge", "b::bill"), ("a::mail", "b::send")]));
    }

    #[test]
    fn where_two_are_alike_nothing_is_guessed() {
        let shared = [("intent_key", "x/{id}"), ("effect", "charge")];
        let before = [entry("a::api", &shared), entry("a::job", &shared)];
        // the last segment tells them apart
        let moved = [entry("b::api", &shared), entry("b::job", &shared)];
        assert_eq!(paths(&before, &moved), owned(&[("a::api", "b::api"), ("a::job", "b::job")]));
        let renamed = [entry("b::one", &shared), entry("b::two", &shared)];
        let none = [("-", "b::one"), ("-", "b::two"), ("a::api", "-"), ("a::job", "-")];
        assert_eq!(paths(&before, &renamed), owned(&none));
    }
}
