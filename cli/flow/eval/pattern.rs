//! Patterns and assignments: which variable gets what.

use super::super::call;
use super::super::value::{Alt, Shape, Value};
use super::Eval;
use crate::ir::{ExprId, ExprKind, Literal, Name, PatId, PatKind};
use crate::resolve::StructDef;
use crate::source::TextRange;

impl Eval<'_, '_> {
    pub(crate) fn assign(&mut self, target: ExprId, value: Value, range: TextRange) {
        let mut path = Vec::new();
        let mut at = target;
        loop {
            match &self.body.expr(at).kind {
                ExprKind::Field { base, name } => {
                    path.insert(0, *name);
                    at = *base;
                }
                ExprKind::Deref(inner) => at = *inner,
                ExprKind::Index { base, index } => match self.eval(*index).text() {
                    Some(entry) => {
                        path.insert(0, Name::new(entry));
                        at = *base;
                    }
                    // Which element is set is not known: the collection may hold the new one or what it held.
                    None => {
                        let old = self.eval(*base);
                        return self.assign(*base, old.join(&value), range);
                    }
                },
                ExprKind::Local(local) => {
                    let local = *local;
                    let name = path.last().copied().unwrap_or(self.body.locals[local.0 as usize].name);
                    let value = value.step(self.span(range), &format!("kept in `{name}`"));
                    if let Some(&field) = path.last() {
                        call::field_set(self, target, field, &value, range);
                    }
                    let slot = &mut self.state.locals[local.0 as usize];
                    *slot = match slot.is_bottom() && !path.is_empty() {
                        true => Value::alt(Alt::default()).with_field(&path, &value),
                        false => slot.with_field(&path, &value),
                    };
                    return;
                }
                _ => return,
            }
        }
    }

    /// `true` or `false`, where a pattern is one of both.
    pub(super) fn bool_pattern(&self, pat: PatId) -> Option<bool> {
        match self.body.pat(pat).kind {
            PatKind::Literal(Literal::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// What of a value reaches the bindings of a pattern: the alternatives that can match it.
    pub(super) fn matching(&self, pat: PatId, value: &Value) -> Value {
        match &self.body.pat(pat).kind {
            PatKind::TupleStruct { path, .. } => match path.of_option_or_result() {
                Some("Some") => value.unwrapped(),
                Some("Ok") => value.present(),
                Some("Err") => {
                    // An error still tells of the outcome of what failed.
                    let error = self.opaque("an error", self.span(self.body.pat(pat).range));
                    error.with_atoms(&value.replies())
                }
                _ => self.variant_of(pat, value),
            },
            PatKind::Struct { .. } | PatKind::Path(_) => self.variant_of(pat, value),
            _ => value.clone(),
        }
    }

    pub(super) fn variant_of(&self, pat: PatId, value: &Value) -> Value {
        let Some(StructDef::Local(ty, variant)) = self.types.pattern(pat) else {
            return value.clone();
        };
        let info = self.engine.program.type_(*ty);
        if !info.ir.is_enum {
            return value.clone();
        }
        let Some(variant) = info.ir.variants.get(*variant as usize) else {
            return value.clone();
        };
        let path = Name::new(&format!("{}::{}", info.path, variant.name));
        let matched = value.filter_map(|alt| match &alt.shape {
            Shape::Record(record) if record.path.is_some_and(|other| other != path) => None,
            _ => Some(alt.clone()),
        });
        if matched.is_bottom() { value.clone() } else { matched }
    }

    /// Gives the variables of a pattern their values.
    pub(crate) fn bind(&mut self, pat: PatId, value: &Value) {
        let body = self.body;
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner } => {
                self.state.locals[local.0 as usize] = value.clone();
                if let Some(inner) = inner {
                    self.bind(*inner, value);
                }
            }
            PatKind::TupleStruct { path, elements, .. } => {
                let last = path.segments.last().map(|last| last.name.as_str());
                let wrapper = path.of_option_or_result().is_some() || matches!(last, Some("Borrowed" | "Owned"));
                if wrapper && elements.len() == 1 {
                    return self.bind(elements[0], value);
                }
                for (at, &element) in elements.iter().enumerate() {
                    self.bind(element, &value.field(Name::new(&at.to_string())));
                }
            }
            PatKind::Struct { fields, .. } => {
                for &(name, pat) in fields {
                    self.bind(pat, &value.field(name));
                }
            }
            PatKind::Tuple(elements) => {
                for (at, &element) in elements.iter().enumerate() {
                    self.bind(element, &value.field(Name::new(&at.to_string())));
                }
            }
            PatKind::Slice(elements) => {
                let value = self.elements(value);
                for &element in elements {
                    self.bind(element, &value);
                }
            }
            PatKind::Or(choices) => {
                for &choice in choices {
                    self.bind(choice, value);
                }
            }
            PatKind::Wild | PatKind::Path(_) | PatKind::Literal(_) | PatKind::Range(..) | PatKind::Opaque => {}
        }
    }
}
