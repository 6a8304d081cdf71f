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

#[cfg(test)]
mod tests {
    use super::parts;

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
