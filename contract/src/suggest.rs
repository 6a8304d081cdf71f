//! "did you mean": the nearest of some known words to a word that is none of them.

/// The candidate that the word most likely stands for, if one is near enough.
///
/// Near enough is one edit for every three letters, so that short words do not attract each other. Of equally near
/// candidates the first is taken.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word of absurd length is no typing mistake, and comparing it would cost its length squared.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_lowercase().replace('-', "_");
    let allowed = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&word, &candidate.replace('-', "_"));
        if distance <= allowed && best.map_or(true, |(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `, did you mean "x"` with the given quotation marks, or nothing.
pub(crate) fn clause<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let words = ["provider", "provider_window", "replay_horizon"];
        assert_eq!(nearest("provider_windw", words), Some("provider_window"));
        assert_eq!(nearest("provdier", words), Some("provider"));
        assert_eq!(nearest("replay-horizon", words), Some("replay_horizon"));
        assert_eq!(nearest("deadline", words), None);
    }

    #[test]
    fn short_words_do_not_attract_each_other() {
        assert_eq!(nearest("lock", ["key", "none"]), None);
        assert_eq!(nearest("ky", ["key"]), Some("key"));
    }

    #[test]
    fn a_very_long_word_is_not_compared() {
        assert_eq!(nearest(&"provider".repeat(100), ["provider"]), None);
    }
}
