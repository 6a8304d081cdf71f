//! The derived guarantee: the strongest claim about an effect that is true.
//!
//! In: a merged contract, what the catalog knows of its provider, the verdict on its key, and what the code has been
//! shown to do ([`Proofs`]). Out: a [`Guarantee`]: four answers, a claim, one sentence. Nothing here reads code; what is
//! not proven counts as not so.

mod claim;
mod digest;
mod facts;
mod promise;
mod proofs;
mod questions;
mod sentence;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use claim::{Claim, has_lookup};
pub use facts::{KeyState, dispatches, gather, key_state};
pub use promise::{Promise, Reach, is_key_like, longest};
pub use questions::Questions;
pub use sentence::{Piece, Sentence};
pub use vocabulary::{EffectWord, Vocabulary, states};

use crate::catalog::{Catalog, Provider};
use crate::contracts::HandlerContract;
use crate::flow::FlowFacts;
use crate::operations::Operations;
use crate::resolve::Program;

/// What the code has been shown to do. Each is false until an analysis proves it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proofs {
    /// a lookup by the intent key runs before every repeated dispatch
    pub lookup: bool,
    /// the intent's identity is durable before the dispatch
    pub intent_persisted: bool,
    /// the effect sets an absolute state
    pub absolute_write: bool,
    /// completion is written only under the current lease token or version
    pub fence: bool,
    /// something in the code runs the dispatch again, apart from redelivery
    pub retry_scope: bool,
}

/// What holds for one effect.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// what is known of its key
    pub key: KeyState,
    /// what the code has been shown to do
    pub proofs: Proofs,
    /// what the provider and the contract promise together
    pub promise: Promise,
    /// the four answers
    pub questions: Questions,
    /// the row of the claim table
    pub claim: Claim,
    /// the claim with layer, window, condition and failure mode
    pub sentence: Sentence,
    /// words for screens of operators, one list a layer
    pub vocabulary: Vocabulary,
    /// changes when a fact of the contract changes, and only then
    pub digest: String,
}

/// Derives the guarantee of every declared effect, in the order of the contracts.
pub fn derive_all(
    program: &Program,
    contracts: &[HandlerContract],
    catalog: &Catalog,
    flow: &FlowFacts,
    operations: &Operations,
) -> Vec<Guarantee> {
    let known = proofs::Known { program, contracts, flow, operations };
    let derived = contracts.iter().map(|contract| {
        let provider = provider_of(contract, catalog);
        let promise = Promise::new(contract, provider);
        let (key, retry_scope) = gather(program, contracts, contract, flow);
        let proofs = proofs::prove(&known, contract, &promise);
        under(contract, promise, key, Proofs { retry_scope, ..proofs })
    });
    derived.collect()
}

/// Derives the guarantee of one effect.
pub fn derive(contract: &HandlerContract, provider: Option<&Provider>, key: KeyState, proofs: Proofs) -> Guarantee {
    under(contract, Promise::new(contract, provider), key, proofs)
}

fn under(contract: &HandlerContract, promise: Promise, key: KeyState, proofs: Proofs) -> Guarantee {
    let claim = claim::claim(&contract.contract, &promise, &key, proofs);
    Guarantee {
        questions: questions::answer(&contract.contract, claim, &promise, &key, proofs),
        sentence: sentence::sentence(&contract.contract, claim, &promise, &key, proofs),
        vocabulary: vocabulary::words(&contract.contract),
        digest: digest::digest(&contract.contract),
        key,
        proofs,
        promise,
        claim,
    }
}

/// The catalog's entry for a contract's provider.
pub fn provider_of<'a>(contract: &HandlerContract, catalog: &'a Catalog) -> Option<&'a Provider> {
    let id = contract.contract.provider.as_deref()?;
    catalog.providers.iter().find(|provider| provider.id == id)
}
