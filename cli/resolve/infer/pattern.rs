//! Patterns: what they name, and the types they give to variables.

use super::Infer;
use crate::ir::{Name, PatId, PatKind, PathIr};
use crate::resolve::defs::{Def, Ns};
use crate::resolve::known::known;
use crate::resolve::{StructDef, Ty, TypeId, ty};

/// Patterns inside patterns that are asked for the type of what they take apart.
const MAX_SHOWN: u32 = 4;

impl Infer<'_> {
    /// Gives the variables of a pattern their types.
    pub(super) fn bind(&mut self, pat: PatId, of: &Ty) {
        if self.depth > super::MAX_DEPTH {
            return;
        }
        self.depth += 1;
        self.bind_inner(pat, of);
        self.depth -= 1;
    }

    fn bind_inner(&mut self, pat: PatId, of: &Ty) {
        let body = self.body;
        let Some(pattern) = body.pats.get(pat.0 as usize) else {
            return;
        };
        match &pattern.kind {
            PatKind::Bind { local, inner } => {
                if let Some(slot) = self.locals.get_mut(local.0 as usize) {
                    *slot = ty::join(slot, of);
                }
                if let Some(inner) = inner {
                    self.bind(*inner, of);
                }
            }
            PatKind::TupleStruct { path, elements, rest } => {
                let named = self.pattern_path(path, of);
                let width = self.width(&named, of);
                for (number, &element) in elements.iter().enumerate() {
                    let field = match *rest {
                        Some(rest) if number as u32 == rest => continue,
                        Some(rest) if number as u32 > rest => {
                            width.and_then(|width| width.checked_sub(elements.len() - number))
                        }
                        _ => Some(number),
                    };
                    let single = elements.len() == 1;
                    let ty = field.map_or(Ty::Unknown, |field| self.pattern_field(&named, of, field, single));
                    self.bind(element, &ty);
                }
                if let Some(named) = named {
                    self.patterns.push((pat, named));
                }
            }
            PatKind::Struct { path, fields } => {
                let named = self.pattern_path(path, of);
                for (name, field) in fields.iter() {
                    let ty = match &named {
                        Some(StructDef::Local(id, variant)) => self.variant_field(*id, *variant, *name, of),
                        _ => Ty::Unknown,
                    };
                    self.bind(*field, &ty);
                }
                if let Some(named) = named {
                    self.patterns.push((pat, named));
                }
            }
            PatKind::Path(path) => {
                if let Some(named) = self.pattern_path(path, of) {
                    self.patterns.push((pat, named));
                }
            }
            PatKind::Tuple(elements) => {
                let items: &[Ty] = match of {
                    Ty::Tuple(items) => items,
                    _ => &[],
                };
                for (number, &element) in elements.iter().enumerate() {
                    let ty = match of {
                        // `..` stands for as many as are missing, which only the width tells
                        Ty::Tuple(_) if items.len() == elements.len() => items[number].clone(),
                        Ty::SomeOf(_) => of.clone(),
                        _ => Ty::Unknown,
                    };
                    self.bind(element, &ty);
                }
            }
            PatKind::Slice(elements) => {
                for &element in elements.iter() {
                    let ty = match of {
                        Ty::Sequence(item) => (**item).clone(),
                        _ => Ty::Unknown,
                    };
                    self.bind(element, &ty);
                }
            }
            PatKind::Or(alternatives) => {
                for &alternative in alternatives.iter() {
                    self.bind(alternative, of);
                }
            }
            PatKind::Wild | PatKind::Literal(_) | PatKind::Range(..) | PatKind::Opaque => {}
        }
    }

    /// The type that a pattern shows of what it takes apart: that of the struct or variant which it names.
    pub(super) fn taken_apart(&self, pat: PatId) -> Ty {
        self.taken_apart_below(pat, 0)
    }

    fn taken_apart_below(&self, pat: PatId, depth: u32) -> Ty {
        let known = known();
        let Some(pattern) = self.body.pats.get(pat.0 as usize).filter(|_| depth < MAX_SHOWN) else {
            return Ty::Unknown;
        };
        let below = |pat: &PatId| self.taken_apart_below(*pat, depth + 1);
        let named = |path: &PathIr| self.pattern_path(path, &Ty::Unknown);
        match &pattern.kind {
            PatKind::Bind { inner: Some(inner), .. } => below(inner),
            PatKind::Struct { path, .. } | PatKind::Path(path) => match named(path) {
                Some(StructDef::Local(id, _)) => Ty::Adt(id, Vec::new()),
                _ => Ty::Unknown,
            },
            PatKind::TupleStruct { path, elements, .. } => match (named(path), &elements[..]) {
                (Some(StructDef::Local(id, _)), _) => Ty::Adt(id, Vec::new()),
                (Some(StructDef::External(path)), [only]) => match below(only) {
                    Ty::Unknown => Ty::Unknown,
                    of if path == known.some => ty::option(of),
                    of if path == known.ok => ty::result(of, Ty::Unknown),
                    of if path == known.err => ty::result(Ty::Unknown, of),
                    _ => Ty::Unknown,
                },
                _ => Ty::Unknown,
            },
            PatKind::Tuple(elements) => {
                let parts: Vec<Ty> = elements.iter().map(below).collect();
                if parts.iter().all(|part| *part == Ty::Unknown) { Ty::Unknown } else { Ty::Tuple(parts) }
            }
            PatKind::Or(choices) => choices.iter().map(below).find(|ty| *ty != Ty::Unknown).unwrap_or_default(),
            _ => Ty::Unknown,
        }
    }

    /// What the path of a pattern names.
    fn pattern_path(&self, path: &PathIr, of: &Ty) -> Option<StructDef> {
        self.struct_path(path, Ns::Value, of).or_else(|| self.struct_path(path, Ns::Type, of))
    }

    /// The struct, variant or constant behind a path in a literal or pattern.
    pub(super) fn struct_path(&self, path: &PathIr, ns: Ns, of: &Ty) -> Option<StructDef> {
        let known = known();
        let segments = &path.segments;
        let first = segments.first()?.name;
        if path.qself.is_some() {
            return None;
        }
        if first == known.self_type && !path.absolute {
            let Ty::Adt(id, _) = self.self_ty else {
                return None;
            };
            return match segments.get(1) {
                None => Some(StructDef::Local(*id, 0)),
                Some(segment) => self.variant_or_const(*id, segment.name),
            };
        }
        let names: Vec<Name> = segments.iter().map(|segment| segment.name).collect();
        let found = self.scopes.resolve(self.scope, path.absolute, &names, ns, false);
        let used = found.used.min(names.len());
        for &def in found.defs.iter() {
            let whole = used == names.len();
            match def {
                Def::Variant(id, variant) if whole => return Some(StructDef::Local(id, variant)),
                Def::Const(id) if whole => return Some(StructDef::Const(id)),
                Def::External(path) => return Some(StructDef::External(path)),
                Def::Missing(path) | Def::Made(path, _) => {
                    return Some(StructDef::Unresolved(path));
                }
                Def::Type(_) | Def::Alias(_) => {
                    let Ty::Adt(id, _) = self.site().of_defs(&[def], Vec::new()) else {
                        continue;
                    };
                    if whole {
                        return Some(StructDef::Local(id, 0));
                    }
                    if used + 1 == names.len() {
                        return self.variant_or_const(id, names[used]);
                    }
                }
                _ => {}
            }
        }
        // a name that nothing in sight defines can still be a variant of the matched enum that a macro imports
        match of {
            Ty::Adt(id, _) if names.len() == 1 => {
                self.scopes.variant(*id, first).map(|variant| StructDef::Local(*id, variant))
            }
            _ => None,
        }
    }

    fn variant_or_const(&self, id: TypeId, name: Name) -> Option<StructDef> {
        if let Some(variant) = self.scopes.variant(id, name) {
            return Some(StructDef::Local(id, variant));
        }
        let key = crate::resolve::defs::TypeKey::Adt(id);
        crate::resolve::headers::constants_of(self.world, key, name).first().map(|&constant| StructDef::Const(constant))
    }

    /// How many fields the named variant has.
    fn width(&self, named: &Option<StructDef>, of: &Ty) -> Option<usize> {
        match named {
            Some(StructDef::Local(id, variant)) => {
                self.world.program.type_(*id).fields.get(*variant as usize).map(Vec::len)
            }
            _ => match of {
                Ty::Tuple(items) => Some(items.len()),
                _ => None,
            },
        }
    }

    fn pattern_field(&self, named: &Option<StructDef>, of: &Ty, field: usize, single: bool) -> Ty {
        let known = known();
        match named {
            Some(StructDef::Local(id, variant)) => {
                let fields = &self.world.program.type_(*id).fields;
                let template = fields.get(*variant as usize).and_then(|fields| fields.get(field));
                match template {
                    Some(template) => self.instantiated(*id, template, of),
                    None => Ty::Unknown,
                }
            }
            Some(StructDef::External(path)) => match of {
                Ty::External(owner, args) if *owner == known.option && *path == known.some => {
                    args.first().cloned().unwrap_or_default()
                }
                Ty::External(owner, args) if *owner == known.result && *path == known.ok => {
                    args.first().cloned().unwrap_or_default()
                }
                Ty::External(owner, args) if *owner == known.result && *path == known.err => {
                    args.get(1).cloned().unwrap_or_default()
                }
                Ty::SomeOf(_) => of.clone(),
                // `State(state): State<AppState>`: a foreign wrapper of one type taken apart
                Ty::External(owner, args) if owner == path && single && args.len() == 1 => args[0].clone(),
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// A field's type with the parameters of its owner filled in from the value's type.
    pub(super) fn instantiated(&self, owner: TypeId, template: &Ty, of: &Ty) -> Ty {
        let args: &[Ty] = match of {
            Ty::Adt(id, args) if *id == owner => args,
            _ => &[],
        };
        self.world.program.filled(owner, template, args)
    }

    pub(super) fn variant_field(&self, id: TypeId, variant: u32, name: Name, of: &Ty) -> Ty {
        let info = self.world.program.type_(id);
        let Some(declared) = info.ir.variants.get(variant as usize) else {
            return Ty::Unknown;
        };
        let Some(number) = declared.fields.iter().position(|field| field.name == name) else {
            return Ty::Unknown;
        };
        match info.fields.get(variant as usize).and_then(|fields| fields.get(number)) {
            Some(template) => self.instantiated(id, template, of),
            None => Ty::Unknown,
        }
    }
}
