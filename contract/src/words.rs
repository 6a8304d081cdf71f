//! The closed word lists of a contract: each type's words, how to write one and how to read one.
//!
//! The words are in snake case, except the failure cases, which are in kebab case wherever they are not Rust tokens.

use crate::{suggest, Delivery, EffectKind, FailureCase, Invalid, Mechanism, State};
use std::fmt;

macro_rules! words {
    ($type:ident, $what:literal, { $($variant:ident = $word:literal,)+ }) => {
        impl $type {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the word.
            ///
            /// # Errors
            ///
            /// If it is none of the words.
            pub fn parse(text: &str) -> Result<Self, Invalid> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|value| value.as_str() == text)
                    .ok_or_else(|| unknown_word(text, $what, &[$($word),+]))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

words!(State, "a state", {
    Prepared = "prepared",
    Confirmed = "confirmed",
    Rejected = "rejected",
    Unknown = "unknown",
    Reconciled = "reconciled",
    Compensated = "compensated",
});

words!(Mechanism, "a mechanism", {
    Key = "key",
    DedupId = "dedup_id",
    NaturalKey = "natural_key",
    SequenceNumber = "sequence_number",
    Precondition = "precondition",
    Transaction = "transaction",
    Lock = "lock",
    Coalesce = "coalesce",
    Heuristic = "heuristic",
    AbsoluteWrite = "absolute_write",
    None = "none",
});

words!(EffectKind, "a kind of effect", {
    Payment = "payment",
    Email = "email",
    Sms = "sms",
    Message = "message",
    Webhook = "webhook",
    Entitlement = "entitlement",
    Publication = "publication",
    Other = "other",
});

words!(FailureCase, "a failure case", {
    KilledAfterAccept = "killed-after-accept",
    DeliveredTwice = "delivered-twice",
    TwoWorkersRace = "two-workers-race",
    LeaseExpiredWhileRunning = "lease-expired-while-running",
    AcknowledgementDelayed = "acknowledgement-delayed",
    RetriedAfterWindow = "retried-after-window",
    RetriedAfterDeploy = "retried-after-deploy",
    PayloadChanged = "payload-changed",
    ReconcileInconclusive = "reconcile-inconclusive",
});

impl State {
    /// Whether an effect can end in this state; `prepared` is where it begins.
    pub fn can_be_terminal(self) -> bool {
        self != Self::Prepared
    }
}

impl FailureCase {
    /// Reads the word as a Rust token, in snake case.
    ///
    /// # Errors
    ///
    /// If it is none of the words.
    pub fn parse_snake(text: &str) -> Result<Self, Invalid> {
        Self::ALL.iter().copied().find(|case| case.as_snake() == text).ok_or_else(|| {
            let words: Vec<String> = Self::ALL.iter().map(|case| case.as_snake()).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            unknown_word(text, "a failure case", &words)
        })
    }

    /// The word as a Rust token, in snake case.
    pub fn as_snake(self) -> String {
        self.as_str().replace('-', "_")
    }
}

const DELIVERIES: [&str; 4] = ["at_least_once", "at_most_once", "exactly_once_within", "exactly_once"];

impl Delivery {
    /// The word, without the boundary.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::AtLeastOnce => "at_least_once",
            Self::AtMostOnce => "at_most_once",
            Self::ExactlyOnceWithin(_) => "exactly_once_within",
            Self::ExactlyOnce => "exactly_once",
        }
    }

    /// Reads a word that needs no boundary.
    ///
    /// # Errors
    ///
    /// If it is none of them.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "at_least_once" => Ok(Self::AtLeastOnce),
            "at_most_once" => Ok(Self::AtMostOnce),
            "exactly_once" => Ok(Self::ExactlyOnce),
            "exactly_once_within" => {
                Err(Invalid::new("`exactly_once_within` needs the name of the boundary inside which it holds"))
            }
            _ => Err(unknown_word(text, "a delivery", &DELIVERIES)),
        }
    }

    /// Exactly once, inside a boundary that must have a name.
    ///
    /// # Errors
    ///
    /// If the name is blank.
    pub fn within(boundary: &str) -> Result<Self, Invalid> {
        if boundary.trim().is_empty() {
            return Err(Invalid::new(
                "the boundary of `exactly_once_within` is empty; name the transaction inside which it holds",
            ));
        }
        Ok(Self::ExactlyOnceWithin(boundary.to_owned()))
    }
}

/// "`x` is not a mechanism; did you mean …" or, if nothing is near, all the words.
pub(crate) fn unknown_word(text: &str, what: &str, words: &[&str]) -> Invalid {
    let advice = match suggest::nearest(text, words.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", list(words)),
    };
    Invalid::new(format!("`{text}` is not {what}; {advice}"))
}

/// `a`, `b` or `c`, in code quotes.
pub(crate) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Ok(*state));
        }
        for mechanism in Mechanism::ALL {
            assert_eq!(Mechanism::parse(mechanism.as_str()), Ok(*mechanism));
        }
        for kind in EffectKind::ALL {
            assert_eq!(EffectKind::parse(kind.as_str()), Ok(*kind));
        }
        for case in FailureCase::ALL {
            assert_eq!(FailureCase::parse(case.as_str()), Ok(*case));
            assert_eq!(FailureCase::parse_snake(&case.as_snake()), Ok(*case));
        }
        for word in ["at_least_once", "at_most_once", "exactly_once"] {
            assert_eq!(Delivery::parse(word).unwrap().as_str(), word);
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_nearest_or_all() {
        assert_eq!(
            State::parse("confirmd").unwrap_err().message(),
            "`confirmd` is not a state; did you mean `confirmed`?"
        );
        assert_eq!(
            Delivery::parse("sometimes").unwrap_err().message(),
            "`sometimes` is not a delivery; write one of `at_least_once`, `at_most_once`, `exactly_once_within` or `exactly_once`"
        );
    }

    #[test]
    fn a_boundary_needs_a_name() {
        assert!(Delivery::within(" ").is_err());
        assert!(Delivery::parse("exactly_once_within").is_err());
    }
}
