//! The arguments of `#[effect]`, `handler!` and `#[effect_case]`, and the values that `effects.toml` has in common with
//! them.
#![no_main]

use effect_contracts_grammar::{
    Delivery, KeyTemplate, Window, contradictions, date, duration, parse_arguments_text, parse_attribute_text,
    parse_case, parse_handler_text,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for parse in [parse_arguments_text, parse_attribute_text, parse_handler_text] {
        let parsed = parse(text);
        contradictions(&parsed.contract);
        parsed.errors.iter().for_each(|error| assert!(!error.message.is_empty()));
    }
    if let Ok(tokens) = text.parse() {
        let _ = parse_case(tokens);
    }
    if let Ok(template) = KeyTemplate::parse(text) {
        template.expressions().for_each(|expression| assert!(text.contains(expression)));
    }
    if let Ok(length) = duration::parse(text) {
        assert_eq!(duration::parse(&duration::display(length)).expect("what was written is read"), length);
    }
    let _ = (Window::parse(text), Delivery::parse(text), date::check(text));
    proc_macro2::extra::invalidate_current_thread_spans();
});
