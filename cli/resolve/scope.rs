//! Looks names and paths up.
//!
//! In: a scope, a path, a namespace. Out: what the path stands for as far as modules and enums go; the segments left
//! over name associated items, which is a question of types.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::defs::{Crate, Def, Glob, MAX_MEANINGS, Module, Ns, World};
use super::known::known;
use super::prelude::prelude;
use super::signatures::signatures;
use super::{ModuleId, TraitId};
use crate::ir::Name;

/// How far a glob may lead over further globs.
const MAX_GLOB_STEPS: usize = 256;

/// How sure a meaning is while imports are still being resolved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Certainty {
    /// declared and found
    Found,
    /// nothing in scope defines the first segment: another crate
    ForeignCrate,
    /// a module on the way lacks the next segment, or only a foreign glob can define the first
    Elsewhere,
}

/// The meaning of a path.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) defs: Rc<[Def]>,
    /// how many segments that took
    pub(super) used: usize,
    pub(super) certainty: Certainty,
}

/// What the globs around a name could hide.
#[derive(Default)]
struct Horizon {
    external: Vec<Name>,
    makers: Vec<Name>,
    blind: bool,
}

/// What a name means in a module.
type Named = FxHashMap<(ModuleId, Ns, Name), Rc<[Def]>>;

/// Lookups into a [`World`], whose answers are remembered.
pub(super) struct Scopes<'a> {
    pub(super) world: &'a World,
    names: RefCell<Named>,
    /// paths by what they are put together from
    joins: RefCell<FxHashMap<(Name, Name), Name>>,
    traits: RefCell<FxHashMap<(ModuleId, TraitId), bool>>,
}

impl<'a> Scopes<'a> {
    /// Lookups into a world that stays as it is meanwhile.
    pub(super) fn of(world: &'a World) -> Self {
        Self { world, names: RefCell::default(), joins: RefCell::default(), traits: RefCell::default() }
    }

