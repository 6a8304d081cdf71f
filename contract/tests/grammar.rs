//! The attribute's grammar: what it accepts, and what it says about what it does not accept, with places.

use effect_contracts_grammar::{
    parse_arguments_text, parse_attribute_text, parse_handler_text, Allow, Delivery, EffectKind, Error, Key,
    KeyTemplate, Mapped, Mechanism, Parsed, Remedy, State, Terminal, Window,
};
use std::time::Duration;

const FULL: &str = r##"#[effect(
    intent_key = "invoice/{invoice.id}/charge",
    provider = "stripe-v1",
    provider_window = at_least("24h"),
    terminal = [confirmed = ChargeState::Settled, rejected = "declined", reconciled, compensated],
    mechanism = dedup_id,
    replay_horizon = "7d",
    delivery = at_least_once,
    boundary = "postgres: effect_ledger",
    record = "billing.effect_ledger",
    dispatch = Stripe::create_charge,
    dispatch = send::<A, B>,
    reconcile = find::<A, B>,
    compensate = unchecked("<T as Refund>::refund"),
    compensates = "other",
    evidence_retention = "400d",
    operator = runbooks::charge,
    fence = lease.token,
    effect = "invoice-charge",
    name = "charge",
    kind = payment,
    bind = charge_key,
    contract = CHARGE,
    allow(per_attempt_key, reason = "legacy", until = "2027-06-30", owner = "payments"),
    allow(missing_key, reason = r#"the "old" path"#),
    crate = contracts::effects,
)]"##;

/// The least contract, with further fields.
fn with(fields: &str) -> Parsed {
    parse_arguments_text(&format!(
        "intent_key = \"i/{{id}}\", provider_window = none, terminal = [confirmed], {fields}"
    ))
}

fn messages(parsed: &Parsed) -> Vec<&str> {
    parsed.errors.iter().map(|error| error.message.as_str()).collect()
}

/// The one message of an attribute with these further fields.
fn message(fields: &str) -> String {
    let parsed = with(fields);
    assert_eq!(parsed.errors.len(), 1, "{fields}: {:?}", messages(&parsed));
    parsed.errors[0].message.clone()
}

fn place(error: &Error) -> (usize, usize, usize, usize) {
    let (start, end) = (error.first.start(), error.last.end());
    (start.line, start.column, end.line, end.column)
}

#[test]
fn every_field_is_read() {
    let parsed = parse_attribute_text(FULL);
    assert_eq!(messages(&parsed), [""; 0]);
    let contract = &parsed.contract;
    let days = |count: u64| Some(Duration::from_secs(count * 86_400));
    assert_eq!(contract.intent_key, Some(KeyTemplate::parse("invoice/{invoice.id}/charge").unwrap()));
    assert_eq!(contract.provider.as_deref(), Some("stripe-v1"));
    assert_eq!(contract.provider_window, Some(Window::AtLeast(Duration::from_secs(86_400))));
    let state = |state, mapped| Terminal { state, mapped };
    assert_eq!(
        contract.terminal.as_deref(),
        Some(
            &[
                state(State::Confirmed, Some(Mapped::Variant("ChargeState::Settled".into()))),
                state(State::Rejected, Some(Mapped::Text("declined".into()))),
                state(State::Reconciled, None),
                state(State::Compensated, None),
            ][..]
        )
    );
    assert_eq!(contract.mechanism, Some(Mechanism::DedupId));
    assert_eq!(contract.replay_horizon, days(7));
    assert_eq!(contract.delivery, Some(Delivery::AtLeastOnce));
    assert_eq!(contract.boundary.as_deref(), Some("postgres: effect_ledger"));
    assert_eq!(contract.record.as_deref(), Some("billing.effect_ledger"));
    assert_eq!(contract.dispatch, ["Stripe::create_charge", "send::<A, B>"]);
    assert_eq!(contract.reconcile, Some(Remedy::Path("find::<A, B>".into())));
    assert_eq!(contract.compensate, Some(Remedy::Unchecked("<T as Refund>::refund".into())));
    assert_eq!(contract.compensates.as_deref(), Some("other"));
    assert_eq!(contract.evidence_retention, days(400));
    assert_eq!(contract.operator.as_deref(), Some("runbooks::charge"));
    assert_eq!(contract.fence.as_deref(), Some("lease.token"));
    assert_eq!(contract.effect.as_deref(), Some("invoice-charge"));
    assert_eq!(contract.name.as_deref(), Some("charge"));
    assert_eq!(contract.kind, Some(EffectKind::Payment));
    assert_eq!(parsed.extras.bind.as_ref().unwrap(), "charge_key");
    assert_eq!(parsed.extras.contract.as_ref().unwrap(), "CHARGE");
    assert_eq!(parsed.extras.terminal.len(), 1);
    assert!(parsed.extras.reconcile.is_some() && parsed.extras.compensate.is_none());
    assert!(parsed.extras.crate_path.is_some());
    assert_eq!(
        contract.allow,
        [
            Allow {
                rule: "per-attempt-key".into(),
                reason: "legacy".into(),
                until: Some("2027-06-30".into()),
                owner: Some("payments".into()),
            },
            Allow { rule: "missing-key".into(), reason: "the \"old\" path".into(), until: None, owner: None },
        ]
    );
}

