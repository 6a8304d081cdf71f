//! Expressions, one arm each.

use super::Infer;
use crate::ir::{
    BinaryOp, Block, BlockKind, Closure, Concurrent, ExprId, ExprKind, Literal, LoopKind, MacroCall, Name, Statement,
    StructExpr,
};
use crate::resolve::defs::{Def, Ns};
use crate::resolve::known::known;
use crate::resolve::{Callable, Callee, StructDef, Ty, ty};

impl Infer<'_> {
    /// The type of an expression; what is expected of it fills in what it does not say itself.
    pub(super) fn expr(&mut self, id: ExprId, expected: &Ty) -> Ty {
        if self.depth > super::MAX_DEPTH {
            return Ty::Unknown;
        }
        let body = self.body;
        let Some(expr) = body.exprs.get(id.0 as usize) else {
            return Ty::Unknown;
        };
        self.depth += 1;
        let ty = self.kind(id, &expr.kind, expected);
        self.depth -= 1;
        let ty = self.kept(ty);
        if let Some(slot) = self.exprs.get_mut(id.0 as usize) {
            slot.clone_from(&ty);
        }
        ty
    }

    /// The type as it may be kept: neither too large itself, nor one too many for this body.
    fn kept(&mut self, ty: Ty) -> Ty {
        let mut left = self.room.min(ty::MAX_PARTS + 1);
        let room = left;
        ty::count(&ty, &mut left);
        if left == 0 {
            return Ty::Unknown;
        }
        // one part each expression has for itself
        self.room -= room - left - 1;
        ty
    }

    /// An expression of which nothing is expected.
    pub(super) fn free(&mut self, id: ExprId) -> Ty {
        self.expr(id, &Ty::Unknown)
    }

    fn kind(&mut self, id: ExprId, kind: &ExprKind, expected: &Ty) -> Ty {
        let known = known();
        match kind {
            ExprKind::Literal(literal) => literal_ty(literal, expected),
            ExprKind::Local(local) => self.locals.get(local.0 as usize).cloned().unwrap_or_default(),
            ExprKind::Path(path) => self.path_expr(id, path, expected),
            ExprKind::Call { callee, args } => self.call(id, *callee, args, expected),
            ExprKind::MethodCall(call) => self.method_call(id, call, expected),
            ExprKind::Field { base, name } => {
                let base = self.free(*base);
                match self.world.program.field_ty(&base, *name) {
                    Ty::Unknown => self.foreign_field(&base),
                    known => known,
                }
            }
            ExprKind::Index { base, index } => {
                let base = self.free(*base);
                let index = self.free(*index);
                self.indexed(base, &index)
            }
            ExprKind::Struct(literal) => self.literal(id, literal, expected),
            ExprKind::Map(entries) => {
                for (key, value) in entries.iter() {
                    if let crate::ir::MapKey::Value(key) = key {
                        self.free(*key);
                    }
                    self.free(*value);
                }
                Ty::External(known.value, Vec::new())
            }
            ExprKind::Tuple(items) => {
                let expected: &[Ty] = match expected {
                    Ty::Tuple(expected) => expected,
                    _ => &[],
                };
                let none = Ty::Unknown;
                let items = items
                    .iter()
                    .enumerate()
                    .map(|(number, &item)| self.expr(item, expected.get(number).unwrap_or(&none)));
                Ty::Tuple(items.collect())
            }
            ExprKind::Array(items) => {
                let mut of = match expected {
                    Ty::Sequence(of) => (**of).clone(),
                    _ => Ty::Unknown,
                };
                for &item in items.iter() {
                    let found = self.expr(item, &of.clone());
                    of = ty::join(&of, &found);
                }
                Ty::Sequence(Box::new(of))
            }
            ExprKind::Repeat { value, count } => {
                let of = self.free(*value);
                self.free(*count);
                Ty::Sequence(Box::new(of))
            }
            ExprKind::Block(block) => self.block(block, expected),
            ExprKind::If { condition, then, otherwise } => {
                self.free(*condition);
                let then = self.expr(*then, expected);
                match otherwise {
                    Some(otherwise) => {
                        let otherwise = self.expr(*otherwise, expected);
                        ty::join(&then, &otherwise)
                    }
                    None => ty::unit(),
                }
            }
            ExprKind::Let { pat, value } => {
                let shown = self.taken_apart(*pat);
                let value = self.expr(*value, &shown);
                self.bind(*pat, &ty::join(&value, &shown));
                ty::primitive(known.bool_)
            }
            ExprKind::Match { value, arms } => {
                let mut shown = arms.iter().map(|arm| self.taken_apart(arm.pat));
                let shown = shown.find(|shown| *shown != Ty::Unknown).unwrap_or_default();
                let value = ty::join(&self.expr(*value, &shown), &shown);
                let mut ty = Ty::Unknown;
                for arm in arms.iter() {
                    self.bind(arm.pat, &value);
                    if let Some(guard) = arm.guard {
                        self.free(guard);
                    }
                    let found = self.expr(arm.body, expected);
                    ty = ty::join(&ty, &found);
                }
                ty
            }
            ExprKind::Loop(repeat) => {
                self.loops.push((repeat.label, Ty::Unknown));
                match &repeat.kind {
                    LoopKind::Loop => {}
                    LoopKind::While(condition) => {
                        self.free(*condition);
                    }
                    LoopKind::For { pat, iterable } => {
                        let iterable = self.free(*iterable);
                        let item = self.item(&iterable);
                        self.bind(*pat, &item);
                    }
                }
                self.free(repeat.body);
                let value = self.loops.pop().map(|entry| entry.1).unwrap_or_default();
                match repeat.kind {
                    LoopKind::Loop => value,
                    _ => ty::unit(),
                }
            }
            ExprKind::Closure(closure) => self.closure(id, closure, expected),
            ExprKind::Await(of) => {
                let expected = match expected {
                    Ty::Unknown => Ty::Unknown,
                    other => Ty::Future(Box::new(other.clone())),
                };
                let of = self.expr(*of, &expected);
                self.awaited(&of)
            }
            ExprKind::Try(of) => {
                let expected = match expected {
                    Ty::Unknown => Ty::Unknown,
                    other => ty::result(other.clone(), Ty::Unknown),
                };
                match self.expr(*of, &expected) {
                    Ty::External(path, args) if path == known.option || path == known.result => {
                        args.into_iter().next().unwrap_or_default()
                    }
                    other @ Ty::SomeOf(_) => other,
                    _ => Ty::Unknown,
                }
            }
            ExprKind::Deref(of) => {
                let of = self.expr(*of, expected);
                match self.world.program.dereferenced(&of) {
                    Some(target) => target,
                    None => of,
                }
            }
            ExprKind::Not(of) | ExprKind::Neg(of) => self.expr(*of, expected),
            ExprKind::Binary { op, left, right } => self.binary(*op, *left, *right, expected),
            ExprKind::Assign { target, value } => {
                let place = self.free(*target);
                let value = self.expr(*value, &place);
                self.learn(*target, &value);
                ty::unit()
            }
            ExprKind::AssignOp { target, value, .. } => {
                self.free(*target);
                self.free(*value);
                ty::unit()
            }
            ExprKind::Cast { value, ty } => {
                self.free(*value);
                self.written(ty)
            }
            ExprKind::Range { start, end } => {
                let mut of = Ty::Unknown;
                for side in [start, end].into_iter().flatten() {
                    let found = self.free(*side);
                    of = ty::join(&of, &found);
                }
                Ty::External(known.range, vec![of])
            }
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    let expected = self.ret.clone();
                    self.expr(*value, &expected);
                }
                Ty::Unknown
            }
            ExprKind::Break { label, value } => {
                if let Some(value) = value {
                    let found = self.free(*value);
                    let target = self.loops.iter_mut().rev().find(|entry| label.is_none() || entry.0 == *label);
                    if let Some((_, ty)) = target {
                        *ty = ty::join(ty, &found);
                    }
                }
                Ty::Unknown
            }
            ExprKind::Continue { .. } | ExprKind::Opaque(_) => Ty::Unknown,
            ExprKind::Format(call) => {
                for &part in call.before.iter().chain(call.values.iter()) {
                    self.free(part);
                }
                if call.name == known.format { Ty::External(known.string, Vec::new()) } else { Ty::Unknown }
            }
            ExprKind::Concurrent(concurrent) => self.concurrent(concurrent, expected),
            ExprKind::Macro(call) => self.macro_call(id, call),
        }
    }

    /// What awaiting a value yields.
    pub(super) fn awaited(&self, of: &Ty) -> Ty {
        match of {
            Ty::Future(of) => (**of).clone(),
            Ty::SomeOf(_) => of.clone(),
            Ty::External(path, _) => self.some_of(*path),
            Ty::Adt(..) => {
                let output = self.site().associated(of, known().output);
                ty::erase(&output, &[])
            }
            _ => Ty::Unknown,
        }
    }

    /// The type of a field of another crate's type: some type of that crate (`resend.emails`), unless the workspace could
    /// have put its own there.
    fn foreign_field(&self, base: &Ty) -> Ty {
        let root = match base {
            Ty::External(path, args) if args.is_empty() => self.some_of(*path),
            other => other.clone(),
        };
        match root {
            Ty::SomeOf(root) if root != known().std && self.foreign(root) => Ty::SomeOf(root),
            _ => Ty::Unknown,
        }
    }

    /// Some type of the crate that a canonical path starts with.
    pub(super) fn some_of(&self, path: Name) -> Ty {
        let text = path.as_str();
        let root = text.split("::").next().unwrap_or(text);
        if root == known().crate_.as_str() {
            return Ty::Unknown;
        }
        Ty::SomeOf(Name::new(root))
    }

    fn indexed(&self, base: Ty, index: &Ty) -> Ty {
        let known = known();
        if matches!(index, Ty::External(path, _) if *path == known.range) {
            return base;
        }
        match base {
            Ty::Sequence(of) => *of,
            Ty::External(_, args) if args.len() == 2 => args.into_iter().nth(1).unwrap_or_default(),
            Ty::External(path, _) if path == known.value => Ty::External(path, Vec::new()),
            other @ Ty::SomeOf(_) => other,
            _ => Ty::Unknown,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, expected: &Ty) -> Ty {
        let known = known();
        match op {
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => {
                let left = self.free(left);
                self.expr(right, &left);
                ty::primitive(known.bool_)
            }
            _ => {
                let left = self.expr(left, expected);
                let right = self.free(right);
                match (&left, &right) {
                    // `now - then` of one crate's type can be another type of that crate
                    (Ty::External(path, _), Ty::External(other, _)) if *path != known.string => {
                        if path == other {
                            self.some_of(*path)
                        } else {
                            left
                        }
                    }
                    (Ty::Unknown, Ty::Primitive(_)) => right,
                    (Ty::Adt(..), _) => {
                        let output = self.site().associated(&left, known.output);
                        ty::erase(&output, &[])
                    }
                    _ => left,
                }
            }
        }
    }

    /// A local learns from what is put into it.
    pub(super) fn learn(&mut self, place: ExprId, value: &Ty) {
        let Some(expr) = self.body.exprs.get(place.0 as usize) else {
            return;
        };
        if let ExprKind::Local(local) = expr.kind {
            if let Some(slot) = self.locals.get_mut(local.0 as usize) {
                *slot = ty::join(slot, value);
            }
        }
    }

    fn block(&mut self, block: &Block, expected: &Ty) -> Ty {
        let asynchronous = block.kind == BlockKind::Async;
        let inner = match (asynchronous, expected) {
            (true, Ty::Future(of)) => (**of).clone(),
            (true, _) => Ty::Unknown,
            (false, other) => other.clone(),
        };
        let outer_ret = if asynchronous { Some(std::mem::replace(&mut self.ret, inner.clone())) } else { None };
        if block.label.is_some() {
            self.loops.push((block.label, Ty::Unknown));
        }
        for statement in block.statements.iter() {
            match statement {
                Statement::Let { pat, ty: written, value, otherwise } => {
                    let declared = match written {
                        Some(written) => self.written(written),
                        None => self.taken_apart(*pat),
                    };
                    let found = match value {
                        Some(value) => {
                            let found = self.expr(*value, &declared);
                            ty::join(&declared, &found)
                        }
                        None => declared,
                    };
                    if let Some(otherwise) = otherwise {
                        self.free(*otherwise);
                    }
                    self.bind(*pat, &found);
                }
                Statement::Expr(id) => {
                    self.free(*id);
                }
            }
        }
        let mut ty = match block.tail {
            Some(tail) => self.expr(tail, &inner),
            None if self.ends(block) => Ty::Unknown,
            None => ty::unit(),
        };
        if block.label.is_some() {
            if let Some((_, broken)) = self.loops.pop() {
                ty = ty::join(&ty, &broken);
            }
        }
        if let Some(outer) = outer_ret {
            self.ret = outer;
        }
        match block.kind {
            BlockKind::Async => Ty::Future(Box::new(ty)),
            BlockKind::Try => ty::result(ty, Ty::Unknown),
            BlockKind::Plain => ty,
        }
    }

    /// Whether the last statement leaves the block for good.
    fn ends(&self, block: &Block) -> bool {
        let Some(Statement::Expr(last)) = block.statements.last() else {
            return false;
        };
        matches!(
            self.body.exprs.get(last.0 as usize).map(|expr| &expr.kind),
            Some(ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. })
        )
    }

    /// A closure: parameters as written or as expected, the value's type remembered for those who call it.
    pub(super) fn closure(&mut self, id: ExprId, closure: &Closure, expected: &Ty) -> Ty {
        let args: &[Ty] = match expected {
            Ty::External(path, args) if *path == known().fn_ => args,
            _ => &[],
        };
        for (number, (pat, written)) in closure.params.iter().enumerate() {
            let mut ty = written.as_ref().map_or(Ty::Unknown, |written| self.written(written));
            if number + 1 < args.len() {
                ty = ty::join(&ty, &args[number]);
            }
            self.bind(*pat, &ty);
        }
        let wanted = args.last().cloned().unwrap_or_default();
        let ret = std::mem::replace(&mut self.ret, wanted.clone());
        let loops = std::mem::take(&mut self.loops);
        let ty = self.expr(closure.body, &wanted);
        self.ret = ret;
        self.loops = loops;
        self.returns.insert(id, ty);
        Ty::Callable(Callable::Closure(id))
    }

    fn literal(&mut self, id: ExprId, literal: &StructExpr, expected: &Ty) -> Ty {
        let named = self.struct_path(&literal.path, Ns::Type, expected);
        let mut ty = Ty::Unknown;
        match &named {
            Some(StructDef::Local(owner, variant)) => {
                let site_args = literal.path.segments.iter().rev().find(|segment| !segment.args.is_empty());
                let mut args: Vec<Ty> = match (site_args, expected) {
                    (Some(segment), _) => segment.args.iter().map(|arg| self.written(arg)).collect(),
                    (None, Ty::Adt(id, args)) if id == owner => args.clone(),
                    _ => Vec::new(),
                };
                let info = self.world.program.type_(*owner);
                let generic = !info.ir.generics.is_empty();
                let mut bindings = ty::Bindings::new();
                for (name, value) in literal.fields.iter() {
                    let so_far = Ty::Adt(*owner, args.clone());
                    let wanted = self.variant_field(*owner, *variant, *name, &so_far);
                    let found = self.expr(*value, &wanted);
                    if generic {
                        let position = info
                            .ir
                            .variants
                            .get(*variant as usize)
                            .and_then(|variant| variant.fields.iter().position(|field| field.name == *name));
                        let template = position.and_then(|position| info.fields.get(*variant as usize)?.get(position));
                        if let Some(template) = template {
                            self.unify(template, &found, &[], &mut bindings);
                        }
                    }
                }
                if generic {
                    let found: Vec<Ty> = info
                        .ir
                        .generics
                        .iter()
                        .map(|generic| ty::substitute(&Ty::Param(generic.name), &bindings))
                        .map(|ty| ty::erase(&ty, &[]))
                        .collect();
                    let made = ty::join(&Ty::Adt(*owner, args), &Ty::Adt(*owner, found));
                    args = match made {
                        Ty::Adt(_, args) => args,
                        _ => Vec::new(),
                    };
                }
                ty = Ty::Adt(*owner, args);
            }
            other => {
                if let Some(StructDef::External(path) | StructDef::Unresolved(path)) = other {
                    ty = crate::resolve::written::external(*path, Vec::new());
                }
                for (_, value) in literal.fields.iter() {
                    self.free(*value);
                }
            }
        }
        if let Some(rest) = literal.rest {
            self.expr(rest, &ty.clone());
        }
        if let Some(named) = named {
            self.structs.push((id, named));
        }
        ty
    }

    fn concurrent(&mut self, concurrent: &Concurrent, expected: &Ty) -> Ty {
        let mut all = Vec::new();
        let mut value = Ty::Unknown;
        for branch in concurrent.branches.iter() {
            let future = self.free(branch.future);
            let done = self.awaited(&future);
            if let Some(pat) = branch.pat {
                self.bind(pat, &done);
            }
            if let Some(guard) = branch.guard {
                self.free(guard);
            }
            if let Some(handler) = branch.handler {
                let found = self.expr(handler, expected);
                value = ty::join(&value, &found);
            }
            all.push(done);
        }
        let known = known();
        if concurrent.race {
            value
        } else if concurrent.name == known.try_join {
            let done = all.iter().map(|ty| match ty {
                Ty::External(path, args) if *path == known.result => args.first().cloned().unwrap_or_default(),
                _ => Ty::Unknown,
            });
            ty::result(Ty::Tuple(done.collect()), Ty::Unknown)
        } else {
            Ty::Tuple(all)
        }
    }

    fn macro_call(&mut self, id: ExprId, call: &MacroCall) -> Ty {
        for &arg in call.args.iter() {
            self.free(arg);
        }
        let names: Vec<Name> = call.path.segments.iter().map(|part| part.name).collect();
        let found = self.scopes.resolve(self.scope, call.path.absolute, &names, Ns::Macro, false);
        let mut ty = Ty::Unknown;
        let callee = match found.defs.first() {
            Some(Def::External(path)) => {
                let path = *path;
                let root = self.some_of(path);
                if root != Ty::SomeOf(known().std) {
                    ty = root;
                }
                Callee::External(path)
            }
            Some(Def::Macro(macro_)) => Callee::Unresolved(self.world.macros[macro_.0 as usize].path),
            Some(Def::Missing(path) | Def::Made(path, _)) => Callee::Unresolved(*path),
            _ => {
                let text: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
                Callee::Unresolved(Name::new(&text.join("::")))
            }
        };
        self.called(id, callee);
        ty
    }
}

fn literal_ty(literal: &Literal, expected: &Ty) -> Ty {
    let known = known();
    let number = |name: Name| match expected {
        Ty::Primitive(wanted) if *wanted != known.str_ && *wanted != known.bool_ => ty::primitive(*wanted),
        _ => ty::primitive(name),
    };
    match literal {
        Literal::Str(_) => ty::primitive(known.str_),
        Literal::Bytes(_) => Ty::Sequence(Box::new(ty::primitive(known.u8_))),
        Literal::Int(_) => number(known.int),
        Literal::Float(_) => number(known.float),
        Literal::Bool(_) => ty::primitive(known.bool_),
        Literal::Char(_) => ty::primitive(known.char_),
    }
}
