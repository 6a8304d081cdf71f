//! Windows in their text forms: `24h`, `at_least 24h`, `forever`, `unpublished`, `none`.

use crate::{duration, Invalid, Window};
use std::fmt;
use std::time::Duration;

const WORDS: [&str; 4] = ["at_least", "forever", "unpublished", "none"];

impl Window {
    /// Reads a window as a configuration file writes it in one text.
    ///
    /// # Errors
    ///
    /// If the text is none of the forms.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if let Some(window) = Self::word(text) {
            return Ok(window);
        }
        if let Some(rest) = text.strip_prefix("at_least").filter(|rest| rest.starts_with(char::is_whitespace)) {
            return duration::parse(rest).map(Self::AtLeast);
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return duration::parse(text).map(Self::Exact);
        }
        Err(crate::words::unknown_word(text, "a window", &["24h", "at_least 24h", "forever", "unpublished", "none"]))
    }

    /// The window that a single word stands for.
    pub(crate) fn word(text: &str) -> Option<Self> {
        match text {
            "forever" => Some(Self::Forever),
            "unpublished" => Some(Self::Unpublished),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// A window that the operator sets.
    ///
    /// # Errors
    ///
    /// If the value in force is above the greatest one.
    pub fn configurable(value: Duration, max: Option<Duration>) -> Result<Self, Invalid> {
        match max {
            Some(greatest) if greatest < value => Err(Invalid::new(format!(
                "a window of {} cannot be configured where the greatest is {}",
                duration::display(value),
                duration::display(greatest)
            ))),
            _ => Ok(Self::Configurable { value, max }),
        }
    }
}

/// All that can stand where an attribute expects a window.
pub(crate) fn attribute_words() -> impl Iterator<Item = &'static str> {
    WORDS.into_iter().chain(["configurable"])
}

impl fmt::Display for Window {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => formatter.write_str(&duration::display(*value)),
            Self::AtLeast(value) => write!(formatter, "at_least {}", duration::display(*value)),
            Self::Configurable { value, max: None } => {
                write!(formatter, "configurable {}", duration::display(*value))
            }
            Self::Configurable { value, max: Some(max) } => {
                write!(formatter, "configurable {}, max {}", duration::display(*value), duration::display(*max))
            }
            Self::Forever => formatter.write_str("forever"),
            Self::Unpublished => formatter.write_str("unpublished"),
            Self::None => formatter.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_form_reads_and_shows() {
        let day = Duration::from_secs(86_400);
        for (text, window) in [
            ("24h", Window::Exact(day)),
            ("at_least 24h", Window::AtLeast(day)),
            ("forever", Window::Forever),
            ("unpublished", Window::Unpublished),
            ("none", Window::None),
        ] {
            assert_eq!(Window::parse(text).as_ref(), Ok(&window));
            assert_eq!(window.to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "at_least", "at_least24h", "at_least forever", "24", "for ever and ever", "about 24h"] {
            assert!(Window::parse(text).is_err(), "{text}");
        }
        assert_eq!(
            Window::parse("unpublishd").unwrap_err().message(),
            "`unpublishd` is not a window; did you mean `unpublished`?"
        );
    }

    #[test]
    fn the_value_in_force_is_not_above_the_greatest() {
        let hour = Duration::from_secs(3_600);
        assert!(Window::configurable(hour, Some(hour)).is_ok());
        assert!(Window::configurable(hour, None).is_ok());
        assert_eq!(
            Window::configurable(hour * 3, Some(hour)).unwrap_err().message(),
            "a window of 3h cannot be configured where the greatest is 1h"
        );
    }
}
