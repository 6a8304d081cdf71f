//! The statements in front of a body: closures that are compiled and never called.

use crate::key::KeyCode;
use crate::parameters::Parameters;
use effect_contracts_grammar::{contradictions, Error, Parsed};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The path of the crate `effect-contracts` as this attribute knows it.
pub(crate) fn crate_path(parsed: &Parsed) -> TokenStream {
    parsed.extras.crate_path.clone().unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> ::effect_contracts))
}

/// All statements for one contract.
pub(crate) fn prefix(parsed: &Parsed, parameters: &Parameters) -> TokenStream {
    let extras = &parsed.extras;
    let mut out = TokenStream::new();
    // The binding stands last: it may hide what the checks name.
    if let (Some(key), Some(template)) = (&extras.key, &parsed.contract.intent_key) {
        let code = KeyCode::new(key, template, parameters);
        out.extend(match &extras.bind {
            Some(name) => code.bind(name, &crate_path(parsed)),
            None => code.check(),
        });
    }
    let mut checks: TokenStream = extras.terminal.iter().map(|(_, path)| variant(path)).collect();
    checks.extend(extras.reconcile.iter().chain(&extras.compensate).map(reference));
    checks.extend(extras.fence.iter().filter_map(|fence| borrow(fence, parameters)));
    checks.extend(out);
    checks
}

/// That a terminal state is a variant, of whatever shape.
///
/// The last arm may be unreachable. Lints are silent about what a macro of another crate wrote; an attribute that said so
/// would be an error where the lint is forbidden.
fn variant(path: &TokenStream) -> TokenStream {
    let path = flat(path.clone());
    quote_spanned! {Span::mixed_site()=>
        let _ = |value| match value {
            #path { .. } => {}
            _ => {}
        };
    }
}

/// That a path names a value, which also keeps a lookup that nobody calls yet from being reported as unused.
fn reference(path: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        let _ = || {
            let _ = #path;
        };
    }
}

/// That a fence which begins with a parameter exists. Any other is a column, and the linter's business.
fn borrow(fence: &TokenStream, parameters: &Parameters) -> Option<TokenStream> {
    let Some(TokenTree::Ident(first)) = fence.clone().into_iter().next() else {
        return None;
    };
    parameters.get(&first.to_string())?;
    Some(quote_spanned! {Span::mixed_site()=>
        let _ = || {
            let _ = &(#fence);
        };
    })
}

/// Opens the invisible groups of `macro_rules!`, which a pattern's path does not take.
fn flat(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::None => flat(group.stream()),
            other => quote!(#other),
        })
        .collect()
}

/// The contradictions that a contract does not allow itself, each at the field at fault.
pub(crate) fn contradicted(parsed: &Parsed) -> Vec<Error> {
    contradictions(&parsed.contract)
        .into_iter()
        .filter(|found| !parsed.contract.allow.iter().any(|allow| allow.rule == found.rule))
        .map(|found| {
            let place = found.fields.first().and_then(|field| parsed.given(field));
            let (first, last) =
                place.map_or_else(|| (Span::call_site(), Span::call_site()), |given| (given.first, given.last));
            Error { first, last, message: format!("{}: {}; {}", found.rule, found.message, found.help) }
        })
        .collect()
}

/// A key for the body of a handler whose contract has faults, so that they are not followed by one about its name.
pub(crate) fn stand_in(parsed: &Parsed) -> TokenStream {
    let crate_path = crate_path(parsed);
    parsed.extras.bind.as_ref().map_or_else(TokenStream::new, |name| {
        quote_spanned! {Span::mixed_site()=>
            let #name: #crate_path::IntentKey = #crate_path::IntentKey::from_stored("");
        }
    })
}
