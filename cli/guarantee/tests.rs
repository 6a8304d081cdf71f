use std::time::Duration;

use effect_contracts_grammar::{Contract, Delivery, Mechanism, Remedy, State, Terminal, Window};

use super::*;
use crate::catalog::Provider;
use crate::contracts::samples::{DAY, HOUR, card, handler};

fn provider(mechanism: Mechanism, window: Window, window_max: Option<Duration>) -> Provider {
    Provider { window_max, ..Provider::new("stripe-v1", mechanism, window) }
}

const NONE: Proofs =
    Proofs { lookup: false, intent_persisted: false, absolute_write: false, fence: false, retry_scope: false };
const ASKS: Proofs = Proofs { lookup: true, ..NONE };

fn unproven() -> KeyState {
    KeyState::Unproven("it passes through `legacy_key`".into())
}

fn claim_of(contract: &Contract, key: KeyState, proofs: Proofs) -> Claim {
    derive(&handler(contract.clone()), None, key, proofs).claim
}

#[test]
fn the_first_row_that_matches_is_the_claim() {
    let card = card();
    let with = |change: &dyn Fn(&mut Contract)| {
        let mut contract = card.clone();
        change(&mut contract);
        contract
    };
    let claim = claim_of;
    let stable = || KeyState::Stable;

    let absolute = with(&|it| it.mechanism = Some(Mechanism::AbsoluteWrite));
    let proven = Proofs { absolute_write: true, ..NONE };
    for key in [stable(), unproven(), KeyState::PerAttempt] {
        assert_eq!(claim(&absolute, key, proven), Claim::Harmless);
    }
    assert_eq!(claim(&absolute, stable(), NONE), Claim::AtLeastOnce);

    for horizon in [HOUR, DAY] {
        let short = with(&|it| it.replay_horizon = Some(horizon));
        assert_eq!(claim(&short, stable(), NONE), Claim::WholeHorizon);
    }
    let forever = with(&|it| {
        it.provider_window = Some(Window::Forever);
        it.replay_horizon = None;
    });
    assert_eq!(claim(&forever, stable(), NONE), Claim::WholeHorizon);

    assert_eq!(claim(&card, stable(), ASKS), Claim::WindowThenLookup);
    assert_eq!(claim(&card, stable(), NONE), Claim::WindowThenRepeat);
    let unbounded = with(&|it| it.replay_horizon = None);
    assert_eq!(claim(&unbounded, stable(), ASKS), Claim::WindowThenLookup);
    let no_lookup = with(&|it| it.reconcile = Some(Remedy::None("no search".into())));
    assert_eq!(claim(&no_lookup, stable(), NONE), Claim::AtLeastOnce);

    for window in [Window::Unpublished, Window::None] {
        let silent = with(&|it| it.provider_window = Some(window.clone()));
        assert_eq!(claim(&silent, stable(), ASKS), Claim::LookupOnly);
        assert_eq!(claim(&silent, stable(), NONE), Claim::AtLeastOnce);
    }
    let configured = with(&|it| {
        it.provider_window = Some(Window::Configurable { value: HOUR, max: Some(30 * DAY) });
    });
    assert_eq!(claim(&configured, stable(), NONE), Claim::WindowThenRepeat);

    let persisted = Proofs { intent_persisted: true, ..ASKS };
    for mechanism in [Mechanism::None, Mechanism::Lock, Mechanism::Coalesce, Mechanism::Heuristic] {
        let weak = with(&|it| it.mechanism = Some(mechanism));
        assert_eq!(claim(&weak, stable(), persisted), Claim::NarrowedByLookup);
        assert_eq!(claim(&weak, stable(), ASKS), Claim::AtLeastOnce);
    }

    assert_eq!(claim(&card, KeyState::Coarse, ASKS), Claim::Swallowed);
    let coarse = with(&|it| it.mechanism = Some(Mechanism::None));
    assert_eq!(claim(&coarse, KeyState::Coarse, ASKS), Claim::AtLeastOnce);

    let at_most = with(&|it| it.delivery = Some(Delivery::AtMostOnce));
    assert_eq!(claim(&at_most, KeyState::NotCarried, NONE), Claim::AtMostOnce);
    let retried = Proofs { retry_scope: true, ..NONE };
    assert_eq!(claim(&at_most, KeyState::NotCarried, retried), Claim::AtLeastOnce);
    assert_eq!(claim(&at_most, unproven(), NONE), Claim::AtLeastOnce);

    for key in [
        unproven(),
        KeyState::PerAttempt,
        KeyState::RandomFallback,
        KeyState::MayBeEmpty,
        KeyState::Missing,
        KeyState::NotCarried,
    ] {
        let short = with(&|it| it.replay_horizon = Some(HOUR));
        assert_eq!(claim(&short, key, ASKS), Claim::AtLeastOnce);
    }
}

