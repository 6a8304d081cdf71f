//! The guarantee document: what reviewers and operators read of all contracts.
//!
//! In: contracts, their derived guarantees, and what is open about them, as plain data. Out: text. Every text of the
//! application is escaped for the format it goes into; everything is sorted, and nothing in it depends on the day.
//! Nothing here touches the disk.

mod blocks;
mod changes;
mod escape;
mod gather;
mod model;
mod plan;
mod provider;
mod story;
mod templates;
#[cfg(test)]
mod tests;

pub use blocks::{Filled, fill, is_generated};
pub use changes::difference;
pub(crate) use escape::{code, markdown};
pub use gather::{folders, inputs};
pub use model::{AllowLine, Document, Evidence, FindingLine, HandlerPage, Input, Language, Unread, anchor, document};
pub use plan::{Generated, Planned, USUAL_OUT, below, plan};
pub use templates::{TEMPLATE_NAMES, Templates};
