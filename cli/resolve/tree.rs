//! The module tree as rustc builds it, and every item in it with a number.
//!
//! In: the workspace and its lowered files. Out: a [`World`] whose modules know their items, with imports still
//! unresolved. A file that several targets reach counts once, in the target that comes first.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::collect::collect_items;
use super::defs::{Crate, Def, Module, Ns, Origin, World};
use super::known::known;
use super::{ModuleId, join_path};
use crate::ir::{FileIr, ModDecl, Name};
use crate::source::{FileId, ModuleFolder, PackageId, Target, TargetKind, Workspace};

/// A file that waits to be walked, and the module it is.
struct Pending {
    file: FileId,
    module: ModuleId,
    place: Origin,
    /// where its `mod x;` look
    children: ModuleFolder,
}

struct Builder<'a> {
    workspace: &'a Workspace,
    files: Vec<Option<FileIr>>,
    modules_of_files: FxHashMap<FileId, ModuleId>,
    queue: VecDeque<Pending>,
    world: World,
}

/// Builds crates and modules and numbers all items.
pub(super) fn build(workspace: &Workspace, files: Vec<FileIr>) -> World {
    let mut slots: Vec<Option<FileIr>> = Vec::new();
    slots.resize_with(workspace.files.len(), || None);
    for file in files {
        if let Some(slot) = slots.get_mut(file.file.0 as usize) {
            *slot = Some(file);
        }
    }
    let mut builder = Builder {
        workspace,
        files: slots,
        modules_of_files: FxHashMap::default(),
        queue: VecDeque::new(),
        world: World::default(),
    };
    for (number, package) in workspace.packages.iter().enumerate() {
        for target in &package.targets {
            builder.target(PackageId(number as u32), target);
        }
    }
    builder.orphans();
    link_crates(workspace, &mut builder.world);
    builder.world
}

impl Builder<'_> {
    fn target(&mut self, package: PackageId, target: &Target) {
        let name = Name::new(&target.crate_name);
        let place = Origin {
            file: target.root,
            package,
            test: matches!(target.kind, TargetKind::Test | TargetKind::Bench)
                || self.workspace.package(package).test_support,
            example: target.kind == TargetKind::Example,
        };
        let krate = self.world.crates.len();
        let root = match self.modules_of_files.get(&target.root) {
            Some(&known) => known,
            None => {
                let module = new_module(&mut self.world, None, krate, name, false);
                self.modules_of_files.insert(target.root, module);
                let children = ModuleFolder::of_owner(self.path(target.root));
                self.queue.push_back(Pending { file: target.root, module, place, children });
                module
            }
        };
        self.world.crates.push(Crate {
            package,
            name,
            root,
            edition: self.workspace.package(package).edition,
            externs: FxHashMap::default(),
            listed: Vec::new(),
        });
        self.drain();
    }

    fn path(&self, file: FileId) -> &str {
        self.workspace.files.get(file.0 as usize).map_or("", |file| file.path.as_str())
    }

    fn drain(&mut self) {
        while let Some(pending) = self.queue.pop_front() {
            self.walk(pending);
        }
    }

    fn walk(&mut self, pending: Pending) {
        let Some(ir) = self.files.get_mut(pending.file.0 as usize).and_then(Option::take) else {
            return;
        };
        for problem in ir.problems {
            self.world.program.problems.push((pending.file, problem));
        }
        let mut made: Vec<(ModuleId, ModuleFolder, Origin)> = Vec::new();
        for (number, mut module) in ir.modules.into_iter().enumerate() {
            let parent = module.parent.and_then(|parent| made.get(parent)).cloned();
            let (id, children, mut place) = match parent {
                Some((parent, folder, place)) if number > 0 => {
                    let name = module.name.unwrap_or(known().underscore);
                    let krate = self.world.modules[parent.0 as usize].krate;
                    let id = new_module(&mut self.world, Some(parent), krate, name, false);
                    define(&mut self.world, parent, Ns::Type, name, Def::Module(id));
                    let inside = folder.inline(name.as_str(), module.path_attr.as_deref());
                    (id, inside, place)
                }
                _ => (pending.module, pending.children.clone(), pending.place),
            };
            place.test |= module.test;
            for declaration in std::mem::take(&mut module.items.mods) {
                self.declaration(id, &declaration, &children, place);
            }
            collect_items(&mut self.world, id, module.items, place);
            made.push((id, children, place));
        }
    }

    fn declaration(&mut self, parent: ModuleId, declaration: &ModDecl, folder: &ModuleFolder, place: Origin) {
        let name = declaration.name;
        let attribute = declaration.path_attr.as_deref();
        let found = self.workspace.module_files(folder, name.as_str(), attribute);
        for (file, children) in found {
            let test = place.test || declaration.test;
            let module = match self.modules_of_files.get(&file) {
                Some(&known) => {
                    // A twin is often there for who sees it: what one of them compiles for more than tests is no test code.
                    let waiting = self.queue.iter_mut().filter(|pending| pending.file == file);
                    waiting.for_each(|pending| pending.place.test &= test);
                    known
                }
                None => {
                    let krate = self.world.modules[parent.0 as usize].krate;
                    let module = new_module(&mut self.world, Some(parent), krate, name, false);
                    self.modules_of_files.insert(file, module);
                    self.queue.push_back(Pending { file, module, place: Origin { file, test, ..place }, children });
                    module
                }
            };
            define(&mut self.world, parent, Ns::Type, name, Def::Module(module));
        }
    }

    /// Files that no `mod` reaches in sight (one inside a macro, an `include!`) still hold functions. Each becomes a
    /// module of the first crate of its package, named by its path.
    fn orphans(&mut self) {
        for number in 0..self.files.len() {
            if self.files[number].is_none() {
                continue;
            }
            let file = FileId(number as u32);
            let source = self.workspace.file(file);
            let package = source.package;
            let Some(krate) = self.world.crates.iter().position(|krate| krate.package == package) else {
                continue;
            };
            let root = self.world.crates[krate].root;
            let folder_of_package = self.workspace.package(package).folder.as_str();
            let inside = source.path.strip_prefix(folder_of_package).unwrap_or(&source.path);
            let inside = inside.trim_start_matches('/');
            let inside = inside.strip_prefix("src/").unwrap_or(inside);
            let stem = inside.strip_suffix(".rs").unwrap_or(inside);
            let stem = stem.strip_suffix("/mod").unwrap_or(stem);
            let mut path = self.world.modules[root.0 as usize].path;
            for segment in stem.split('/') {
                path = join_path(path, Name::new(segment));
            }
            let module = new_module(&mut self.world, Some(root), krate, path, true);
            self.modules_of_files.insert(file, module);
            let children = if inside.ends_with("mod.rs") {
                ModuleFolder::of_owner(&source.path)
            } else {
                ModuleFolder::of_file(&source.path)
            };
            self.queue.push_back(Pending {
                file,
                module,
                place: Origin { file, package, test: false, example: false },
                children,
            });
            self.drain();
        }
    }
}

