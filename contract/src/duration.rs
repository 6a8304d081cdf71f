//! Durations as contracts write them: `90s`, `2m`, `24h`, `7d`, `7days`, `3w`.

use crate::Invalid;
use std::time::Duration;

/// Reads a duration, in the notation of the crate humantime.
///
/// # Errors
///
/// If the text is not a duration, or has no unit.
pub fn parse(text: &str) -> Result<Duration, Invalid> {
    let text = text.trim();
    humantime::parse_duration(text).map_err(|_| {
        let unitless = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let hint = if unitless {
            format!("a number needs a unit, as in \"{text}h\" or \"{text}d\"")
        } else {
            "write a number and a unit, as in \"90s\", \"24h\" or \"7d\"".to_owned()
        };
        Invalid::new(format!("{text:?} is not a duration; {hint}"))
    })
}

/// Writes a duration as one number of the largest unit that divides it; a single day is `24h`.
///
/// The result reads back as the same duration.
pub fn display(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    if nanos == 0 {
        return "0s".to_owned();
    }
    for (unit, size, least) in UNITS {
        if nanos % size == 0 && nanos / size >= least {
            return format!("{}{unit}", nanos / size);
        }
    }
    format!("{nanos}ns")
}

// Unit, its length in nanoseconds, and from which count on it is used.
const UNITS: [(&str, u128, u128); 6] = [
    ("d", 86_400_000_000_000, 2),
    ("h", 3_600_000_000_000, 1),
    ("m", 60_000_000_000, 1),
    ("s", 1_000_000_000, 1),
    ("ms", 1_000_000, 1),
    ("us", 1_000, 1),
];

#[cfg(test)]
mod tests {
    use super::{display, parse};
    use std::time::Duration;

    #[test]
    fn units_are_those_of_humantime() {
        for (text, seconds) in [
            ("90s", 90),
            ("2m", 120),
            ("24h", 86_400),
            ("7d", 604_800),
            ("7days", 604_800),
            ("3w", 1_814_400),
            ("1h 30m", 5_400),
            (" 1d ", 86_400),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_advice() {
        assert_eq!(
            parse("24").unwrap_err().message(),
            "\"24\" is not a duration; a number needs a unit, as in \"24h\" or \"24d\""
        );
        for text in ["", "soon", "-1h", "99999999999999999999d", "7 fortnights"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn display_reads_back() {
        for (text, shown) in [
            ("24h", "24h"),
            ("1d", "24h"),
            ("7days", "7d"),
            ("90s", "90s"),
            ("1h 30m", "90m"),
            ("36h", "36h"),
            ("1500ms", "1500ms"),
            ("3ns", "3ns"),
            ("0s", "0s"),
        ] {
            let duration = parse(text).unwrap();
            assert_eq!(display(duration), shown);
            assert_eq!(parse(shown), Ok(duration));
        }
    }
}
