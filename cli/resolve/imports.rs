//! Gives every `use` its meaning.
//!
//! In: a [`World`] with declared names. Out: the same with imported names. A fixpoint over rounds, each of which
//! resolves what the rounds before made resolvable; what is left then leads to other crates or nowhere, and says so.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ModuleId;
use super::defs::{Binding, Def, Glob, GlobImport, Import, NAMESPACES, Ns, World};
use super::known::known;
use super::scope::{Certainty, Scopes};
use super::{expand, implied};
use crate::ir::Name;
use crate::parallel;

/// Rounds before imports that still wait are given up; real chains are shorter than ten.
const MAX_ROUNDS: usize = 64;

/// Resolves all imports.
pub(super) fn resolve_imports(world: &mut World, threads: usize) {
    let mut imports = std::mem::take(&mut world.imports);
    let mut waiting: Vec<usize> = (0..imports.len()).collect();
    let mut news = News::default();
    let mut level = Certainty::Found;
    let mut declared = false;
    for _ in 0..MAX_ROUNDS {
        let before = waiting.len();
        let expected: FxHashSet<(ModuleId, Name)> = if level == Certainty::Found {
            FxHashSet::default()
        } else {
            let names = waiting.iter().map(|&number| &imports[number]);
            names.filter_map(|import| Some((import.module, import.alias?))).collect()
        };
        let depends = |import: &Import| {
            let first = import.path.first().copied();
            first.is_some_and(|first| import.alias != Some(first) && expected.contains(&(import.module, first)))
        };
        let asked = waiting.iter().copied().filter(|&number| !depends(&imports[number])).collect();
        let meant = round(world, &imports, asked, level, &mut news, threads);
        let done: FxHashSet<usize> = meant.into_iter().map(|of| of.0).collect();
        waiting.retain(|number| !done.contains(number));
        if waiting.len() == before && level == Certainty::Found && !declared {
            // before anything is taken for foreign: what macros and derives evidently declare
            declared = true;
            expand::expand_macros(world);
            let names = imports.iter().filter_map(|import| Some((import.module, import.alias?))).collect();
            implied::declare(world, &names);
            news.of_all = news.round;
            let more = std::mem::take(&mut world.imports);
            waiting.extend(imports.len()..imports.len() + more.len());
            imports.extend(more);
            continue;
        }
        level = match (waiting.len() < before, level) {
            (true, _) => Certainty::Found,
            (false, _) if waiting.is_empty() => break,
            (false, Certainty::Found) => Certainty::ForeignCrate,
            (false, Certainty::ForeignCrate) => Certainty::Elsewhere,
            (false, Certainty::Elsewhere) => break,
        };
    }
    // a name that was a type in an early round may have become a value, too
    let renewed: Vec<usize> = (0..imports.len())
        .filter(|&number| {
            imports[number].alias.is_some() && imports[number].alias != imports[number].path.first().copied()
        })
        .collect();
    for _ in 0..MAX_ROUNDS {
        let meant = round(world, &imports, renewed.clone(), Certainty::Found, &mut news, threads);
        if !meant.into_iter().any(|(_, is_new)| is_new) {
            break;
        }
    }
    world.imports = imports;
}

/// Which imports may mean something else than when they were asked last. Of the modules, nothing decides about that but what
/// the names of the path are bound to, and the globs.
#[derive(Default)]
struct News {
    round: u32,
    /// by import: the round in which it was asked last, and how sure its meaning had to be
    asked: Vec<Option<(u32, Certainty)>>,
    /// the last round in which a name was bound to something new, wherever that was
    of_names: FxHashMap<Name, u32>,
    /// the last round in which a glob came in, or whatever else may concern all names
    of_all: u32,
}

impl News {
    /// Whether an import may have another meaning now.
    fn concern(&self, number: usize, import: &Import, level: Certainty) -> bool {
        let Some((asked, sure)) = self.asked.get(number).copied().flatten() else {
            return true;
        };
        // What a round declares, the imports that it asks do not see.
        let is_news = |round: u32| round >= asked;
        sure < level
            || is_news(self.of_all)
            || import.path.iter().any(|name| self.of_names.get(name).is_some_and(|&round| is_news(round)))
    }

