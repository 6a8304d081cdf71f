//! Attributes that nobody would write: the grammar answers with errors, never with a panic, and in time.

use effect_contracts_grammar::{parse_attribute_text, parse_handler_text, KeyTemplate, Window};

const ATTRIBUTE: &str = r##"#[effect(
    intent_key = "invoice/{invoice.id}/{f(a, b)}/charge", provider = "stripe-v1",
    provider_window = configurable("24h", max = "72h"),
    terminal = [confirmed = ChargeState::Settled, rejected = "declined", reconciled],
    replay_horizon = "7d", delivery = exactly_once_within("kafka: transaction"), irreversible,
    dispatch = <T as Charge<A, B>>::send, reconcile = find::<A, B>, compensate = none("it is sent"),
    fence = lease.token, operator = runbooks::charge, bind = key, contract = CHARGE,
    allow(missing_key, reason = r#"old "path""#, until = "2027-06-30"), crate = contracts,
    move |task: Map<A, B>| async move { run(task).await },
)]"##;

/// A generator of the same numbers on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

/// The pieces that an attribute is made of.
fn pieces() -> Vec<&'static str> {
    let mut pieces: Vec<&str> =
        ATTRIBUTE.split_inclusive([' ', ',', '(', ')', '"', ':', '<', '>', '=', '[', ']']).collect();
    pieces.extend([
        "'", "\\", "{", "}", "é", "\u{0}", "/*", "//\n", "0x", "r#", "b\"", "|", "||", "->", "::", "..", "#", "!", "$",
    ]);
    pieces
}

#[test]
fn attributes_with_pieces_lost_doubled_and_exchanged() {
    let pieces = pieces();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut faults = 0_usize;
    for _ in 0..1_500 {
        let mut text: Vec<&str> = pieces[..pieces.len() - 19].to_vec();
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(text.len());
            match numbers.below(4) {
                0 if at < text.len() => drop(text.remove(at)),
                1 if at < text.len() => text.insert(at, text[at]),
                2 if at < text.len() => text[at] = pieces[numbers.below(pieces.len())],
                _ => text.truncate(at.max(1)),
            }
        }
        let text = text.concat();
        faults += parse_attribute_text(&text).errors.len();
        faults += parse_handler_text(&text).errors.len();
    }
    assert!(faults > 1_500, "the changes are seen");
}

#[test]
fn pieces_in_any_order() {
    let pieces = pieces();
    let mut numbers = Numbers(1);
    for _ in 0..1_500 {
        let length = numbers.below(40);
        let text: String = (0..length).map(|_| pieces[numbers.below(pieces.len())]).collect();
        parse_attribute_text(&format!("effect({text})"));
        parse_handler_text(&format!("handler!({text})"));
        let _ = KeyTemplate::parse(&text);
        let _ = Window::parse(&text);
    }
}

#[test]
fn size_costs_no_more_than_its_share() {
    for repeated in [
        "provider = \"x\", ",
        "a < ",
        "f::<",
        "{",
        "(",
        "|",
        "confirmed, ",
        "allow(a, reason = \"b\"), ",
        "x.",
        "::a",
        "<",
    ] {
        let long = repeated.repeat(5_000);
        let parsed = parse_attribute_text(&format!("effect({long})"));
        assert!(parsed.errors.len() <= 101, "{}", parsed.errors.len());
        parse_attribute_text(&format!("effect(terminal = [{long}])"));
        parse_attribute_text(&format!("effect(intent_key = {long}, fence = {long})"));
        parse_attribute_text(&format!("effect(intent_key = \"{}\")", long.replace('"', "")));
    }
}
