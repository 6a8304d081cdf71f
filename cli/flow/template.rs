//! Templates of `format!`: what is fixed in them, and where values go.

/// The characters of a template one by one; nothing in the place of each value.
pub(crate) fn parts(template: &str) -> impl Iterator<Item = Option<char>> {
    let mut chars = template.chars().peekable();
    std::iter::from_fn(move || match chars.next()? {
        '{' if chars.next_if_eq(&'{').is_some() => Some(Some('{')),
        '{' => {
            chars.by_ref().find(|char| *char == '}');
            Some(None)
        }
        '}' => {
            chars.next_if_eq(&'}');
            Some(Some('}'))
        }
        char => Some(Some(char)),
    })
}

/// Of each value of a template, whether it is shown in hexadecimal digits.
pub(crate) fn in_hexadecimal(template: &str) -> Vec<bool> {
    let plain = template.replace("{{", "");
    let places = plain.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    places.map(|place| place.split_once(':').is_some_and(|(_, how)| how.ends_with(['x', 'X']))).collect()
}

/// A template with what goes into it, as far as that is known; a mark in the place of what is not.
pub(crate) fn fill(template: &str, mut value: impl FnMut(usize) -> Option<String>) -> String {
    let (mut out, mut number) = (String::with_capacity(template.len()), 0);
    for part in parts(template) {
        match part {
            Some(char) => out.push(char),
            None => {
                match value(number) {
                    Some(text) => out.push_str(&text),
                    None => out.push('\u{0}'),
                }
                number += 1;
            }
        }
    }
    out
}

/// A text that is a name: of a table, a schema, a column.
pub(crate) fn word(text: &str) -> Option<&str> {
    let named = !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.' | '"'));
    named.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{fill, in_hexadecimal, parts, word};

    #[test]
    fn digits_are_told_from_text() {
        assert_eq!(in_hexadecimal("{a}-{:x}-{{:x}}{0:02X}"), [false, true, true]);
    }

    #[test]
    fn what_is_known_goes_in() {
        let value = |number| (number == 1).then(|| "jobs".to_owned());
        assert_eq!(fill("{{a}} {} FROM {x} {:?}", value), "{a} \u{0} FROM jobs \u{0}");
        assert_eq!((word("a.b"), word(""), word("a b")), (Some("a.b"), None, None));
    }

    #[test]
    fn placeholders_are_told_from_text() {
        let text = |template: &str| parts(template).map(|part| part.unwrap_or('_')).collect::<String>();
        assert_eq!(text("pay-{a}/{}"), "pay-_/_");
        assert_eq!(text("{{x}}"), "{x}");
        assert_eq!(text("größe"), "größe");
        assert_eq!(text("{a:>8}{"), "__");
        assert_eq!(text("a}b"), "a}b");
    }
}