#[test]
fn every_key_like_mechanism_counts_as_one() {
    for mechanism in [
        Mechanism::Key,
        Mechanism::DedupId,
        Mechanism::NaturalKey,
        Mechanism::SequenceNumber,
        Mechanism::Precondition,
        Mechanism::Transaction,
    ] {
        let contract = Contract { mechanism: Some(mechanism), replay_horizon: Some(HOUR), ..card() };
        assert_eq!(claim_of(&contract, KeyState::Stable, NONE), Claim::WholeHorizon);
    }
}

#[test]
fn the_claim_never_rests_on_more_than_the_provider_says() {
    let generous = handler(Contract { provider_window: Some(Window::Exact(30 * DAY)), ..card() });
    let derived = |provider: &Provider| derive(&generous, Some(provider), KeyState::Stable, NONE);
    let day = provider(Mechanism::Key, Window::AtLeast(DAY), None);
    assert_eq!(derived(&day).claim, Claim::WindowThenRepeat);
    assert_eq!(derived(&day).promise.window, Window::AtLeast(DAY));
    let tunable = Window::Configurable { value: DAY, max: None };
    let up_to = provider(Mechanism::Key, tunable.clone(), Some(14 * DAY));
    assert_eq!(derived(&up_to).promise.window, Window::AtLeast(14 * DAY));
    let open = provider(Mechanism::Key, tunable, None);
    assert_eq!(derived(&open).promise.window, Window::Exact(30 * DAY));
    let silent = provider(Mechanism::Key, Window::Unpublished, None);
    assert_eq!(derived(&silent).claim, Claim::AtLeastOnce);
    let keyless = provider(Mechanism::None, Window::None, None);
    assert_eq!(derived(&keyless).claim, Claim::AtLeastOnce);
    let forever = provider(Mechanism::Key, Window::Forever, None);
    assert_eq!(derived(&forever).claim, Claim::WholeHorizon);
}

#[test]
fn a_sentence_names_layer_window_condition_and_failure() {
    let sentence = |contract: Contract, key, proofs| derive(&handler(contract), None, key, proofs).sentence.plain();
    assert_eq!(
        sentence(card(), KeyState::Stable, ASKS),
        "Effectively once for at least 24 h after first dispatch, by key `invoice/{invoice.id}/charge` at stripe-v1. \
         Later, until 7 d, only after `find_charge_by_key` is asked. If that is inconclusive the outcome stays unknown \
         and an operator decides (runbooks/charge.md)."
    );
    assert_eq!(
        sentence(
            Contract {
                replay_horizon: Some(12 * HOUR),
                reconcile: Some(Remedy::None("there is no search".into())),
                ..card()
            },
            KeyState::Stable,
            NONE
        ),
        "Effectively once for the whole replay horizon of 12 h, by key `invoice/{invoice.id}/charge` at stripe-v1, \
         which remembers it for at least 24 h after first dispatch. An unknown outcome stays unknown (there is no \
         search) and an operator decides (runbooks/charge.md)."
    );
    assert_eq!(
        sentence(Contract { operator: None, reconcile: None, ..card() }, unproven(), NONE),
        "At least once; duplicates possible: the key is unproven, it passes through `legacy_key`. An unknown outcome \
         stays unknown, and nobody is named who decides."
    );
    assert_eq!(
        sentence(Contract { reconcile: None, ..card() }, KeyState::Stable, NONE),
        "At least once; duplicates possible: the intent can come again after the window, and nothing is asked first. \
         The key `invoice/{invoice.id}/charge` neutralises repeats at stripe-v1 for at least 24 h after first \
         dispatch; the intent can come again until 7 d. An unknown outcome stays unknown and an operator decides \
         (runbooks/charge.md)."
    );
}

