//! Questions that later stages ask a [`Program`].
//!
//! In: the program. Out: what belongs to a type, who calls whom, what stands at a place, what a configured path means.

use super::known::known;
use super::signatures::signatures;
use super::{Callee, ConstId, FnId, ImplInfo, Program, TraitId, Ty, TypeId, ValueDef, ty};
use crate::ir::{ExprId, Name};
use crate::source::FileId;

/// Supertraits of one trait that are looked through.
const MAX_SUPERS: usize = 64;
/// How many `Deref`s a field access goes through.
const MAX_DEREFS: usize = 8;

/// The type whose methods a wrapper is there to reach, `SmsGateway` of `web::Data<SmsGateway>`; any other type itself.
pub fn behind(mut of: &Ty) -> &Ty {
    for _ in 0..MAX_DEREFS {
        match of {
            Ty::External(path, args) if signatures().derefs.contains(path) => match args.first() {
                Some(inner) if *inner != Ty::Unknown => of = inner,
                _ => break,
            },
            _ => break,
        }
    }
    of
}

impl Program {
    /// The type of a field, `Unknown` where there is none of that name. Dereferences as the language does.
    pub fn field_ty(&self, of: &Ty, name: Name) -> Ty {
        let mut at = of.clone();
        for _ in 0..MAX_DEREFS {
            let next = match &at {
                Ty::Adt(id, args) => {
                    if let Some(found) = self.own_field(*id, args, name) {
                        return found;
                    }
                    self.dereferenced(&at)
                }
                Ty::Tuple(items) => {
                    let number: Option<usize> = name.as_str().parse().ok();
                    return number.and_then(|number| items.get(number).cloned()).unwrap_or_default();
                }
                // a foreign wrapper of one type: `web::Data<AppState>`, `State<AppState>`
                Ty::External(_, args) => match args.as_slice() {
                    [inner @ Ty::Adt(..)] => {
                        if name.as_str() == "0" {
                            return inner.clone();
                        }
                        Some(inner.clone())
                    }
                    [inner] if name.as_str() == "0" => return inner.clone(),
                    _ => None,
                },
                _ => None,
            };
            match next {
                Some(next) if next != at => at = next,
                _ => return Ty::Unknown,
            }
        }
        Ty::Unknown
    }

    fn own_field(&self, id: TypeId, args: &[Ty], name: Name) -> Option<Ty> {
        let info = self.type_(id);
        if info.ir.is_enum {
            return None;
        }
        let number = info.ir.variants.first()?.fields.iter().position(|field| field.name == name)?;
        let template = info.fields.first()?.get(number)?;
        Some(self.filled(id, template, args))
    }

    /// A type found in a declaration, with the declaration's parameters replaced by these arguments.
    pub fn filled(&self, owner: TypeId, template: &Ty, args: &[Ty]) -> Ty {
        if !ty::is_open(template) {
            return template.clone();
        }
        let bindings: Vec<(Name, Ty)> = self
            .type_(owner)
            .ir
            .generics
            .iter()
            .enumerate()
            .map(|(number, generic)| (generic.name, args.get(number).cloned().unwrap_or_default()))
            .collect();
        ty::erase(&ty::substitute(template, &bindings), &[])
    }

    /// What a value of the workspace's own type dereferences to.
    pub fn dereferenced(&self, of: &Ty) -> Option<Ty> {
        let Ty::Adt(id, args) = of else {
            return None;
        };
        let target = self.type_(*id).deref.as_ref()?;
        Some(self.filled(*id, target, args))
    }

