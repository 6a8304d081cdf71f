//! A body as text, for tests and for those who look for a fault: one S-expression.
//!
//! A local variable is `$x`, its second namesake in the body `$x.2`; everything else that is named is a path.

use std::fmt::Write as _;

use super::{
    BinaryOp, Block, BlockKind, Body, ExprId, ExprKind, Literal, LocalId, LoopKind, MapKey, Name, PatId, PatKind,
    PathIr, Statement, TypeIr,
};

impl Body {
    /// The body's value as an S-expression.
    pub fn dump(&self) -> String {
        self.dump_expr(self.root)
    }

    /// An expression as an S-expression.
    pub fn dump_expr(&self, id: ExprId) -> String {
        let mut dump = Dump { body: self, out: String::new() };
        dump.expr(id);
        dump.out
    }

    /// A pattern as an S-expression.
    pub fn dump_pat(&self, id: PatId) -> String {
        let mut dump = Dump { body: self, out: String::new() };
        dump.pat(id);
        dump.out
    }
}

struct Dump<'b> {
    body: &'b Body,
    out: String,
}

impl Dump<'_> {
    fn list(&mut self, head: &str, parts: &[ExprId]) {
        self.out.push('(');
        self.out.push_str(head);
        for &part in parts {
            self.out.push(' ');
            self.expr(part);
        }
        self.out.push(')');
    }

    fn local(&mut self, id: LocalId) {
        let name = self.body.locals[id.0 as usize].name;
        let before = &self.body.locals[..id.0 as usize];
        let namesakes = before.iter().filter(|local| local.name == name).count();
        let _ = write!(self.out, "${name}");
        if namesakes > 0 {
            let _ = write!(self.out, ".{}", namesakes + 1);
        }
    }

    fn optional(&mut self, id: Option<ExprId>) {
        match id {
            Some(id) => self.expr(id),
            None => self.out.push('-'),
        }
    }

    fn expr(&mut self, id: ExprId) {
        match &self.body.expr(id).kind {
            ExprKind::Literal(literal) => self.out.push_str(&literal_text(literal)),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Path(path) => self.out.push_str(&path_text(path)),
            ExprKind::Call { callee, args } => {
                let parts: Vec<_> = [*callee].into_iter().chain(args.iter().copied()).collect();
                self.list("call", &parts);
            }
            ExprKind::MethodCall(call) => {
                let types: Vec<_> = call.turbofish.iter().map(type_text).collect();
                let types = match types.is_empty() {
                    true => String::new(),
                    false => format!("::<{}>", types.join(", ")),
                };
                let parts: Vec<_> = [call.receiver].into_iter().chain(call.args.iter().copied()).collect();
                self.list(&format!(".{}{types}", call.name), &parts);
            }
            ExprKind::Field { base, name } => self.list(&format!("field {name}"), &[*base]),
            ExprKind::Index { base, index } => self.list("index", &[*base, *index]),
            ExprKind::Struct(literal) => {
                let _ = write!(self.out, "(struct {}", path_text(&literal.path));
                for (name, value) in &literal.fields {
                    let _ = write!(self.out, " {name}: ");
                    self.expr(*value);
                }
                if let Some(rest) = literal.rest {
                    self.out.push_str(" ..");
                    self.expr(rest);
                }
                self.out.push(')');
            }
            ExprKind::Map(entries) => {
                self.out.push_str("(map");
                for (key, value) in entries {
                    self.out.push(' ');
                    match key {
                        MapKey::Text(text) => {
                            let _ = write!(self.out, "{text:?}");
                        }
                        MapKey::Value(key) => self.expr(*key),
                    }
                    self.out.push_str(": ");
                    self.expr(*value);
                }
                self.out.push(')');
            }
            ExprKind::Tuple(parts) => self.list("tuple", parts),
            ExprKind::Array(parts) => self.list("array", parts),
            ExprKind::Repeat { value, count } => self.list("repeat", &[*value, *count]),
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                let parts: Vec<_> = [*condition, *then].into_iter().chain(*otherwise).collect();
                self.list("if", &parts);
            }
            ExprKind::Let { pat, value } => {
                self.out.push_str("(let ");
                self.pat(*pat);
                self.out.push(' ');
                self.expr(*value);
                self.out.push(')');
            }
            ExprKind::Match { value, arms } => {
                self.out.push_str("(match ");
                self.expr(*value);
                for arm in arms {
                    self.out.push_str(" (");
                    self.pat(arm.pat);
                    if let Some(guard) = arm.guard {
                        self.out.push_str(" if ");
                        self.expr(guard);
                    }
                    self.out.push_str(" => ");
                    self.expr(arm.body);
                    self.out.push(')');
                }
                self.out.push(')');
            }
            ExprKind::Loop(looped) => {
                self.out.push('(');
                if let Some(label) = looped.label {
                    let _ = write!(self.out, "{label}: ");
                }
                match &looped.kind {
                    LoopKind::Loop => self.out.push_str("loop "),
                    LoopKind::While(condition) => {
                        self.out.push_str("while ");
                        self.expr(*condition);
                        self.out.push(' ');
                    }
                    LoopKind::For { pat, iterable } => {
                        self.out.push_str("for ");
                        self.pat(*pat);
                        self.out.push_str(" in ");
                        self.expr(*iterable);
                        self.out.push(' ');
                    }
                }
                self.expr(looped.body);
                self.out.push(')');
            }
            ExprKind::Closure(closure) => {
                self.out.push_str("(closure [");
                for (at, (pat, ty)) in closure.params.iter().enumerate() {
                    if at > 0 {
                        self.out.push(' ');
                    }
                    self.pat(*pat);
                    if let Some(ty) = ty {
                        let _ = write!(self.out, ": {}", type_text(ty));
                    }
                }
                self.out.push_str("] ");
                self.expr(closure.body);
                self.out.push(')');
            }
            ExprKind::Await(value) => self.list("await", &[*value]),
            ExprKind::Try(value) => self.list("?", &[*value]),
            ExprKind::Deref(value) => self.list("*", &[*value]),
            ExprKind::Not(value) => self.list("!", &[*value]),
            ExprKind::Neg(value) => self.list("-", &[*value]),
            ExprKind::Binary { op, left, right } => self.list(operator(*op), &[*left, *right]),
            ExprKind::Assign { target, value } => self.list("=", &[*target, *value]),
            ExprKind::AssignOp { op, target, value } => self.list(&format!("{}=", operator(*op)), &[*target, *value]),
            ExprKind::Cast { value, ty } => self.list(&format!("as {}", type_text(ty)), &[*value]),
            ExprKind::Range { start, end } => {
                self.out.push_str("(range ");
                self.optional(*start);
                self.out.push(' ');
                self.optional(*end);
                self.out.push(')');
            }
            ExprKind::Return(value) => self.list("return", value.as_slice()),
            ExprKind::Break { label, value } => self.list(&jump("break", *label), value.as_slice()),
            ExprKind::Continue { label } => self.list(&jump("continue", *label), &[]),
            ExprKind::Format(call) => {
                let _ = write!(self.out, "({}!", call.name);
                for &before in &call.before {
                    self.out.push(' ');
                    self.expr(before);
                }
                match &call.template {
                    Some(template) => {
                        let _ = write!(self.out, " {template:?}");
                    }
                    None => self.out.push_str(" -"),
                }
                for &value in &call.values {
                    self.out.push(' ');
                    self.expr(value);
                }
                self.out.push(')');
            }
            ExprKind::Concurrent(call) => {
                let _ = write!(self.out, "({}! {}", call.name, if call.race { "race" } else { "all" });
                for branch in &call.branches {
                    self.out.push_str(" (");
                    if let Some(pat) = branch.pat {
                        self.pat(pat);
                        self.out.push_str(" = ");
                    }
                    self.expr(branch.future);
                    if let Some(guard) = branch.guard {
                        self.out.push_str(" if ");
                        self.expr(guard);
                    }
                    if let Some(handler) = branch.handler {
                        self.out.push_str(" => ");
                        self.expr(handler);
                    }
                    self.out.push(')');
                }
                self.out.push(')');
            }
            ExprKind::Macro(call) => {
                let more = if call.complete { "" } else { " ..." };
                self.list(&format!("{}!{more}", path_text(&call.path)), &call.args);
            }
            ExprKind::Opaque(reason) => {
                let _ = write!(self.out, "(opaque {reason:?})");
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.out.push('(');
        if let Some(label) = block.label {
            let _ = write!(self.out, "{label}: ");
        }
        self.out.push_str(match block.kind {
            BlockKind::Plain => "do",
            BlockKind::Async => "async",
            BlockKind::Try => "try",
        });
        for statement in &block.statements {
            self.out.push(' ');
            match statement {
                Statement::Let { pat, ty, value, otherwise } => {
                    self.out.push_str("(let ");
                    self.pat(*pat);
                    if let Some(ty) = ty {
                        let _ = write!(self.out, ": {}", type_text(ty));
                    }
                    if let Some(value) = value {
                        self.out.push(' ');
                        self.expr(*value);
                    }
                    if let Some(otherwise) = otherwise {
                        self.out.push_str(" else ");
                        self.expr(*otherwise);
                    }
                    self.out.push(')');
                }
                Statement::Expr(id) => {
                    self.expr(*id);
                    self.out.push(';');
                }
            }
        }
        if let Some(tail) = block.tail {
            self.out.push(' ');
            self.expr(tail);
        }
        self.out.push(')');
    }

    fn pats(&mut self, pats: &[PatId], separator: &str) {
        for (at, &pat) in pats.iter().enumerate() {
            if at > 0 {
                self.out.push_str(separator);
            }
            self.pat(pat);
        }
    }

    fn pat(&mut self, id: PatId) {
        match &self.body.pat(id).kind {
            PatKind::Wild => self.out.push('_'),
            PatKind::Bind { local, inner } => {
                self.local(*local);
                if let Some(inner) = inner {
                    self.out.push('@');
                    self.pat(*inner);
                }
            }
            PatKind::TupleStruct { path, elements, rest } => {
                let _ = write!(self.out, "{}(", path_text(path));
                self.pats(elements, ", ");
                if let Some(rest) = rest {
                    let _ = write!(self.out, " ..{rest}");
                }
                self.out.push(')');
            }
            PatKind::Struct { path, fields } => {
                let _ = write!(self.out, "{}{{", path_text(path));
                for (at, (name, pat)) in fields.iter().enumerate() {
                    let _ = write!(self.out, "{}{name}: ", if at > 0 { ", " } else { "" });
                    self.pat(*pat);
                }
                self.out.push('}');
            }
            PatKind::Path(path) => self.out.push_str(&path_text(path)),
            PatKind::Tuple(elements) => {
                self.out.push('(');
                self.pats(elements, ", ");
                self.out.push(')');
            }
            PatKind::Slice(elements) => {
                self.out.push('[');
                self.pats(elements, ", ");
                self.out.push(']');
            }
            PatKind::Or(cases) => self.pats(cases, " | "),
            PatKind::Literal(literal) => self.out.push_str(&literal_text(literal)),
            PatKind::Range(ends) => {
                let text = |bound: &Option<Literal>| bound.as_ref().map(literal_text).unwrap_or_default();
                let _ = write!(self.out, "{}..{}", text(&ends[0]), text(&ends[1]));
            }
            PatKind::Opaque => self.out.push_str("(opaque)"),
        }
    }
}

