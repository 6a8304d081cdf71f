//! Key positions as the tables write them.
//!
//! In: the value of a `key`. Out: [`KeyPosition`]s.

use super::KeyPosition;
use super::pattern::Pattern;
use crate::toml_text::Item;

const FORMS: &str = "write { argument = 0 }, { header = \"…\" }, { method = \"…\" }, { field = \"…\" }, \
                     { carrier = \"path\" }, { body = \"a.b\" }, { itself = 0 }, or \"none\"";

/// The positions of a `key`: one, or an array of those any of which carries the key. `"none"` gives
/// [`KeyPosition::None`].
pub(super) fn positions(item: Item<'_>) -> Vec<KeyPosition> {
    item.entries().into_iter().filter_map(position).collect()
}

/// One position.
pub(super) fn position(item: Item<'_>) -> Option<KeyPosition> {
    if item.as_text() == Some("none") {
        return Some(KeyPosition::None);
    }
    if !item.is_table() {
        item.wrong("`key` does not say where the call carries its key", Some(FORMS.into()));
        return None;
    }
    let mut fields = item.table()?;
    fields.name = "`key`".into();
    let mut numbered = |name: &'static str, position: fn(u32) -> KeyPosition| {
        let number = fields.get(name).and_then(|item| item.number(0, 255));
        number.and_then(|number| u32::try_from(number).ok()).map(position)
    };
    let mut found: Vec<KeyPosition> = numbered("argument", KeyPosition::Argument).into_iter().collect();
    found.extend(numbered("itself", KeyPosition::Itself));
    found.extend(fields.text("header").map(KeyPosition::Header));
    found.extend(fields.text("method").map(KeyPosition::Method));
    found.extend(fields.text("field").map(KeyPosition::Field));
    found.extend(fields.text("body").map(KeyPosition::Body));
    if let Some(carrier) = fields.get("carrier") {
        if let Some(path) = carrier.text() {
            match Pattern::parse(path) {
                Ok(_) => found.push(KeyPosition::Carrier(path.into())),
                Err(why) => carrier.wrong(format!("`{path}` names no call: {why}"), None),
            }
        }
    }
    let given = fields.named().len();
    fields.finish();
    if given != 1 {
        item.wrong(
            format!("`key` names one position, here are {given}"),
            Some("give several positions as an array of such tables".into()),
        );
    }
    found.into_iter().next()
}
