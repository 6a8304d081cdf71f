//! Values of literals, paths, lists and templates, and what was seen of others.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::events::{EventKind, Usage};
use super::super::value::{Alt, Atom, CallContext, Entered, Kind, Note, Record, Shape, Trail, Value};
use super::super::{call, next_state, outcome, prepared, shapes, template};
use super::Eval;
use super::bound;
use crate::catalog::FreshKind;
use crate::ir::{BinaryOp, ExprId, ExprKind, FormatCall, Literal, LocalId, Name};
use crate::resolve::{Ty, ValueDef};
use crate::source::{Span, TextRange};

impl<'p> Eval<'_, 'p> {
    pub(crate) fn span(&self, range: TextRange) -> Span {
        Span::new(self.file, range)
    }

    pub(crate) fn span_of(&self, id: ExprId) -> Span {
        self.span(self.body.expr(id).range)
    }

    /// The value of an expression that was evaluated before, without evaluating anything again.
    pub(crate) fn quiet(&self, id: ExprId) -> Value {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => self.state.locals[local.0 as usize].clone(),
            ExprKind::Field { base, name } => self.quiet(*base).field(*name),
            ExprKind::Deref(inner) | ExprKind::Try(inner) => self.quiet(*inner),
            ExprKind::Await(inner) => {
                let seen = self.seen(id);
                if seen.is_bottom() { self.quiet(*inner) } else { seen }
            }
            ExprKind::MethodCall(call) if call.args.is_empty() => {
                let seen = self.seen(id);
                if seen.is_bottom() { self.quiet(call.receiver) } else { seen }
            }
            _ => self.seen(id),
        }
    }

    pub(crate) fn here(&self) -> Entered {
        Entered::Here(self.region_ids)
    }

    /// A value that comes in at this place: an element, in the round of a loop.
    pub(crate) fn entered(&self, value: &Value) -> Value {
        let here = self.here();
        value.map_atoms(&mut |atom| Atom { entered: here, ..atom.clone() })
    }

    pub(crate) fn opaque(&self, reason: &str, span: Span) -> Value {
        Value::atom(Atom::new(Kind::Opaque(Name::new(reason)), self.here(), Trail::start(span, reason)))
    }

    pub(crate) fn constant(&self, text: Option<&str>) -> Value {
        Value::atom(Atom::new(Kind::Constant(text.map(Name::new)), Entered::Elsewhere, Trail::default()))
    }

    pub(super) fn literal(&self, literal: &Literal, range: TextRange) -> Value {
        match literal {
            Literal::Str(text) if text.trim().is_empty() => {
                Value::atom(Atom::new(Kind::Empty, Entered::Elsewhere, Trail::start(self.span(range), "an empty text")))
            }
            Literal::Str(text) => self.constant(Some(text)),
            Literal::Int(number) => self.constant(Some(&number.to_string())),
            Literal::Char(char) => self.constant(Some(char.encode_utf8(&mut [0; 4]))),
            Literal::Bytes(bytes) => self.constant(std::str::from_utf8(bytes).ok()),
            Literal::Float(text) => self.constant(Some(text)),
            Literal::Bool(truth) => self.constant(Some(if *truth { "true" } else { "false" })),
        }
    }

    pub(super) fn path(&mut self, id: ExprId) -> Value {
        if let Some(key) = bound::bound_key(self, id) {
            return key;
        }
        match self.types.path(id) {
            Some(ValueDef::Functions(functions)) => {
                Value::alt(Alt { atoms: Arc::default(), shape: Shape::Function(functions.as_slice().into()) })
            }
            Some(ValueDef::Consts(consts)) => {
                let mut value = Value::bottom();
                let path_of = id;
                for id in consts.clone() {
                    value = value.join(&self.engine.constant(id));
                    // Whoever uses what a static has set up is set up so.
                    if let Some(&call) = self.engine.settings.get(&id) {
                        self.event(EventKind::AutoAck, self.span_of(path_of), call, Usage::Used);
                    }
                }
                value
            }
            Some(ValueDef::Variant(ty, variant)) => {
                let info = self.engine.program.type_(*ty);
                let name = info.ir.variants.get(*variant as usize).map_or(info.ir.name, |variant| variant.name);
                let path = Name::new(&format!("{}::{name}", info.path));
                let means = self.engine.words.of_variant(path.as_str());
                self.state_word(means, self.span_of(id), path.as_str());
                outcome::made::note(self, *ty, *variant);
                next_state::note(self, *ty, *variant, self.span_of(id));
                let record = Record { path: Some(path), ..Record::default() };
                let atoms = self.constant(Some(path.as_str())).alts[0].atoms.clone();
                Value::alt(Alt { atoms, shape: Shape::Record(Arc::new(record)) })
            }
            Some(ValueDef::External(path) | ValueDef::Unresolved(path)) => {
                let path = *path;
                if matches!(path.as_str(), "std::option::Option::None" | "core::option::Option::None" | "None") {
                    let span = self.span_of(id);
                    return Value::atom(Atom::new(Kind::Absent, self.here(), Trail::start(span, "no value here")));
                }
                if is_unseen_variant(path.as_str()) {
                    let means = self.engine.words.of_variant(path.as_str());
                    self.state_word(means, self.span_of(id), path.as_str());
                }
                call::external_path(self, id, path)
            }
            None => self.opaque("a path that names nothing known", self.span_of(id)),
        }
    }

    /// What two fixed operands make: the number of `15 * 60`, the statement of `"SELECT id FROM jobs" + $predicate`, of whose
    /// parts a macro is handed one.
    pub(super) fn calculated(&self, op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
        let (left, right) = (left.text()?, right.text()?);
        if op == BinaryOp::Add && prepared::is_sql(left) {
            return Some(self.constant(Some(&format!("{left}{right}"))));
        }
        let (left, right): (u64, u64) = (left.parse().ok()?, right.parse().ok()?);
        let result = match op {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Sub => left.checked_sub(right),
            BinaryOp::Mul => left.checked_mul(right),
            BinaryOp::Div => left.checked_div(right),
            _ => None,
        };
        Some(self.constant(Some(&result?.to_string())))
    }

    pub(super) fn list(&mut self, items: &[ExprId], path: Option<&str>) -> Value {
        let values: Vec<_> = items.iter().map(|&item| self.eval(item)).collect();
        let header = call::header_pair(self, items, &values);
        // Where the value of a header stands is where it is sent.
        let places = header.map(|place| BTreeMap::from([(Name::new("1"), place)]));
        self.record_at(path, values, places.unwrap_or_default())
    }

    pub(crate) fn record_of(&self, path: Option<&str>, values: Vec<Value>) -> Value {
        self.record_at(path, values, BTreeMap::default())
    }

    fn record_at(&self, path: Option<&str>, values: Vec<Value>, places: BTreeMap<Name, Span>) -> Value {
        let fields = values.into_iter().enumerate().map(|(at, value)| (Name::new(&at.to_string()), value)).collect();
        let record = Record { path: path.map(Name::new), fields, rest: None, places: Arc::new(places) };
        Value::alt(Alt { atoms: Arc::default(), shape: Shape::Record(Arc::new(record)) })
    }

    /// What stands at a place of something.
    pub(crate) fn indexed(&mut self, base: ExprId, index: ExprId) -> Value {
        let value = self.eval(base);
        let at = self.eval(index);
        match at.text() {
            // Of a part of a text or list the same is told as of the whole.
            _ if matches!(self.body.expr(index).kind, ExprKind::Range { .. }) => value,
            Some(at) => value.field(Name::new(at)),
            None => self.yielded(&value),
        }
    }

    /// What one round over a sequence gets: nothing comes out of an empty one, and what fills it may not be in sight.
    pub(crate) fn yielded(&self, sequence: &Value) -> Value {
        let empty = |alt: &Alt| matches!(alt.shape, Shape::Plain) && alt.is_made_empty();
        let filled = sequence.filter_map(|alt| (!empty(alt)).then(|| alt.clone()));
        if !filled.is_bottom() {
            return self.elements(&filled);
        }
        let reason = Kind::Opaque(Name::new("an element of what is filled out of sight"));
        sequence.map_atoms(&mut |atom| Atom::new(reason, atom.entered, atom.trail.clone()))
    }

    /// What an iterable yields.
    pub(crate) fn elements(&self, value: &Value) -> Value {
        let mut out = Value::bottom();
        for alt in value.alts.iter() {
            match &alt.shape {
                Shape::Record(record) if record.is_list() => {
                    for field in record.fields.values() {
                        out = out.join(field);
                    }
                }
                _ => out = out.join(&Value::alt(alt.clone())),
            }
        }
        out
    }

    pub(super) fn format(&mut self, format: &FormatCall, range: TextRange) -> Value {
        let each = |eval: &mut Self, ids: &[ExprId]| ids.iter().map(|&id| eval.eval(id)).collect::<Vec<_>>();
        let (before, mut parts) = match makes_text(format.name.as_str()) {
            true => (each(self, &format.before), each(self, &format.values)),
            false => self.only_reading(|eval| (each(eval, &format.before), each(eval, &format.values))),
        };
        let shown = parts.clone();
        for &id in &format.values {
            if shapes::holds_hash_map(self.engine.program, self.ty(id), 0) {
                let trail = Trail::start(self.span_of(id), "the order of a map comes in here");
                parts.push(Value::atom(Atom::new(Kind::Fresh(FreshKind::MapOrder), self.here(), trail)));
            }
        }
        if let Some(template) = &format.template {
            let fixed = match prepared::is_sql(template) {
                true => template::fill(template, |number| {
                    let (id, value) = (format.values.get(number)?, shown.get(number)?);
                    value.text().and_then(template::word).map(str::to_owned).or_else(|| {
                        let name = self.called(*id)?;
                        Some(format!("{{{name}}}"))
                    })
                }),
                false => fixed_text(template),
            };
            if !fixed.is_empty() || parts.is_empty() {
                parts.push(self.literal(&Literal::Str(fixed.into()), range));
            }
        }
        match format.name.as_str() {
            "format" | "format_args" | "format_smolstr" | "format_compact" | "formatdoc" => Value::concat(&parts),
            "write" | "writeln" | "writedoc" => {
                if let (Some(&target), Some(old)) = (format.before.first(), before.first()) {
                    parts = self.all_taken(target, &Value::concat(&parts));
                    parts.push(old.clone());
                    parts.extend(self.text_order(target));
                    self.assign(target, Value::concat(&parts), range);
                }
                self.constant(None)
            }
            "panic" | "todo" | "unreachable" | "unimplemented" => {
                if format.name.as_str() == "panic" {
                    self.gives_up(range);
                }
                self.die()
            }
            _ => self.constant(None),
        }
    }

    /// The value that a struct literal, call or macro had when it was last evaluated.
    pub(crate) fn seen(&self, id: ExprId) -> Value {
        self.seen.get(&id).cloned().unwrap_or_default()
    }

    /// The text of a literal or of what was evaluated to one.
    pub(crate) fn quiet_text(&self, id: ExprId) -> Option<&'p str> {
        match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Str(text)) => Some(text),
            ExprKind::Local(local) => self.state.locals[local.0 as usize].text(),
            ExprKind::Path(_) => self.seen(id).text(),
            _ => None,
        }
    }

    /// The type of an expression.
    pub(crate) fn ty(&self, id: ExprId) -> &'p Ty {
        self.types.ty(id)
    }

    pub(crate) fn local_name(&self, id: ExprId) -> Option<Name> {
        match &self.body.expr(id).kind {
            ExprKind::Local(LocalId(local)) => Some(self.body.locals[*local as usize].name),
            ExprKind::Field { name, .. } => Some(*name),
            ExprKind::Deref(inner) => self.local_name(*inner),
            ExprKind::MethodCall(call) if call.args.is_empty() => self.local_name(call.receiver),
            _ => None,
        }
    }

    /// What a text that is put together calls one of its values: the variable or field, or the method that gives it.
    fn called(&self, id: ExprId) -> Option<Name> {
        match &self.body.expr(id).kind {
            ExprKind::MethodCall(call) if call.args.is_empty() && !is_kept(call.name.as_str()) => Some(call.name),
            _ => self.local_name(id),
        }
    }

    pub(crate) fn context(&self, args: Vec<Value>, step: Option<(Span, Note)>) -> CallContext {
        CallContext::new(args, self.region_ids, step)
    }
}

/// Whether a macro makes a text that goes somewhere; any other prints, logs, panics or says what an error is.
fn makes_text(name: &str) -> bool {
    matches!(
        name,
        "format" | "format_args" | "format_smolstr" | "format_compact" | "formatdoc" | "write" | "writeln" | "writedoc"
    )
}

/// The fixed parts of a format template, with a mark for each value between them.
fn fixed_text(template: &str) -> String {
    let text: String = template::parts(template).map(|part| part.unwrap_or('\u{0}')).collect();
    if text.chars().all(|char| char == '\u{0}') { String::new() } else { text }
}

/// Whether a method gives its receiver in another form.
fn is_kept(name: &str) -> bool {
    ["as_", "to_", "into", "clone"].iter().any(|start| name.starts_with(start))
}

/// Whether a path looks like a variant of one of the workspace's own enums whose source is not there: generated code.
fn is_unseen_variant(path: &str) -> bool {
    let camel = |name: &str| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    let mut last = path.rsplit("::");
    path.starts_with("crate::") && last.next().is_some_and(camel) && last.next().is_some_and(camel)
}
