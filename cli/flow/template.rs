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

#[cfg(test)]
mod tests {
    use super::{in_hexadecimal, parts};

    #[test]
    fn digits_are_told_from_text() {
        assert_eq!(in_hexadecimal("{a}-{:x}-{{:x}}{0:02X}"), [false, true, true]);
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
