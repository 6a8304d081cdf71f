//! `[[handler]]`: what counts as a handler.
//!
//! In: one table. Out: a [`HandlerRule`] for each function, trait method, attribute, registration call or parameter type.

use super::Reader;
use crate::catalog::{HandlerRule, HandlerShape, Pattern};
use crate::toml_text::{Fields, Item};

const FORMS: &str = "write a path, { trait = \"…\", method = \"…\" }, { attribute = \"…\" }, \
                     { call = \"…\", argument = 0 } or { parameter = \"…\" }";

pub(super) fn handler(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<HandlerRule> {
    let shapes = match fields.need("function") {
        Some(item) => item.entries().into_iter().flat_map(|item| shape(reader, item)).collect(),
        None => Vec::new(),
    };
    let kinds = ["job", "workflow", "consumer", "webhook"];
    let kind = fields.need("kind").and_then(|item| item.word(&kinds));
    let parameter = shapes.iter().any(|shape| matches!(shape, HandlerShape::Parameter(_)));
    let row = HandlerRule {
        shape: HandlerShape::Parameter(Vec::new()),
        kind: kind.unwrap_or("job").to_owned(),
        stable: fields.texts("stable"),
        per_attempt: fields.texts("per_attempt"),
        again: fields.texts("again"),
        horizon: fields.duration("horizon"),
        likely: fields.flag("likely").unwrap_or(parameter),
        by_value: fields.flag("by_value").unwrap_or(false),
        declared: reader.declared,
    };
    shapes.into_iter().map(|shape| HandlerRule { shape, ..row.clone() }).collect()
}

fn shape(reader: &mut Reader<'_>, item: Item<'_>) -> Vec<HandlerShape> {
    if item.as_text().is_some() {
        return path(reader, item).map(HandlerShape::Function).into_iter().collect();
    }
    if !item.is_table() {
        item.wrong("`function` does not say what the handler is", Some(FORMS.into()));
        return Vec::new();
    }
    let Some(mut fields) = item.table() else {
        return Vec::new();
    };
    fields.name = "`function`".into();
    let traits = fields.get("trait").map(|item| item.entries()).unwrap_or_default();
    let traits: Vec<String> = traits.into_iter().filter_map(|item| path(reader, item)).collect();
    let methods = fields.texts("method");
    let attributes = fields.texts("attribute");
    let parameters = fields.texts("parameter");
    let calls = fields.get("call").map(|item| item.entries()).unwrap_or_default();
    let calls: Vec<_> = calls.into_iter().filter_map(|item| reader.call(item)).collect();
    let argument = super::argument(fields.get("argument"));
    let mut shapes = Vec::new();
    for trait_path in &traits {
        for method in &methods {
            shapes.push(HandlerShape::Trait { trait_path: trait_path.clone(), method: method.clone() });
        }
    }
    shapes.extend(attributes.into_iter().map(HandlerShape::Attribute));
    if !parameters.is_empty() {
        shapes.push(HandlerShape::Parameter(parameters));
    }
    if let Some(argument) = argument {
        shapes.extend(calls.into_iter().map(|call| HandlerShape::Call { call, argument }));
    }
    fields.finish();
    if shapes.is_empty() {
        item.wrong("`function` names no handler", Some(FORMS.into()));
    }
    shapes
}

/// A path without `_` or `macro` forms.
fn path(reader: &mut Reader<'_>, item: Item<'_>) -> Option<String> {
    let text = item.text()?;
    match Pattern::parse(text) {
        Ok(Pattern::Path(_)) => {
            reader.path(item, text);
            Some(text.to_owned())
        }
        Ok(_) => {
            item.wrong(format!("`{text}` names no function"), Some(FORMS.into()));
            None
        }
        Err(why) => {
            item.wrong(format!("`{text}` is no path: {why}"), Some(FORMS.into()));
            None
        }
    }
}
