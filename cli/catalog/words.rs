//! The word lists, as `[words]` writes them.
//!
//! In: the table of the built-in words file. Out: [`Words`].

use super::Words;
use crate::toml_text::Fields;

/// Reads the lists.
pub(super) fn words(mut fields: Fields<'_>) -> Words {
    let lower = |texts: Vec<String>| texts.into_iter().map(|text| text.to_lowercase()).collect();
    let words = Words {
        key_headers: lower(fields.texts("key_headers")),
        key_names: fields.texts("key_names"),
        verbs: fields.texts("verbs"),
        receivers: fields.texts("receivers"),
        keeping_prefixes: fields.texts("keeping_prefixes"),
        coarse_names: fields.texts("coarse_names"),
        attempt_names: fields.texts("attempt_names"),
        sensitive_names: fields.texts("sensitive_names"),
        intake_calls: fields.texts("intake_calls"),
        volatile_names: fields.texts("volatile_names"),
        row_derives: fields.texts("row_derives"),
        status_checks: fields.texts("status_checks"),
        pause_calls: fields.texts("pause_calls"),
        lookup_verbs: fields.texts("lookup_verbs"),
        payment_words: fields.texts("payment_words"),
        identity_names: fields.texts("identity_names"),
        displayed_types: fields.texts("displayed_types"),
        limit_names: fields.texts("limit_names"),
        label_names: fields.texts("label_names"),
        label_headers: lower(fields.texts("label_headers")),
    };
    fields.finish();
    words
}