    fn module(&self, id: ModuleId) -> &'a Module {
        &self.world.modules[id.0 as usize]
    }

    fn crate_of(&self, id: ModuleId) -> &'a Crate {
        &self.world.crates[self.module(id).krate]
    }

    /// `base::name`.
    pub(super) fn join(&self, base: Name, name: Name) -> Name {
        let joined = || {
            let path = super::join_path(base, name);
            // a crate that another one hands on is the same wherever it is taken from
            signatures().reexports.get(&path).copied().unwrap_or(path)
        };
        *self.joins.borrow_mut().entry((base, name)).or_insert_with(joined)
    }

    /// The module a function's block of items stands in.
    pub(super) fn real_module(&self, mut id: ModuleId) -> ModuleId {
        while self.module(id).block {
            match self.module(id).parent {
                Some(parent) => id = parent,
                None => break,
            }
        }
        id
    }

    /// Whether `from` is `target` or below it.
    fn inside(&self, from: ModuleId, target: ModuleId) -> bool {
        let mut at = Some(from);
        while let Some(module) = at {
            if module == target {
                return true;
            }
            at = self.module(module).parent;
        }
        false
    }

    /// A name of one module: declared, imported, or through its globs.
    fn in_module(&self, module: ModuleId, ns: Ns, name: Name, from: ModuleId) -> Vec<Def> {
        let mut found = Vec::new();
        let first = module;
        let mut queue = Vec::new();
        let mut at = 0;
        let mut next = Some(first);
        while let Some(module) = next {
            let info = self.module(module);
            let sees_private = self.inside(from, module);
            if let Some(bindings) = info.names.get(&(ns, name)) {
                for binding in bindings {
                    if found.len() == MAX_MEANINGS {
                        break;
                    }
                    if (sees_private || !binding.private) && !found.contains(&binding.def) {
                        found.push(binding.def);
                    }
                }
                if !found.is_empty() {
                    break;
                }
            }
            for glob in &info.globs {
                if glob.private && !sees_private {
                    continue;
                }
                match glob.target {
                    Glob::Module(next) => {
                        // with the first one
                        let has_room = queue.len() + 1 < MAX_GLOB_STEPS;
                        if has_room && next != first && !queue.contains(&next) {
                            queue.push(next);
                        }
                    }
                    Glob::Variants(owner) => {
                        if let Some(variant) = self.variant(owner, name) {
                            found.push(Def::Variant(owner, variant));
                        }
                    }
                    Glob::External(_) | Glob::Missing => {}
                }
            }
            if !found.is_empty() {
                break;
            }
            next = queue.get(at).copied();
            at += 1;
        }
        found
    }

    /// The number of a variant of an enum.
    pub(super) fn variant(&self, owner: super::TypeId, name: Name) -> Option<u32> {
        let declaration = &self.world.program.types[owner.0 as usize].ir;
        if !declaration.is_enum {
            return None;
        }
        declaration.variants.iter().position(|variant| variant.name == name).map(|number| number as u32)
    }

    /// A single name as seen from a scope, the prelude included.
    pub(super) fn lookup(&self, scope: ModuleId, ns: Ns, name: Name) -> Rc<[Def]> {
        if let Some(known) = self.names.borrow().get(&(scope, ns, name)) {
            return known.clone();
        }
        let found: Rc<[Def]> = self.lookup_anew(scope, ns, name).into();
        self.names.borrow_mut().insert((scope, ns, name), found.clone());
        found
    }

    fn lookup_anew(&self, scope: ModuleId, ns: Ns, name: Name) -> Vec<Def> {
        let mut at = scope;
        loop {
            let found = self.in_module(at, ns, name, scope);
            if !found.is_empty() {
                return found;
            }
            let info = self.module(at);
            match info.parent {
                Some(parent) if info.block => at = parent,
                _ => break,
            }
        }
        match ns {
            Ns::Type => {
                if let Some(def) = self.extern_crate(scope, name) {
                    return vec![def];
                }
            }
            Ns::Macro => {
                let krate = self.module(scope).krate;
                if let Some(macros) = self.world.crate_macros.get(&(krate, name)) {
                    return macros.iter().map(|&id| Def::Macro(id)).collect();
                }
                if let Some(&path) = signatures().macros.get(&name) {
                    let root = path.as_str().split("::").next().map(Name::new);
                    if root.is_some_and(|root| self.world.crates[krate].listed.contains(&root)) {
                        return vec![Def::External(path)];
                    }
                }
            }
            Ns::Value => {}
        }
        prelude(ns, name).into_iter().collect()
    }

    fn extern_crate(&self, scope: ModuleId, name: Name) -> Option<Def> {
        let krate = self.crate_of(scope);
        if let Some(&def) = krate.externs.get(&name) {
            return Some(def);
        }
        let root = *self.world.libraries.get(&name)?;
        (root != krate.root).then_some(Def::Module(root))
    }

    /// Resolves a path as far as modules, enums and other crates go.
    pub(super) fn resolve(&self, scope: ModuleId, absolute: bool, path: &[Name], ns: Ns, import: bool) -> Found {
        let known = known();
        let Some(&first) = path.first() else {
            return Found { defs: Rc::from([]), used: 0, certainty: Certainty::Found };
        };
        let ns_of = |number: usize| {
            if number + 1 == path.len() { ns } else { Ns::Type }
        };
        let mut used = 1;
        let mut current: Rc<[Def]> = if first == known.crate_ || first == known.dollar_crate {
            Rc::from([Def::Module(self.crate_of(scope).root)])
        } else if first == known.self_ || first == known.super_ {
            let mut module = self.real_module(scope);
            if first == known.super_ {
                module = self.parent(module);
                while path.get(used) == Some(&known.super_) {
                    module = self.parent(module);
                    used += 1;
                }
            }
            Rc::from([Def::Module(module)])
        } else {
            let old = self.crate_of(scope).edition < 2018;
            let found = if absolute && !old {
                self.extern_crate(scope, first).into_iter().collect()
            } else if old && (absolute || import) {
                let root = self.crate_of(scope).root;
                self.lookup(root, ns_of(0), first)
            } else {
                self.lookup(scope, ns_of(0), first)
            };
            if found.is_empty() {
                return self.not_in_scope(scope, absolute, path);
            }
            found
        };
        while used < path.len() {
            let mut next: Vec<Def> = Vec::new();
            let mut stuck: Option<ModuleId> = None;
            let mut whole = false;
            for &def in current.iter() {
                match def {
                    Def::Module(module) => {
                        let found = self.in_module(module, ns_of(used), path[used], scope);
                        if found.is_empty() {
                            stuck = stuck.or(Some(module));
                        }
                        for def in found {
                            if !next.contains(&def) {
                                next.push(def);
                            }
                        }
                    }
                    Def::External(base) => {
                        next.push(Def::External(self.join_all(base, &path[used..])));
                        whole = true;
                    }
                    Def::Missing(base) => {
                        next.push(Def::Missing(self.join_all(base, &path[used..])));
                        whole = true;
                    }
                    Def::Made(base, by) => {
                        next.push(Def::Made(self.join_all(base, &path[used..]), by));
                        whole = true;
                    }
                    Def::Type(owner) => {
                        if let Some(variant) = self.variant(owner, path[used]) {
                            next.push(Def::Variant(owner, variant));
                        }
                    }
                    _ => {}
                }
            }
            if next.is_empty() {
                return match stuck {
                    Some(module) => self.absent(scope, module, &path[used..]),
                    None => Found { defs: current, used, certainty: Certainty::Found },
                };
            }
            if whole {
                // the arms of a cfg may disagree on how far the path leads: the foreign reading takes all of it
                next.retain(|def| matches!(def, Def::External(_) | Def::Missing(_) | Def::Made(..)));
                used = path.len();
            } else {
                used += 1;
            }
            current = next.into();
        }
        Found { defs: current, used, certainty: Certainty::Found }
    }

    fn parent(&self, module: ModuleId) -> ModuleId {
        match self.module(module).parent {
            Some(parent) => self.real_module(parent),
            None => module,
        }
    }

    pub(super) fn join_all(&self, base: Name, rest: &[Name]) -> Name {
        rest.iter().fold(base, |path, &name| self.join(path, name))
    }

    /// A module lacks the next segment: through a foreign glob of that module, else nominal.
    fn absent(&self, scope: ModuleId, module: ModuleId, rest: &[Name]) -> Found {
        let mut horizon = Horizon::default();
        self.horizon(module, scope, &mut horizon);
        // A module of the own crate that is not there: nobody writes `crate::` for one that a glob brings in.
        let own = self.module(module).krate == self.module(scope).krate;
        let is_module = rest.len() > 1 && rest[0].as_str().starts_with(|letter: char| letter.is_ascii_lowercase());
        let def = match horizon.external.as_slice() {
            [only] if !(horizon.blind || own && is_module) => Def::External(self.join_all(*only, rest)),
            _ => {
                let path = self.join_all(self.nominal(scope, module), rest);
                match horizon.makers.as_slice() {
                    // A client of a service is nothing of the crate that writes it.
                    [by] if !names_client(rest) => Def::Made(path, *by),
                    _ => Def::Missing(path),
                }
            }
        };
        Found { defs: Rc::from([def]), used: usize::MAX, certainty: Certainty::Elsewhere }
    }

    /// A module's path as the scope's own crate writes it: `crate::billing`.
    fn nominal(&self, scope: ModuleId, module: ModuleId) -> Name {
        let path = self.module(module).path.as_str();
        if self.module(module).krate != self.module(scope).krate {
            return self.module(module).path;
        }
        match path.split_once("::") {
            Some((_, rest)) => Name::new(&format!("crate::{rest}")),
            None => known().crate_,
        }
    }

    fn not_in_scope(&self, scope: ModuleId, absolute: bool, path: &[Name]) -> Found {
        let first = path[0];
        let lower = first.as_str().starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        let mut horizon = Horizon::default();
        if !absolute {
            self.horizons(scope, &mut horizon);
        }
        let known_crates = !self.crate_of(scope).listed.is_empty();
        let made = match horizon.makers.as_slice() {
            [by] if known_crates => Some(*by),
            _ => None,
        };
        if path.len() > 1 && (lower || absolute) && made.is_none() {
            let whole = self.join_all(first, &path[1..]);
            return Found {
                defs: Rc::from([Def::External(whole)]),
                used: usize::MAX,
                certainty: Certainty::ForeignCrate,
            };
        }
        let def = match horizon.external.as_slice() {
            [only] if !horizon.blind => Some(Def::External(self.join_all(*only, path))),
            _ if made.is_some() => {
                let whole = self.join_all(first, &path[1..]);
                made.map(|by| Def::Made(whole, by))
            }
            _ if path.len() > 1 => Some(Def::Missing(self.join_all(first, &path[1..]))),
            _ => None,
        };
        Found { defs: def.into_iter().collect(), used: usize::MAX, certainty: Certainty::Elsewhere }
    }

    /// Collects what could define a name that no declaration in scope does.
    fn horizons(&self, scope: ModuleId, horizon: &mut Horizon) {
        let mut at = scope;
        loop {
            self.horizon(at, scope, horizon);
            let info = self.module(at);
            match info.parent {
                Some(parent) if info.block => at = parent,
                _ => break,
            }
        }
    }

    /// Collects what could define a name that no declaration of a module does.
    fn horizon(&self, module: ModuleId, from: ModuleId, horizon: &mut Horizon) {
        let mut queue = vec![module];
        let mut at = 0;
        while let Some(&module) = queue.get(at) {
            at += 1;
            let info = self.module(module);
            let sees_private = self.inside(from, module);
            horizon.blind |= info.opaque_items;
            for &by in &info.makers {
                if !horizon.makers.contains(&by) {
                    horizon.makers.push(by);
                }
            }
            for glob in &info.globs {
                if glob.private && !sees_private {
                    continue;
                }
                match glob.target {
                    Glob::Module(next) => {
                        if queue.len() < MAX_GLOB_STEPS && !queue.contains(&next) {
                            queue.push(next);
                        }
                    }
                    Glob::External(path) => {
                        if !horizon.external.contains(&path) {
                            horizon.external.push(path);
                        }
                    }
                    Glob::Missing => horizon.blind = true,
                    Glob::Variants(_) => {}
                }
            }
        }
    }

    /// Whether a trait is declared in, imported into or globbed into a scope.
    pub(super) fn sees_trait(&self, scope: ModuleId, id: TraitId) -> bool {
        if let Some(&known) = self.traits.borrow().get(&(scope, id)) {
            return known;
        }
        let sees = self.brings(scope, self.world.program.traits[id.0 as usize].path, Def::Trait(id));
        self.traits.borrow_mut().insert((scope, id), sees);
        sees
    }

    /// Whether a trait of another crate is imported into a scope.
    pub(super) fn sees_foreign_trait(&self, scope: ModuleId, path: Name) -> bool {
        self.brings(scope, path, Def::External(path))
    }

    fn brings(&self, scope: ModuleId, path: Name, def: Def) -> bool {
        // `use Trait as _` leaves no name: the imports of the module are asked, too
        let name = Name::new(path.as_str().rsplit("::").next().unwrap_or(path.as_str()));
        let mut at = scope;
        loop {
            let info = self.module(at);
            if info.anonymous.contains(&def) || self.in_module(at, Ns::Type, name, scope).contains(&def) {
                return true;
            }
            let hidden = info.globs.iter().any(|glob| match glob.target {
                Glob::Module(target) => self.module(target).anonymous.contains(&def),
                _ => false,
            });
            if hidden {
                return true;
            }
            match info.parent {
                Some(parent) if info.block => at = parent,
                _ => return false,
            }
        }
    }
}

/// Whether a path leads to the client of a service as generators of remote calls name it: `ledger_client::LedgerClient`.
fn names_client(path: &[Name]) -> bool {
    let mut pairs = path.iter().zip(path.iter().skip(1));
    pairs.any(|(module, name)| {
        let (module, name) = (module.as_str(), name.as_str());
        let service = module.strip_suffix("_client").zip(name.strip_suffix("Client"));
        service.is_some_and(|(module, name)| module.replace('_', "") == name.to_ascii_lowercase())
    })
}
