//! `#[effect_case(path, case)]`: a test's claim to prove a failure case. The linter reads it; here it is only checked.

use crate::errors::compile_errors;
use effect_contracts_grammar::parse_case;
use proc_macro2::TokenStream;

pub(crate) fn expand(arguments: TokenStream, mut item: TokenStream) -> TokenStream {
    if let Err(errors) = parse_case(arguments) {
        item.extend(compile_errors(&errors));
    }
    item
}
