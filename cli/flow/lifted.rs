//! Which events a caller takes over from a function that it calls.

use super::events::{Event, EventKind, MAX_VIA};

impl Event {
    /// Whether a caller takes it over: ways out and values are the function's own, and over many calls only what acts
    /// is told of. What a name says that several functions have in common is as near as the call by it.
    pub(crate) fn is_lifted(&self) -> bool {
        let far = self.via.len();
        match self.kind {
            EventKind::Fail { .. } | EventKind::Return { .. } | EventKind::Made { .. } | EventKind::Error => false,
            EventKind::Next(_)
            | EventKind::NextRound { .. }
            | EventKind::Noted
            | EventKind::Collected
            | EventKind::Instead { .. }
            | EventKind::Unasked
            | EventKind::Emptied { .. } => false,
            EventKind::Call { .. } | EventKind::Digest { .. } | EventKind::Remembered { .. } => far < 2,
            EventKind::State { .. } | EventKind::Handed { .. } | EventKind::AutoAck | EventKind::Scheduled => far < 3,
            EventKind::Errs { step, .. } => !step && far < 3,
            EventKind::Picked { .. } | EventKind::Asked { .. } | EventKind::Forwarded { .. } => far < 3,
            EventKind::Dispatch { harmless: false, .. } => far - (self.below as usize).min(far) < MAX_VIA,
            EventKind::Fresh { .. } => far < MAX_VIA,
            _ => far < MAX_VIA - 2,
        }
    }
}