#[test]
fn the_anchor_of_a_window_is_said() {
    let anchored = Provider {
        window_anchor: Some("after the invocation completes".into()),
        ..provider(Mechanism::Key, Window::AtLeast(DAY), None)
    };
    let sentence = derive(&handler(card()), Some(&anchored), KeyState::Stable, ASKS).sentence;
    assert!(
        sentence
            .plain()
            .starts_with("Effectively once for at least 24 h, counted after the invocation completes, by key"),
        "{}",
        sentence.plain()
    );
}

#[test]
fn the_digest_changes_with_the_facts_only() {
    let digest = |contract: Contract| derive(&handler(contract), None, KeyState::Stable, NONE).digest;
    let two = |first, second| {
        let state = |state| Terminal { state, mapped: None };
        Contract { terminal: Some(vec![state(first), state(second)]), ..card() }
    };
    assert_eq!(digest(two(State::Confirmed, State::Rejected)), digest(two(State::Rejected, State::Confirmed)));
    assert_eq!(digest(card()), digest(Contract { name: Some("Charge".into()), ..card() }));
    let mut seen = vec![digest(card())];
    for changed in [
        Contract { provider_window: Some(Window::Exact(DAY)), ..card() },
        Contract { replay_horizon: Some(8 * DAY), ..card() },
        Contract { operator: None, ..card() },
        Contract { operator: None, fence: card().operator, ..card() },
    ] {
        seen.push(digest(changed));
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count);
    // written down, so that an accidental change of the digest cannot pass: it would stale all evidence
    assert_eq!(digest(Contract::default()), "6df8b9b40561d54d79fa951b497e26cc");
}

#[test]
fn the_four_answers_follow_the_facts() {
    let questions = |contract: Contract, proofs| derive(&handler(contract), None, KeyState::Stable, proofs).questions;
    let fenced = Contract { fence: Some("lease.token".into()), ..card() };
    let checked = Proofs { fence: true, ..NONE };
    assert_eq!(
        questions(fenced.clone(), checked).commit_twice.plain(),
        "no: the commit checks the fence `lease.token`"
    );
    assert!(questions(fenced, NONE).commit_twice.plain().starts_with("not proven"));
    assert!(questions(card(), NONE).commit_twice.plain().starts_with("yes"));
    let lossy = Contract { delivery: Some(Delivery::AtMostOnce), ..card() };
    assert!(questions(lossy.clone(), NONE).delivered_again.plain().starts_with("no"));
    assert!(questions(lossy.clone(), NONE).run_again.plain().starts_with("no"));
    let retried = Proofs { retry_scope: true, ..NONE };
    assert!(questions(lossy, retried).run_again.plain().starts_with("yes"));
    assert_eq!(
        questions(card(), NONE).delivered_again.plain(),
        "yes: delivery is at least once, until 7 d after first dispatch"
    );
}

#[test]
fn words_for_operators_show_the_applications_own_names() {
    let contract = Contract {
        terminal: Some(vec![Terminal {
            state: State::Confirmed,
            mapped: Some(effect_contracts_grammar::Mapped::Variant("ChargeState::Settled".into())),
        }]),
        compensate: Some(Remedy::None("no refunds".into())),
        ..card()
    };
    let words = derive(&handler(contract), None, KeyState::Stable, NONE).vocabulary;
    assert_eq!(words.workflow, ["accepted", "running", "retrying", "completed", "failed"]);
    assert_eq!(words.delivery, ["queued", "delivered", "redelivered", "acknowledged", "dead-lettered"]);
    let effect: Vec<_> = words.effect.iter().map(|word| (word.word(), word.mapped.as_deref(), word.terminal)).collect();
    assert_eq!(
        effect,
        [
            ("prepared", None, false),
            ("confirmed", Some("ChargeState::Settled"), true),
            ("rejected", None, false),
            ("unknown", None, false),
            ("reconciled", None, false),
        ]
    );
}
