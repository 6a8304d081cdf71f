//! The attribute on a function: its checks, its documentation, its constant.

use crate::check;
use crate::docs;
use crate::errors::compile_errors;
use crate::function::Function;
use crate::key;
use crate::parameters::Parameters;
use crate::record;
use effect_contracts_grammar::{parse_arguments, Error, Parsed};
use proc_macro2::{Span, TokenStream};

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut parsed = parse_arguments(arguments);
    let function = match Function::read(item) {
        Ok(function) => function,
        Err(mut item) => {
            parsed.errors.push(Error::at(
                Span::call_site(),
                "`effect` describes what one function does; put it on a function or method, or use `handler!` for a closure",
            ));
            item.extend(compile_errors(&parsed.errors));
            return item;
        }
    };
    let parameters = Parameters::read(function.parameters.clone());
    let faults = faults(&parsed, &function, &parameters);
    parsed.errors.extend(faults);

    let constant = parsed.extras.contract.as_ref().map(|name| record::constant(name, &parsed, &function));
    let mut out = if parsed.errors.is_empty() {
        let docs = docs::table(&parsed.contract);
        function.with(docs, check::prefix(&parsed, &parameters))
    } else {
        function.with(TokenStream::new(), check::stand_in(&parsed))
    };
    out.extend(constant);
    out.extend(compile_errors(&parsed.errors));
    out
}

