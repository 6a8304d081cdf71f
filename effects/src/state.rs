//! The states of an effect and the transitions between them.

use core::fmt;
use core::str::FromStr;

/// Where an effect stands, from the service's point of view.
///
/// ```text
/// prepared -> confirmed -> compensated
/// prepared -> rejected
/// prepared -> unknown -> reconciled
/// ```
///
/// [`Unknown`](Self::Unknown) is a state and not an error: the command was sent, and nobody has said what became of it.
/// It ends when the provider has been asked.
///
/// ```
/// use effect_contracts::EffectState;
///
/// let sent = EffectState::Prepared.transition(EffectState::Unknown)?;
/// assert!(sent.transition(EffectState::Rejected).is_err(), "a timeout is no refusal");
/// assert_eq!(sent.transition(EffectState::Reconciled)?, EffectState::Reconciled);
/// # Ok::<(), effect_contracts::IllegalTransition>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectState {
    /// The intent is recorded; nothing has been confirmed yet.
    Prepared,
    /// The provider has acted.
    Confirmed,
    /// The provider has refused.
    Rejected,
    /// Sent, and no answer.
    Unknown,
    /// Was unknown, and the lookup has decided.
    Reconciled,
    /// Was confirmed, and has been undone.
    Compensated,
}

impl EffectState {
    /// All states.
    pub const ALL: [Self; 6] =
        [Self::Prepared, Self::Confirmed, Self::Rejected, Self::Unknown, Self::Reconciled, Self::Compensated];

    /// Whether an effect may go from this state to that one. Staying is not a transition.
    #[must_use]
    pub const fn can_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Prepared, Self::Confirmed | Self::Rejected | Self::Unknown)
                | (Self::Unknown, Self::Reconciled)
                | (Self::Confirmed, Self::Compensated)
        )
    }

    /// Goes on to the next state.
    ///
    /// # Errors
    ///
    /// If no effect goes from this state to that one; the state is then unchanged.
    pub const fn transition(self, next: Self) -> Result<Self, IllegalTransition> {
        if self.can_become(next) {
            Ok(next)
        } else {
            Err(IllegalTransition { from: self, to: next })
        }
    }

    /// Whether the state leads nowhere. Which states a handler ends in is up to its contract.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Rejected | Self::Reconciled | Self::Compensated)
    }

    /// The word of the documentation and of stored rows.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Confirmed => "confirmed",
            Self::Rejected => "rejected",
            Self::Unknown => "unknown",
            Self::Reconciled => "reconciled",
            Self::Compensated => "compensated",
        }
    }
}

impl fmt::Display for EffectState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for EffectState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, UnknownState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(UnknownState)
    }
}

/// A transition that no effect makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalTransition {
    /// the state it is in
    pub from: EffectState,
    /// the state it was to go to
    pub to: EffectState,
}

impl fmt::Display for IllegalTransition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an effect that is {} cannot become {}", self.from, self.to)
    }
}

/// A text that names no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownState;

impl fmt::Display for UnknownState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the text names no state of an effect")
    }
}

#[cfg(feature = "std")]
impl std::error::Error for IllegalTransition {}

#[cfg(feature = "std")]
impl std::error::Error for UnknownState {}

#[cfg(test)]
mod tests {
    use super::EffectState::{self, Compensated, Confirmed, Prepared, Reconciled, Rejected, Unknown};

    #[test]
    fn only_the_five_documented_transitions_are_legal() {
        let legal = [
            (Prepared, Confirmed),
            (Prepared, Rejected),
            (Prepared, Unknown),
            (Unknown, Reconciled),
            (Confirmed, Compensated),
        ];
        for from in EffectState::ALL {
            for to in EffectState::ALL {
                assert_eq!(from.transition(to).is_ok(), legal.contains(&(from, to)), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn a_final_state_leads_nowhere() {
        for from in EffectState::ALL {
            let leads_on = EffectState::ALL.into_iter().any(|to| from.can_become(to));
            assert_eq!(from.is_final(), !leads_on, "{from}");
        }
    }

    #[test]
    fn words_read_back() {
        for state in EffectState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert!("settled".parse::<EffectState>().is_err());
    }
}
