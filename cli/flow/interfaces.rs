//! Traits of the workspace behind which something outside acts: no code shows what they do, their names tell.

use super::scope::client_acts;
use crate::catalog::Words;
use crate::resolve::{FnId, Program, TraitId};

/// Whether no code outside tests shows what a call does: methods of traits that others implement.
pub(crate) fn is_unseen(program: &Program, ids: &[FnId]) -> bool {
    let shown = |id: &FnId| !program.function(*id).test && program.body(*id).is_some();
    !ids.is_empty() && !ids.iter().any(shown)
}

/// Whether a function is a method, seen nowhere, by which a client acts.
pub(crate) fn acts(program: &Program, words: &Words, id: FnId) -> bool {
    let function = program.function(id);
    let of_client = |of: TraitId| is_client(words, last_word_of(program, of));
    client_acts(words, function.ir.name.as_str()) && function.trait_.is_some_and(of_client)
}

/// Whether a trait of the workspace is called as a client of something outside is.
pub(crate) fn is_client(words: &Words, name: &str) -> bool {
    let mut suffixes = words.receivers.iter().chain(&words.interfaces);
    suffixes.any(|suffix| name.strip_suffix(suffix.as_str()).is_some_and(|before| !before.ends_with('_')))
}

/// The name of a trait without the modules around it.
pub(crate) fn last_word_of(program: &Program, of: TraitId) -> &'static str {
    let path = program.traits[of.0 as usize].path.as_str();
    path.rsplit("::").next().unwrap_or(path)
}