/// What the grammar cannot see, because it lies between the attribute and the function.
fn faults(parsed: &Parsed, function: &Function, parameters: &Parameters) -> Vec<Error> {
    let mut faults = check::contradicted(parsed);
    if let Some(key) = &parsed.extras.key {
        faults.extend(key::unknown_names(key, parameters, &function.name));
    }
    if let Some(bind) = &parsed.extras.bind {
        let fault = if function.body.is_none() {
            Some("`bind` gives the key to the body, and here is none; put it on the implementations".to_owned())
        } else if function.is_const {
            Some(
                "`bind` makes the key when the function runs, which a `const fn` cannot; drop `const`, or drop `bind`"
                    .to_owned(),
            )
        } else if parameters.get(&bind.to_string()).is_some() {
            Some(format!("`bind = {bind}` would hide the parameter of that name; choose another name"))
        } else {
            None
        };
        faults.extend(fault.map(|message| Error::at(bind.span(), message)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::expand;
    use crate::errors::messages;

    const CONTRACT: &str = "intent_key = \"{invoice.id}\", provider_window = none, terminal = [confirmed]";

    fn expanded(arguments: &str, item: &str) -> String {
        expand(arguments.parse().unwrap(), item.parse().unwrap()).to_string()
    }

    /// What is said about a complete contract with further fields.
    fn said(fields: &str, item: &str) -> Vec<String> {
        messages(expand(format!("{CONTRACT}, {fields}").parse().unwrap(), item.parse().unwrap()))
    }

    fn one(fields: &str, item: &str) -> String {
        let mut all = said(fields, item);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn a_function_keeps_its_tokens_around_table_and_check() {
        let out = expanded(CONTRACT, "/// Doc.\n #[inline] pub async fn charge(invoice: &Invoice) { unfinished. }");
        let parts = [
            " Doc.",
            "[inline]",
            "effect contract",
            "pub async fn charge (invoice : & Invoice) {",
            "placeholder_invoice_id_is_displayed",
            "unfinished . }",
        ];
        let places: Vec<_> = parts.iter().map(|part| out.find(part)).collect();
        assert!(places.iter().all(Option::is_some), "{out}");
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{out}");
    }

    #[test]
    fn on_a_fault_the_item_stays_and_has_no_check() {
        let item = "fn charge (invoice : & Invoice) { body () }";
        let out = expanded("provider = 5", item);
        assert!(out.starts_with(item), "{out}");
        assert_eq!(messages(out.parse().unwrap())[0], "`provider` takes a text in quotation marks");
        assert_eq!(messages(out.parse().unwrap()).len(), 4);
    }

    #[test]
    fn on_a_fault_the_body_still_finds_its_key_and_others_the_constant() {
        let out =
            expanded(&format!("{CONTRACT}, bind = key, contract = CHARGE, kind = x"), "pub fn f(invoice: I) { key }");
        assert!(out.contains("let key"), "{out}");
        assert!(out.contains("pub const CHARGE"), "{out}");
    }

    #[test]
    fn what_is_no_function_is_named_and_kept() {
        for item in
            ["struct Charge ;", "impl Charge { fn f () { } }", "let x = | | 5 ;", "const X : u8 = 5 ;", "mod m { }"]
        {
            let out = expanded(CONTRACT, item);
            assert!(out.starts_with(item), "{out}");
            assert_eq!(
                messages(out.parse().unwrap()),
                ["`effect` describes what one function does; put it on a function or method, or use `handler!` for a closure"]
            );
        }
    }

    #[test]
    fn placeholders_name_parameters() {
        let about = |item: &str| one("", item);
        assert_eq!(
            about("fn charge(invoce: &Invoice) {}"),
            "the placeholder `{invoice.id}` names no parameter of `charge`; did you mean `invoce`?"
        );
        assert_eq!(
            about("fn charge(&self, order: Order) {}"),
            "the placeholder `{invoice.id}` names no parameter of `charge`; its parameters are `self`, `order`"
        );
        assert_eq!(
            about("fn charge(_: Invoice) {}"),
            "the placeholder `{invoice.id}` names no parameter of `charge`; it has none that has a name"
        );
        assert!(about("fn charge(&self, __arg1: Invoice) {}").starts_with(
            "the placeholder `{invoice.id}` names no parameter of `charge`; `#[async_trait]` has replaced"
        ));
    }

    #[test]
    fn what_may_be_no_variable_is_left_to_the_compiler() {
        for key in [
            "{TENANT}",
            "{Id::of(x)}",
            "{crate::key(x)}",
            "{of(x)}",
            "{id!(x)}",
            "{(x, y).0}",
            "{x}",
            "{*x}",
            "{x[0]}",
            "{x as u8}",
        ] {
            let arguments = format!("intent_key = \"{key}\", provider_window = none, terminal = [confirmed]");
            let out = expand(arguments.parse().unwrap(), "fn f(x: u8) {}".parse().unwrap());
            assert_eq!(messages(out), [""; 0], "{key}");
        }
    }

    #[test]
    fn bind_needs_a_body_that_runs_and_a_free_name() {
        assert_eq!(
            one("bind = key", "fn charge(invoice: &Invoice);"),
            "`bind` gives the key to the body, and here is none; put it on the implementations"
        );
        assert_eq!(
            one("bind = key", "const fn charge(invoice: &Invoice) {}"),
            "`bind` makes the key when the function runs, which a `const fn` cannot; drop `const`, or drop `bind`"
        );
        assert_eq!(
            one("bind = invoice", "fn charge(invoice: &Invoice) {}"),
            "`bind = invoice` would hide the parameter of that name; choose another name"
        );
    }

    #[test]
    fn contradictions_are_reported_unless_allowed() {
        let item = "fn charge(invoice: &Invoice) {}";
        let fields = "replay_horizon = \"7d\", evidence_retention = \"24h\"";
        assert_eq!(
            one(fields, item),
            "retention-below-replay: evidence is kept for 24h, but the intent can be delivered again for 7d: \
             a late repeat finds no record of the first attempt; keep the rows at least as long as the replay horizon"
        );
        let allowed = format!("{fields}, allow(retention_below_replay, reason = \"archived elsewhere\")");
        assert!(said(&allowed, item).is_empty());
        assert_eq!(
            one("delivery = exactly_once", item),
            "exactly-once-delivery: delivery exactly once is claimed without the boundary inside which it holds: \
             no queue gives it across systems; write `at_least_once`, or name the boundary: `exactly_once_within(\"..\")`"
        );
        assert_eq!(
            one("irreversible, compensate = undo", item),
            "compensated-irreversible: the effect is irreversible, yet `undo` is to undo it; \
             drop `irreversible` if it can be undone, else drop `compensate`"
        );
    }
}
