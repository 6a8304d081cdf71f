//! What `return` and `?` leave, and what of it is heard by whoever calls the function.

use super::super::answering::{self, Heard};
use super::super::value::Value;
use super::{Eval, State};
use crate::ir::ExprId;

/// What `return` and `?` leave: the function, a closure, an async block.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) value: Value,
    pub(super) state: Option<State>,
    /// what of it is heard by whoever calls the function
    heard: Heard,
}

impl Eval<'_, '_> {
    /// What is heard of the part that is looked at by whoever calls the function.
    pub(super) fn heard(&self) -> Heard {
        self.frames.iter().map(|frame| frame.heard).max().unwrap_or_default()
    }

    /// Whether they hear what this part gives.
    pub(super) fn is_heard(&self, given: ExprId) -> bool {
        match self.heard() {
            Heard::All => true,
            Heard::Errors => self.is_error(given),
            Heard::Nothing => false,
        }
    }

    /// Begins a closure or block that is left on its own.
    pub(super) fn open_frame(&mut self, of: ExprId) {
        let heard = answering::heard(self.body, &self.parents, of);
        self.frames.push(Frame { heard, ..Frame::default() });
    }

    pub(super) fn close_frame(&mut self, value: Value) -> Value {
        let Some(frame) = self.frames.pop() else {
            return value;
        };
        // What a closure or block of its own ends with is whatever its maker does with it.
        self.goes_on();
        self.may_fail();
        if let Some(state) = frame.state {
            self.state.join(&state);
        }
        value.join(&frame.value)
    }

    pub(super) fn leave_frame(&mut self, value: Value) {
        let state = self.state.clone();
        if let Some(frame) = self.frames.last_mut() {
            frame.value = frame.value.join(&value);
            match &mut frame.state {
                Some(joined) => joined.join(&state),
                None => frame.state = Some(state),
            }
        }
    }
}
