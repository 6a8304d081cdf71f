//! The description and the keywords of a `Cargo.toml`.
//!
//! In: the text of a manifest. Out: a [`Document`] with one passage for each of them. A manifest that is not TOML has none.

use super::passage::{Document, Draft, Shape};
use toml::Spanned;

#[derive(serde::Deserialize)]
struct Manifest {
    package: Option<Package>,
    workspace: Option<Workspace>,
}

/// What members may inherit is prose where it is written, not where it is inherited.
#[derive(serde::Deserialize)]
struct Workspace {
    package: Option<Package>,
}

#[derive(serde::Deserialize)]
struct Package {
    description: Option<Spanned<toml::Value>>,
    keywords: Option<Vec<Spanned<toml::Value>>>,
}

/// Reads the prose of a manifest.
pub(super) fn read(text: &str) -> Document {
    let mut document = Document::default();
    let Ok(manifest) = toml::from_str::<Manifest>(text) else {
        return document;
    };
    let shared = manifest.workspace.and_then(|workspace| workspace.package);
    let packages = manifest.package.into_iter().chain(shared);
    let values = packages.flat_map(|package| {
        let description = package.description.into_iter().map(|value| (value, Shape::Summary));
        let keywords = (package.keywords.into_iter().flatten()).map(|value| (value, Shape::Keyword));
        description.chain(keywords)
    });
    for (value, shape) in values {
        let (start, end) = (value.span().start, value.span().end);
        // a description taken from the workspace is a table here and is read where it is written
        let Some(words) = value.get_ref().as_str() else {
            continue;
        };
        let mut draft = Draft::default();
        let literal = text.get(start..end).unwrap_or_default();
        let mut from = 0;
        for word in words.split_whitespace() {
            // escapes and line breaks are where the literal and its value part: look for each word anew, but not far
            let near = (from + word.len() + 64..).find(|&end| end >= literal.len() || literal.is_char_boundary(end));
            let near = &literal[from..near.unwrap_or(literal.len()).min(literal.len())];
            match near.find(word) {
                Some(found) => {
                    draft.push_exact(word, start + from + found, false);
                    from += found + word.len();
                }
                None => draft.push_made(word, start + from),
            }
            draft.push_made(" ", start + from.saturating_sub(1));
        }
        if !draft.is_blank() {
            let mut passage = draft.finish(shape);
            passage.group = document.passages.len();
            document.passages.push(passage);
        }
    }
    document
}