#[test]
fn the_short_form_is_enough() {
    let parsed = with("");
    assert_eq!(messages(&parsed), [""; 0]);
    assert!(parsed.contract.provider.is_none());
}

#[test]
fn all_windows_and_deliveries_are_read() {
    let day = Duration::from_secs(86_400);
    for (text, window) in [
        ("\"24h\"", Window::Exact(day)),
        ("at_least(\"1d\")", Window::AtLeast(day)),
        ("configurable(\"24h\", max = \"3d\")", Window::Configurable { value: day, max: Some(day * 3) }),
        ("configurable(\"24h\")", Window::Configurable { value: day, max: None }),
        ("forever", Window::Forever),
        ("unpublished", Window::Unpublished),
        ("none", Window::None),
    ] {
        let parsed =
            parse_arguments_text(&format!("intent_key = key, provider_window = {text}, terminal = [confirmed]"));
        assert_eq!(messages(&parsed), [""; 0], "{text}");
        assert_eq!(parsed.contract.provider_window, Some(window));
    }
    let parsed = with("delivery = exactly_once_within(\"flink: checkpoint\"), irreversible");
    assert_eq!(parsed.contract.delivery, Some(Delivery::ExactlyOnceWithin("flink: checkpoint".into())));
    assert_eq!(parsed.contract.irreversible, Some(true));
    assert_eq!(with("delivery = exactly_once").contract.delivery, Some(Delivery::ExactlyOnce));
}

#[test]
fn any_expression_can_be_the_key() {
    for expression in [
        "key_of::<A, B>(invoice, 1)",
        "<Key as Make<A, B>>::make(invoice)",
        "format!(\"{}/{}\", a, b)",
        "(a as Vec<A, B>).key()",
        "a as Vec<A, B>",
        "a << 2 < b",
        "if urgent { a } else { b }",
        "&self.keys[0]",
        "\"x\".to_owned() + id",
    ] {
        let parsed =
            parse_arguments_text(&format!("intent_key = {expression}, provider_window = none, terminal = [confirmed]"));
        assert_eq!(messages(&parsed), [""; 0], "{expression}");
        assert_eq!(parsed.contract.intent_key, Some(KeyTemplate::Expression(expression.to_owned())));
        assert!(matches!(parsed.extras.key, Some(Key::Expression(_))));
    }
}

#[test]
fn places_are_those_of_the_text() {
    let parsed = parse_attribute_text(FULL);
    let given = parsed.given("provider_window").unwrap();
    assert_eq!((given.name.start().line, given.name.start().column), (4, 4));
    assert_eq!((given.first.start().line, given.first.start().column), (4, 22));
    assert_eq!((given.last.end().line, given.last.end().column), (4, 37));
    assert_eq!(parsed.given.iter().filter(|given| given.field == "allow").count(), 2);
}

#[test]
fn all_errors_are_reported_at_once_and_in_place() {
    let parsed = parse_attribute_text(
        "effect(\n  intent_key = \"a/{}\",\n  provider_windw = at_least(24h),\n  terminal = [confirmd],\n  retention = \"4d\",\n  delivery = often,\n)",
    );
    let found: Vec<_> = parsed.errors.iter().map(|error| (place(error), error.message.as_str())).collect();
    assert_eq!(found[0].0, (2, 15, 2, 21));
    assert!(found[0].1.starts_with("the placeholder `{}` is empty"));
    assert_eq!(found[1], ((3, 2, 3, 16), "unknown field `provider_windw`; did you mean `provider_window`?"));
    assert_eq!(found[2], ((4, 14, 4, 22), "`confirmd` is not a state; did you mean `confirmed`?"));
    assert_eq!(found[3].0, (5, 2, 5, 11));
    assert!(found[3].1.starts_with("unknown field `retention`; the fields are `intent_key`, `provider_window`, "));
    assert_eq!(found[4].0, (6, 13, 6, 18));
    assert!(found[4].1.starts_with("`often` is not a delivery; write one of"));
    assert_eq!(found.len(), 5, "a misspelt or faulty field is not also missing");
}

