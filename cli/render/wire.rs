//! What machine formats share: JSON text and addresses.

use std::fmt::Write;

use serde::Serialize;

/// Compact JSON with a final line end.
pub(super) fn to_json(value: &impl Serialize) -> String {
    // serialising own values with text keys into memory has no way to fail
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A path as a relative address: everything that is not plainly allowed is percent-encoded.
pub(super) fn uri_path(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