/// A new module; with `whole` the name is already its full path.
pub(super) fn new_module(
    world: &mut World,
    parent: Option<ModuleId>,
    krate: usize,
    name: Name,
    whole: bool,
) -> ModuleId {
    let path = match parent {
        Some(parent) if !whole => join_path(world.modules[parent.0 as usize].path, name),
        _ => name,
    };
    let id = ModuleId(world.modules.len() as u32);
    world.program.modules.push(path);
    world.modules.push(Module {
        parent,
        krate,
        path,
        block: false,
        names: FxHashMap::default(),
        globs: Vec::new(),
        anonymous: Vec::new(),
        opaque_items: false,
        makers: Vec::new(),
    });
    id
}

/// Puts a declared name into a module's scope, beside what is there.
pub(super) fn define(world: &mut World, module: ModuleId, ns: Ns, name: Name, def: Def) {
    let bindings = world.modules[module.0 as usize].names.entry((ns, name)).or_default();
    if !bindings.iter().any(|binding| binding.def == def) {
        bindings.push(super::defs::Binding { def, private: false });
    }
}

/// Gives every crate the names its paths may start with.
fn link_crates(workspace: &Workspace, world: &mut World) {
    let mut libraries: FxHashMap<PackageId, (Name, ModuleId)> = FxHashMap::default();
    let mut by_name: FxHashMap<Name, ModuleId> = FxHashMap::default();
    let mut number = 0;
    for (package, info) in workspace.packages.iter().enumerate() {
        for target in &info.targets {
            let krate = &world.crates[number];
            number += 1;
            if target.kind == TargetKind::Lib {
                libraries.insert(PackageId(package as u32), (krate.name, krate.root));
                by_name.entry(krate.name).or_insert(krate.root);
            }
        }
    }
    world.libraries = by_name;
    let known = known();
    let mut number = 0;
    for (package, info) in workspace.packages.iter().enumerate() {
        for target in &info.targets {
            let mut externs: FxHashMap<Name, Def> = FxHashMap::default();
            let mut listed: Vec<Name> = Vec::new();
            for dependency in &info.dependencies {
                let name = Name::new(&dependency.extern_name);
                let local = dependency.local.and_then(|local| libraries.get(&local));
                let def = match local {
                    Some(&(_, root)) => Def::Module(root),
                    None => Def::External(canonical_crate(&dependency.extern_name, &dependency.package_name)),
                };
                externs.insert(name, def);
                listed.push(name);
            }
            if target.kind != TargetKind::Lib {
                if let Some(&(name, root)) = libraries.get(&PackageId(package as u32)) {
                    externs.insert(name, Def::Module(root));
                }
            }
            for name in [known.std, known.core, known.alloc] {
                externs.insert(name, Def::External(known.std));
            }
            world.crates[number].externs = externs;
            world.crates[number].listed = listed;
            number += 1;
        }
    }
}

/// The crate name that canonical paths of a dependency start with: a rename in the manifest is undone, unless the new
/// name is a part of the package's name, which is how packages name their library (`stripe` in `async-stripe`).
fn canonical_crate(extern_name: &str, package_name: &str) -> Name {
    let package = package_name.replace('-', "_");
    let part = package_name.split('-').any(|part| part == extern_name);
    Name::new(if part { extern_name } else { &package })
}
