//! What machine formats share: JSON text and addresses.

use std::fmt::Write;

use serde::Serialize;

use super::plain::steers;

/// Compact JSON with a final line end. Whatever would steer a terminal is escaped beyond what JSON asks for: people look
/// at such output, too.
pub(super) fn to_json(value: &impl Serialize) -> String {
    // serialising own values with text keys into memory has no way to fail
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut text = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // outside of texts compact JSON has none of them, and all lie in the basic plane
        if steers(c) {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
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