    /// Takes note that an import said something new.
    fn take(&mut self, import: &Import) {
        match import.alias {
            Some(alias) => _ = self.of_names.insert(alias, self.round),
            None => self.of_all = self.round,
        }
    }
}

/// Asks for the meaning of some imports, all in the world as it is, and declares what they mean in their modules. Those
/// that have a meaning come back, each with whether it says anything new; those that cannot say anything new do not.
fn round(
    world: &mut World,
    imports: &[Import],
    mut asked: Vec<usize>,
    level: Certainty,
    news: &mut News,
    threads: usize,
) -> Vec<(usize, bool)> {
    news.round += 1;
    news.asked.resize(imports.len(), None);
    asked.retain(|&number| news.concern(number, &imports[number], level));
    asked.iter().for_each(|&number| news.asked[number] = Some((news.round, level)));
    let seen: &World = world;
    let read = |scopes: &mut Scopes<'_>, at: usize| meaning(scopes, &imports[asked[at]], level);
    let meanings = parallel::map(asked.len(), threads, || Scopes::of(seen), read);
    let mut meant = Vec::new();
    for (number, meaning) in asked.into_iter().zip(meanings) {
        let Some(meaning) = meaning else { continue };
        let is_new = declare(world, &imports[number], &meaning);
        if is_new {
            news.take(&imports[number]);
        }
        meant.push((number, is_new));
    }
    meant
}

/// What an import stands for in each namespace, if it has a meaning of this certainty.
fn meaning(scopes: &Scopes<'_>, import: &Import, level: Certainty) -> Option<Vec<(Ns, Vec<Def>)>> {
    let in_namespace = |ns: Ns| {
        let found = scopes.resolve(import.module, import.absolute, &import.path, ns, true);
        let whole = found.used >= import.path.len() && !found.defs.is_empty();
        (whole && found.certainty <= level).then(|| (ns, found.defs.to_vec()))
    };
    if import.alias.is_none() && import.path.is_empty() {
        return Some(Vec::new());
    }
    let namespaces = if import.alias.is_some() { &NAMESPACES[..] } else { &[Ns::Type] };
    let found: Vec<_> = namespaces.iter().filter_map(|&ns| in_namespace(ns)).collect();
    (!found.is_empty()).then_some(found)
}

/// Declares what an import means in its module; whether any of it is new there.
fn declare(world: &mut World, import: &Import, meaning: &[(Ns, Vec<Def>)]) -> bool {
    let defs = meaning.iter().flat_map(|(ns, defs)| defs.iter().map(|&def| (*ns, def)));
    let module = &mut world.modules[import.module.0 as usize];
    let mut is_new = false;
    for (ns, def) in defs {
        let Some(alias) = import.alias else {
            let target = match def {
                Def::Module(of) if of == import.module => continue,
                Def::Module(of) => Glob::Module(of),
                Def::Type(owner) => Glob::Variants(owner),
                Def::External(path) => Glob::External(path),
                _ => Glob::Missing,
            };
            is_new |= add(&mut module.globs, GlobImport { target, private: import.private });
            continue;
        };
        if alias == known().underscore {
            if matches!(def, Def::Trait(_) | Def::External(_)) {
                is_new |= add(&mut module.anonymous, def);
            }
            continue;
        }
        // `use anyhow::anyhow` imports a macro, not a second name for the crate
        let shadows_crate = ns == Ns::Type
            && matches!(def, Def::External(_))
            && import.path.len() > 1
            && import.path.first() == Some(&alias);
        let bindings = module.names.entry((ns, alias)).or_default();
        if !shadows_crate && !bindings.iter().any(|binding| binding.def == def) {
            bindings.push(Binding { def, private: import.private });
            is_new = true;
        }
    }
    is_new
}

/// Adds what is not there yet.
fn add<T: PartialEq>(known: &mut Vec<T>, new: T) -> bool {
    let is_new = !known.contains(&new);
    if is_new {
        known.push(new);
    }
    is_new
}
