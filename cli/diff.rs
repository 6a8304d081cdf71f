//! Guarantees then and now: what a change does to each declared effect.
//!
//! In: two snapshots of the same workspace, made of an analysis or read from a file that `contracts` wrote. Out: a
//! [`Comparison`]: for each handler whether it is weakened, strengthened, changed, new, gone, or cannot be answered.
//! Nothing here reads code or knows a format.

mod compare;
mod limits;
mod lock;
mod order;
mod pair;
mod rests;
mod snapshot;

pub use compare::{Change, Comparison, FieldChange, HandlerChange, Review, compare, unanswerable};
pub use lock::Lock;
pub use snapshot::{Entry, Known, Layers, RestsOn, Snapshot};