    /// The `impl`s for a type, in order.
    pub fn impls_of<'p>(&'p self, of: &Ty) -> impl Iterator<Item = &'p ImplInfo> + use<'p> {
        let numbers = ty::key(of).and_then(|key| self.impls_by_type.get(&key)).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|&number| &self.impls[number as usize])
    }

    /// The `impls` of a trait by canonical path, in order.
    pub fn impls_of_trait(&self, path: Name) -> impl Iterator<Item = &ImplInfo> {
        self.impls.iter().filter(move |info| info.trait_path == Some(path))
    }

    /// The functions that a method of that name on a value of that type can run.
    pub fn method(&self, of: &Ty, name: Name) -> Vec<FnId> {
        if let Ty::Traits(traits) = of {
            return self.trait_method(traits, name);
        }
        let mut found: Vec<FnId> = Vec::new();
        let mut provided: Vec<FnId> = Vec::new();
        for info in self.impls_of(of) {
            let own = info.functions.iter().copied().filter(|&id| self.function(id).ir.name == name);
            let before = found.len();
            found.extend(own);
            if let (true, Some(id)) = (found.len() == before, info.trait_) {
                provided.extend(self.declared(id, name));
            }
        }
        if found.is_empty() {
            found = provided;
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            if let Some(target) = self.dereferenced(of) {
                return match target {
                    Ty::Adt(id, _) if matches!(of, Ty::Adt(own, _) if *own == id) => found,
                    target => self.method_through(&target, name),
                };
            }
        }
        found
    }

    fn method_through(&self, of: &Ty, name: Name) -> Vec<FnId> {
        // one step is what newtypes need; longer chains are followed during inference
        let own = self.impls_of(of).flat_map(|info| &info.functions);
        own.copied().filter(|&id| self.function(id).ir.name == name).collect()
    }

    fn declared(&self, id: TraitId, name: Name) -> Option<FnId> {
        let methods = &self.traits[id.0 as usize].methods;
        methods.iter().find(|method| method.0 == name).map(|method| method.1)
    }

    fn trait_method(&self, traits: &[TraitId], name: Name) -> Vec<FnId> {
        let mut queue = traits.to_vec();
        let mut at = 0;
        let mut found = Vec::new();
        while let Some(&id) = queue.get(at) {
            at += 1;
            let info = &self.traits[id.0 as usize];
            if let Some(own) = info.impls.iter().find(|entry| entry.0 == name) {
                found.extend_from_slice(&own.1);
            }
            found.extend(self.declared(id, name));
            for &above in &info.supers {
                if queue.len() < MAX_SUPERS && !queue.contains(&above) {
                    queue.push(above);
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Functions by a path as configuration writes it: the crate's name or `crate` (any package) first. A trait's
    /// method stands for its implementations, too.
    pub fn find_functions(&self, path: &str) -> Vec<FnId> {
        let mut found: Vec<FnId> = (0u32..)
            .zip(&self.functions)
            .filter(|(_, info)| matches_path(path, info.path.as_str()))
            .map(|(number, _)| FnId(number))
            .collect();
        let implementations: Vec<FnId> = found
            .iter()
            .filter_map(|&id| {
                let info = self.function(id);
                let of = &self.traits[info.trait_?.0 as usize];
                let declared = of.methods.iter().any(|method| method.1 == id);
                let entry = of.impls.iter().find(|entry| entry.0 == info.ir.name)?;
                declared.then_some(&entry.1)
            })
            .flatten()
            .copied()
            .collect();
        found.extend(implementations);
        found.sort();
        found.dedup();
        found
    }

    /// Types by a path as configuration writes it.
    pub fn find_types(&self, path: &str) -> Vec<TypeId> {
        (0u32..)
            .zip(&self.types)
            .filter(|(_, info)| !info.synthetic && matches_path(path, info.path.as_str()))
            .map(|(number, _)| TypeId(number))
            .collect()
    }

    /// The first type of that path.
    pub fn find_type(&self, path: &str) -> Option<TypeId> {
        self.find_types(path).into_iter().next()
    }

    /// Constants by a path as configuration writes it.
    pub fn find_consts(&self, path: &str) -> Vec<ConstId> {
        (0u32..)
            .zip(&self.consts)
            .filter(|(_, info)| matches_path(path, info.path.as_str()))
            .map(|(number, _)| ConstId(number))
            .collect()
    }

    /// For every function the calls that can reach it, in order. A function that is only named, as an argument of
    /// `map` say, counts as called there.
    pub fn callers(&self) -> Vec<Vec<(FnId, ExprId)>> {
        let mut callers: Vec<Vec<(FnId, ExprId)>> = vec![Vec::new(); self.functions.len()];
        for (number, info) in (0u32..).zip(&self.functions) {
            let from = FnId(number);
            let mut add = |targets: &[FnId], at: ExprId| {
                for target in targets {
                    if let Some(list) = callers.get_mut(target.0 as usize) {
                        list.push((from, at));
                    }
                }
            };
            for (at, callee) in &info.types.callees {
                if let Callee::Functions(targets) = callee {
                    add(targets, *at);
                }
            }
            let called: Vec<ExprId> = called_paths(info);
            for (at, def) in &info.types.paths {
                if let ValueDef::Functions(targets) = def {
                    if called.binary_search(at).is_err() {
                        add(targets, *at);
                    }
                }
            }
        }
        for list in &mut callers {
            list.sort();
            list.dedup();
        }
        callers
    }

    /// The path of the innermost item around a place: a function, type, trait `impl`'s type or constant, else the
    /// file's module.
    pub fn item_path(&self, file: FileId, offset: u32) -> Option<Name> {
        let mut best: Option<(u32, Name)> = None;
        let mut offer = |range: crate::source::TextRange, path: Name| {
            let width = range.end.saturating_sub(range.start);
            let inside = range.start <= offset && offset < range.end;
            if inside && best.is_none_or(|(known, _)| width < known) {
                best = Some((width, path));
            }
        };
        for info in self.functions.iter().filter(|info| info.file == file) {
            offer(info.ir.closure.unwrap_or(info.ir.range), info.path);
        }
        for info in self.types.iter().filter(|info| info.file == file) {
            offer(info.ir.range, info.path);
        }
        for info in self.consts.iter().filter(|info| info.file == file) {
            offer(info.ir.range, info.path);
        }
        best.map(|(_, path)| path)
    }

    /// Whether a type is the standard `Result`.
    pub fn is_result(of: &Ty) -> bool {
        matches!(of, Ty::External(path, _) if *path == known().result)
    }

    /// Whether a type is the standard `Option`.
    pub fn is_option(of: &Ty) -> bool {
        matches!(of, Ty::External(path, _) if *path == known().option)
    }
}

/// Expressions that stand as the called path of a call, sorted.
fn called_paths(info: &super::FunctionInfo) -> Vec<ExprId> {
    let Some(body) = &info.ir.body else {
        return Vec::new();
    };
    let mut called: Vec<ExprId> = info
        .types
        .callees
        .iter()
        .filter_map(|(at, _)| match &body.expr(*at).kind {
            crate::ir::ExprKind::Call { callee, .. } => Some(*callee),
            _ => None,
        })
        .collect();
    called.sort();
    called
}

/// Whether a configured path names this canonical path: equal, or `crate::` for any crate.
pub fn matches_path(configured: &str, canonical: &str) -> bool {
    if configured == canonical {
        return true;
    }
    let Some(rest) = configured.strip_prefix("crate::") else {
        return false;
    };
    canonical.split_once("::").is_some_and(|(_, inside)| inside == rest)
}
