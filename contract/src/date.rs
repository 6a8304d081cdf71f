//! Dates as `until` writes them: `YYYY-MM-DD`.

use crate::Invalid;

/// Checks that a text is a day of the calendar in the form `YYYY-MM-DD`; such texts compare in calendar order.
///
/// # Errors
///
/// If it is not.
pub fn check(text: &str) -> Result<(), Invalid> {
    if is_date(text) {
        Ok(())
    } else {
        Err(Invalid::new(format!("{text:?} is not a date; write year, month and day as in \"2027-06-30\"")))
    }
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let number = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .try_fold(0_u32, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    };
    match (number(0..4), number(5..7), number(8..10)) {
        (Some(year), Some(month), Some(day)) => day >= 1 && day <= days_in(year, month),
        _ => false,
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn only_days_of_the_calendar_pass() {
        for good in ["2027-06-30", "2028-02-29", "2000-02-29", "0001-12-31"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "2027-06-31",
            "2027-02-29",
            "1900-02-29",
            "2027-13-01",
            "2027-00-01",
            "2027-01-00",
            "2027-6-30",
            "30.06.2027",
            "2027-06-30T",
            "２０２７-06",
            "",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
