//! Writing JSON.

use serde::Serialize;

/// Compact JSON with a final line end.
pub(super) fn to_json(value: &impl Serialize) -> String {
    // Serialising own structs with text keys into memory has no way to fail.
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}
