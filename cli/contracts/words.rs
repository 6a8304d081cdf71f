//! What contracts call the states of their effects: as rows of the catalog, so that the words mean that wherever they stand.

use effect_contracts_grammar::{Mapped, State};

use super::HandlerContract;
use crate::catalog::StateWords;

/// The words and variants that terminal states are mapped to.
pub fn state_words(contracts: &[HandlerContract]) -> Vec<StateWords> {
    let terminal = contracts.iter().flat_map(|contract| contract.contract.terminal.iter().flatten());
    let rows = terminal.filter_map(|terminal| {
        let means = match terminal.state {
            State::Confirmed => "confirmed",
            State::Rejected => "rejected",
            State::Unknown => "unknown",
            State::Prepared | State::Reconciled | State::Compensated => return None,
        };
        let (words, variants) = match terminal.mapped.as_ref()? {
            Mapped::Text(text) => (vec![text.clone()], Vec::new()),
            Mapped::Variant(path) => (Vec::new(), vec![path.clone()]),
        };
        Some(StateWords { means: means.to_owned(), words, variants, calls: Vec::new(), declared: true })
    });
    rows.collect()
}
