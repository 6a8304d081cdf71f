//! What stands around the expression that is looked at.

use std::sync::Arc;

use super::state::State;
use super::success::Successes;
use crate::flow::RepeatScope;
use crate::flow::events::Role;
use crate::flow::value::Value;
use crate::ir::{ExprId, Name};
use crate::source::Span;

/// A part of the function that may run again, or once for each element.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) id: ExprId,
    pub(crate) repeat: Option<Arc<RepeatScope>>,
    /// what it does with what is in it
    pub(crate) role: Role,
}

impl Region {
    /// A loop over a collection: each round is another intent.
    pub(crate) fn is_each(&self) -> bool {
        matches!(self.role, Role::Each { .. })
    }
}

/// A loop or labelled block that `break` can leave.
pub(super) struct Exit {
    pub(super) label: Option<Name>,
    pub(super) is_loop: bool,
    pub(super) value: Value,
    pub(super) state: Option<State>,
    pub(super) frame: usize,
    /// dispatches that are in doubt where `continue` starts the next round
    pub(super) again: Vec<Span>,
    /// branches around it
    pub(super) around: usize,
    pub(super) successes: Successes,
}