#[test]
fn absent_fields_are_named_with_an_example() {
    assert_eq!(
        messages(&parse_arguments_text("")),
        [
            "missing field `intent_key`: the business identity of the effect, as in `intent_key = \"invoice/{invoice.id}/charge\"`",
            "missing field `provider_window`: how long the provider deduplicates, as in `provider_window = at_least(\"24h\")`",
            "missing field `terminal`: the states in which nothing more happens, as in `terminal = [confirmed, rejected, reconciled]`",
        ]
    );
}

#[test]
fn durations_and_windows() {
    assert_eq!(message("replay_horizon = 24h"), "a duration stands in quotation marks; write `\"24h\"`");
    assert_eq!(
        message("replay_horizon = 24"),
        "`24` is not a duration; write a number and a unit in quotation marks, as in `\"24h\"`"
    );
    assert_eq!(
        message("replay_horizon = \"24\""),
        "\"24\" is not a duration; a number needs a unit, as in \"24h\" or \"24d\""
    );
    assert_eq!(message("replay_horizon = long"), "expected a duration in quotation marks, as in `\"24h\"`");
    let window = |text: &str| {
        let parsed = parse_arguments_text(&format!("intent_key = k, provider_window = {text}, terminal = [confirmed]"));
        assert_eq!(parsed.errors.len(), 1, "{text}: {:?}", messages(&parsed));
        parsed.errors[0].message.clone()
    };
    assert_eq!(window("24h"), "a duration stands in quotation marks; write `\"24h\"`");
    assert_eq!(window("at_least"), "say how long: `at_least(\"24h\")`");
    assert_eq!(window("at_least(\"24h\", \"48h\")"), "`at_least` takes one duration");
    assert_eq!(
        window("configurable"),
        "say the value in force and the greatest one: `configurable(\"24h\", max = \"72h\")`"
    );
    assert_eq!(
        window("configurable(\"24h\", \"72h\")"),
        "expected `max = \"..\"`, the greatest value that can be configured"
    );
    assert_eq!(
        window("configurable(\"72h\", max = \"24h\")"),
        "a window of 3d cannot be configured where the greatest is 24h"
    );
    assert_eq!(window("unpublishd"), "`unpublishd` is not a window; did you mean `unpublished`?");
}

#[test]
fn words_and_texts() {
    assert_eq!(message("mechanism = \"key\""), "a mechanism is a bare word; write `key` without quotation marks");
    assert_eq!(message("kind = paymnet"), "`paymnet` is not a kind of effect; did you mean `payment`?");
    assert_eq!(message("provider = stripe"), "`provider` takes a text in quotation marks");
    assert_eq!(message("provider = \" \""), "`provider` is empty; say it, or leave the field out");
    assert_eq!(message("provider"), "`provider` is written `provider = \"stripe-v1\"`");
    assert_eq!(message("provider = ,"), "`provider` is written `provider = \"stripe-v1\"`");
    assert_eq!(message("provider(\"x\")"), "`provider` is written `provider = \"stripe-v1\"`");
    assert_eq!(message("irreversible = true"), "`irreversible` is written `irreversible`");
    assert_eq!(message("bind = \"key\""), "expected a name, as in `bind = charge_key`");
    assert_eq!(
        message("delivery = exactly_once_within"),
        "name the boundary inside which it holds: `exactly_once_within(\"kafka: transaction\")`"
    );
    assert_eq!(message("name = \"a\", name = \"b\""), "`name` is given twice; one effect has one name");
}

#[test]
fn paths_and_remedies() {
    assert_eq!(message("reconcile = none"), "say why there is none: `none(\"the provider has no search\")`");
    assert_eq!(message("reconcile = none(\"\")"), "`none` is empty; say it, or leave the field out");
    assert_eq!(
        message("reconcile = \"Stripe::find\""),
        "`reconcile` takes a path; write it without quotation marks, or as `unchecked(\"..\")`"
    );
    assert_eq!(
        message("reconcile = find()"),
        "`reconcile` takes the path of a function, not a call; leave the parentheses out"
    );
    assert_eq!(message("reconcile = unchecked(\"a b\")"), "\"a b\" is not a path, as in \"Stripe::find\"");
    assert_eq!(message("reconcile = find<u8>"), "generic arguments of a path need `::` before `<`");
    assert_eq!(message("reconcile = Stripe::"), "the path ends too early: expected a name after `::`");
    assert_eq!(message("reconcile = find::<A"), "this `<` is not closed");
    assert_eq!(message("dispatch = \"x\""), "`dispatch` takes a path; write it without quotation marks");
    assert_eq!(
        with("dispatch = _::refund, dispatch = _.gateway.refund").contract.dispatch,
        ["_::refund", "_.gateway.refund"]
    );
}

