//! What a contract alone shows to be wrong: contradictions between facts that are all there.
//!
//! The macro reports them as compile errors, the linter as findings of the same rules.

use crate::{duration, Contract, Delivery, Remedy};

/// Two facts of one contract that cannot both hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// the rule, in kebab case
    pub rule: &'static str,
    /// what is wrong: lower case, without a full stop
    pub message: String,
    /// what to do about it
    pub help: &'static str,
    /// the fields concerned, the one at fault first
    pub fields: &'static [&'static str],
}

/// All contradictions of a contract, whether it allows them or not.
pub fn contradictions(contract: &Contract) -> Vec<Contradiction> {
    [retention_below_replay, exactly_once_delivery, compensated_irreversible]
        .iter()
        .filter_map(|check| check(contract))
        .collect()
}

fn retention_below_replay(contract: &Contract) -> Option<Contradiction> {
    let (kept, horizon) = (contract.evidence_retention?, contract.replay_horizon?);
    (kept < horizon).then(|| Contradiction {
        rule: "retention-below-replay",
        message: format!(
            "evidence is kept for {}, but the intent can be delivered again for {}: a late repeat finds no record of the first attempt",
            duration::display(kept),
            duration::display(horizon)
        ),
        help: "keep the rows at least as long as the replay horizon",
        fields: &["evidence_retention", "replay_horizon"],
    })
}

fn exactly_once_delivery(contract: &Contract) -> Option<Contradiction> {
    (contract.delivery == Some(Delivery::ExactlyOnce)).then(|| Contradiction {
        rule: "exactly-once-delivery",
        message: "delivery exactly once is claimed without the boundary inside which it holds: no queue gives it across systems".to_owned(),
        help: "write `at_least_once`, or name the boundary: `exactly_once_within(\"..\")`",
        fields: &["delivery"],
    })
}

fn compensated_irreversible(contract: &Contract) -> Option<Contradiction> {
    let undo = match contract.compensate.as_ref()? {
        Remedy::Path(path) | Remedy::Unchecked(path) => path,
        Remedy::None(_) => return None,
    };
    (contract.irreversible == Some(true)).then(|| Contradiction {
        rule: "compensated-irreversible",
        message: format!("the effect is irreversible, yet `{undo}` is to undo it"),
        help: "drop `irreversible` if it can be undone, else drop `compensate`",
        fields: &["compensate", "irreversible"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn rules(contract: &Contract) -> Vec<&'static str> {
        contradictions(contract).iter().map(|found| found.rule).collect()
    }

    #[test]
    fn rows_must_outlive_the_horizon() {
        let day = Duration::from_secs(86_400);
        let mut contract = Contract { evidence_retention: Some(day), replay_horizon: Some(day), ..Contract::default() };
        assert!(rules(&contract).is_empty());
        contract.replay_horizon = Some(day * 7);
        assert_eq!(rules(&contract), ["retention-below-replay"]);
        assert!(contradictions(&contract)[0]
            .message
            .starts_with("evidence is kept for 24h, but the intent can be delivered again for 7d"));
        contract.evidence_retention = None;
        assert!(rules(&contract).is_empty(), "absence is no contradiction");
    }

    #[test]
    fn exactly_once_needs_a_boundary() {
        let with = |delivery| rules(&Contract { delivery: Some(delivery), ..Contract::default() });
        assert_eq!(with(Delivery::ExactlyOnce), ["exactly-once-delivery"]);
        assert!(with(Delivery::ExactlyOnceWithin("flink: checkpoint".to_owned())).is_empty());
        assert!(with(Delivery::AtLeastOnce).is_empty());
    }

    #[test]
    fn what_cannot_be_undone_has_no_undo() {
        let with = |irreversible, compensate| {
            rules(&Contract { irreversible: Some(irreversible), compensate: Some(compensate), ..Contract::default() })
        };
        assert_eq!(with(true, Remedy::Path("refund".to_owned())), ["compensated-irreversible"]);
        assert_eq!(with(true, Remedy::Unchecked("refund".to_owned())), ["compensated-irreversible"]);
        assert!(with(true, Remedy::None("it is sent".to_owned())).is_empty());
        assert!(with(false, Remedy::Path("refund".to_owned())).is_empty());
    }
}
