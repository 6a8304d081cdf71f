//! Values of a callee as its callers see them, worked out when they are asked for.
//!
//! A dispatch is taken over by all callers of the function in which it stands, and most of what is known of it is asked
//! for only where it is told. Until then it is what the callee knows, and the call over which it was taken.

use std::sync::{Arc, OnceLock};

use super::context::Passed;
use super::{CallContext, Value};

/// A value that is known, or can be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Later(Arc<State>);

#[derive(Debug, Default)]
struct State {
    known: OnceLock<Value>,
    from: Option<From>,
}

/// What it is worked out from.
#[derive(Debug)]
struct From {
    below: Later,
    call: Arc<Passed>,
    /// only the origins count, not what they are parts of
    flat: bool,
}

impl Later {
    pub(crate) fn new(value: Value) -> Self {
        Self(Arc::new(State { known: OnceLock::from(value), from: None }))
    }

    /// The value.
    pub(crate) fn get(&self) -> &Value {
        let State { known, from } = &*self.0;
        known.get_or_init(|| match from {
            Some(From { below, call, flat }) => {
                let value = below.get().substitute(&CallContext::again(call.clone()));
                if *flat { value.flat() } else { value }
            }
            None => Value::bottom(),
        })
    }

    /// As the caller sees it.
    pub(crate) fn substitute(&self, call: &CallContext) -> Self {
        self.taken_over(call, false)
    }

    /// As the caller sees it, with its origins alone.
    pub(crate) fn substitute_flat(&self, call: &CallContext) -> Self {
        self.taken_over(call, true)
    }

    fn taken_over(&self, call: &CallContext, flat: bool) -> Self {
        if !flat && self.0.known.get().is_some_and(|value| !value.open) {
            return self.clone();
        }
        let from = From { below: self.clone(), call: call.passed.clone(), flat };
        Self(Arc::new(State { known: OnceLock::new(), from: Some(from) }))
    }
}