#[test]
fn terminal_states() {
    let terminal = |text: &str| {
        let parsed = parse_arguments_text(&format!("intent_key = k, provider_window = none, terminal = {text}"));
        assert_eq!(parsed.errors.len(), 1, "{text}: {:?}", messages(&parsed));
        parsed.errors[0].message.clone()
    };
    assert_eq!(
        terminal("[prepared]"),
        "`prepared` cannot be terminal: it is where an effect begins, before anything is sent"
    );
    assert!(terminal("[]").starts_with("no terminal state: "));
    assert_eq!(terminal("confirmed"), "expected a list of states, as in `[confirmed, rejected, reconciled]`");
    assert_eq!(terminal("[confirmed, confirmed]"), "the terminal state `confirmed` is listed twice");
    assert_eq!(terminal("[confirmed rejected]"), "expected `,` between states");
    assert_eq!(terminal("[confirmed = ]"), "expected a path, as in `Stripe::find_charge`");
}

#[test]
fn suppressions() {
    assert_eq!(
        message("allow(missing_key)"),
        "`allow(missing_key)` has no reason; add `reason = \"..\"`, which reviews and tables show"
    );
    assert_eq!(
        message("allow(missing_key, reason = \"x\", until = \"2027-02-30\")"),
        "\"2027-02-30\" is not a date; write year, month and day as in \"2027-06-30\""
    );
    assert_eq!(
        message("allow(missing_key, raeson = \"x\")"),
        "`raeson` is not an argument of `allow`; did you mean `reason`?"
    );
    assert_eq!(message("allow = missing_key"), "`allow` is written `allow(missing_key, reason = \"..\")`");
    assert_eq!(
        message("allow(\"missing-key\", reason = \"x\")"),
        "`allow` begins with the rule in snake case, as in `allow(missing_key, ..)`"
    );
}

#[test]
fn reading_goes_on_after_a_fault() {
    let parsed = with("reconcile = find(a, b) c, provider = \"p\" boundary = \"b\", 5, record = \"r\"");
    assert_eq!(
        messages(&parsed),
        [
            "`reconcile` takes the path of a function, not a call; leave the parentheses out",
            "expected `,` between fields",
            "expected a field, as in `provider = \"stripe-v1\"`",
        ]
    );
    assert_eq!(parsed.contract.provider.as_deref(), Some("p"));
    assert_eq!(parsed.contract.boundary.as_deref(), Some("b"));
    assert_eq!(parsed.contract.record.as_deref(), Some("r"));
}

#[test]
fn a_handler_ends_with_a_closure() {
    for closure in [
        "|ctx| async move { ctx.run(a, b).await }",
        "move |a: Map<A, B>, b| run(a, b)",
        "async move |ctx| { ctx }",
        "|| {}",
        "for<'a> |x: &'a str| -> Vec<A, B> { x }",
    ] {
        let text = format!(
            "effects::handler!(name = \"n\", intent_key = \"k/{{ctx.id}}\", provider_window = none, irreversible, terminal = [confirmed], {closure})"
        );
        let parsed = parse_handler_text(&text);
        assert_eq!(messages(&parsed), [""; 0], "{closure}");
        let found = parsed.closure.unwrap().to_string().replace(' ', "");
        assert_eq!(found, closure.replace(' ', ""));
    }
    let parsed = parse_handler_text("handler!(intent_key = k, provider_window = none, terminal = [confirmed])");
    assert_eq!(
        messages(&parsed),
        [
            "missing field `name`: the handler's name in tables, as in `name = \"charge an invoice\"`",
            "the handler's closure is missing; put it after the fields, as in `|task| async move { .. }`",
        ]
    );
}

#[test]
fn hostile_text_is_answered_with_errors() {
    for text in
        ["", "effect", "#", "#[effect]", "#[effect(", "effect(\"", "effect(=)", "effect(,,,)", "#[]", "effect(<<<<)"]
    {
        assert!(!parse_attribute_text(text).errors.is_empty(), "{text}");
    }
    let deep = format!("effect(intent_key = {}{})", "(".repeat(10_000), ")".repeat(10_000));
    assert!(!parse_attribute_text(&deep).errors.is_empty());
    let long = format!("effect({})", "intent_key = a < ".repeat(20_000));
    assert!(!parse_attribute_text(&long).errors.is_empty());
}
