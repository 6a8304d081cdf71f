//! The intermediate representation: owned, `Send`, free of syntax-tree types.
//!
//! In: nothing (these are types). `lower` makes them, `resolve` and `flow` read them. Items are per file and per inline
//! module, bodies are arenas of expressions that are addressed by number; places are byte ranges in the file of the
//! owner. Local variables are already bound to their pattern here; every other path is still a name.

mod body;
mod dump;
mod intern;
mod item;
mod name;

pub use body::*;
pub(crate) use intern::{Interned, Interner, Lately};
pub use item::*;
pub use name::Name;
