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
use quote::quote_spanned;

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

    let constant = parsed
        .extras
        .contract
        .as_ref()
        .map(|name| record::constant(name, &parsed, &function));
    let mut out = if parsed.errors.is_empty() {
        let docs = docs::table(&parsed.contract);
        function.with(docs, check::prefix(&parsed, &parameters))
    } else {
        function.with(TokenStream::new(), stand_in(&parsed))
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
            Some(
                "`bind` gives the key to the body, and here is none; put it on the implementations"
                    .to_owned(),
            )
        } else if function.is_const {
            Some(
                "`bind` makes the key when the function runs, which a `const fn` cannot; drop `const`, or drop `bind`"
                    .to_owned(),
            )
        } else if parameters.get(&bind.to_string()).is_some() {
            Some(format!(
                "`bind = {bind}` would hide the parameter of that name; choose another name"
            ))
        } else {
            None
        };
        faults.extend(fault.map(|message| Error::at(bind.span(), message)));
    }
    faults
}

/// A key for the body of a handler whose contract has faults, so that they are not followed by one about its name.
fn stand_in(parsed: &Parsed) -> TokenStream {
    let crate_path = check::crate_path(parsed);
    parsed
        .extras
        .bind
        .as_ref()
        .map_or_else(TokenStream::new, |name| {
            quote_spanned! {Span::mixed_site()=>
                let #name: #crate_path::IntentKey = #crate_path::IntentKey::from_stored("");
            }
        })
}