fn jump(word: &str, label: Option<Name>) -> String {
    match label {
        Some(label) => format!("{word} {label}"),
        None => word.to_owned(),
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Str(text) => format!("{text:?}"),
        Literal::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        Literal::Int(int) => int.to_string(),
        Literal::Float(text) => text.to_string(),
        Literal::Bool(bool) => bool.to_string(),
        Literal::Char(c) => format!("{c:?}"),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

/// A path as written, without spaces but after commas.
pub(super) fn path_text(path: &PathIr) -> String {
    let mut out = String::new();
    if let Some(qself) = &path.qself {
        let _ = write!(out, "<{}", type_text(qself));
        if path.trait_segments == 0 {
            out.push_str(">::");
        } else {
            out.push_str(" as ");
        }
    } else if path.absolute {
        out.push_str("::");
    }
    for (at, segment) in path.segments.iter().enumerate() {
        if at > 0 {
            out.push_str(if path.trait_segments as usize == at { ">::" } else { "::" });
        }
        out.push_str(segment.name.as_str());
        if !segment.args.is_empty() {
            let args: Vec<_> = segment.args.iter().map(type_text).collect();
            let _ = write!(out, "<{}>", args.join(", "));
        }
    }
    out
}

fn type_text(ty: &TypeIr) -> String {
    let list = |types: &[TypeIr]| types.iter().map(type_text).collect::<Vec<_>>().join(", ");
    let bounds = |bounds: &[PathIr]| bounds.iter().map(path_text).collect::<Vec<_>>().join(" + ");
    match ty {
        TypeIr::Path(path) => path_text(path),
        TypeIr::Tuple(types) => format!("({})", list(types)),
        TypeIr::Slice(inner) => format!("[{}]", type_text(inner)),
        TypeIr::Fn(inputs, output) => format!("fn({}) -> {}", list(inputs), type_text(output)),
        TypeIr::Impl(paths) => format!("impl {}", bounds(paths)),
        TypeIr::Dyn(paths) => format!("dyn {}", bounds(paths)),
        TypeIr::Infer => "_".to_owned(),
        TypeIr::Never => "!".to_owned(),
        TypeIr::Opaque => "?".to_owned(),
    }
}

impl std::fmt::Display for TypeIr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&type_text(self))
    }
}

impl std::fmt::Display for PathIr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&path_text(self))
    }
}
