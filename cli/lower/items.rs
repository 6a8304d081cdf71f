//! From the index's items to those of the representation.
//!
//! In: a file's text and its index. Out: modules and items. Each item is cut out and parsed alone, those that hold
//! others (modules, `impl`s, traits, macro invocations) by their heads, so that what cannot be read costs one item.

use std::borrow::Cow;

use super::attributes::attributes;
use super::function::{self, Context};
use super::gate::LIMIT;
use super::macros::Definitions;
use super::parse::{self, Failure};
use super::text::{Cut, Source, blank};
use super::{Selection, declarations, macro_items, macro_rules, tables, types, uses};
use crate::index::{FileIndex, IndexItem, ItemKind};
use crate::ir::{
    Alias, Attribute, Const, FileIr, Function, Impl, Items, ModDecl, ModuleIr, Name, Problem, TableDecl, Trait, TypeIr,
    Use,
};
use crate::source::{FileId, TextRange};

/// Items nested deeper than this are not read.
const DEPTH: usize = 64;

/// A file being lowered.
pub(super) struct FileLowerer<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    pub(super) index: &'s FileIndex,
    macros: &'s Definitions<'s, 'a>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    selection: Selection,
    modules: Vec<ModuleIr>,
    problems: Vec<Problem>,
    /// closures of `handler!` invocations in constants, not yet among the items around
    loose: Vec<Function>,
    /// inside a `macro_rules!` definition: its metavariables with their fragments
    pub(super) metavariables: Option<Vec<(Name, Name)>>,
    depth: usize,
}

impl<'s, 'a> FileLowerer<'s, 'a> {
    /// Sorts the index's items by what is around them.
    pub(super) fn new(
        source: &'s Source<'a>,
        index: &'s FileIndex,
        macros: &'s Definitions<'s, 'a>,
        selection: Selection,
    ) -> Self {
        let mut children = vec![Vec::new(); index.items.len()];
        let mut roots = Vec::new();
        for (at, item) in index.items.iter().enumerate() {
            match item.parent.and_then(|parent| children.get_mut(parent as usize)) {
                Some(siblings) => siblings.push(at),
                None => roots.push(at),
            }
        }
        Self {
            source,
            index,
            macros,
            children,
            roots,
            selection,
            modules: vec![ModuleIr::default()],
            problems: index.problems.clone(),
            loose: Vec::new(),
            metavariables: None,
            depth: 0,
        }
    }

    /// Lowers all of it.
    pub(super) fn lower(mut self, file: FileId) -> FileIr {
        let mut items = Items::default();
        for at in std::mem::take(&mut self.roots) {
            self.item(at, 0, &mut items);
        }
        self.modules[0].items = items;
        macro_items::share_self(&mut self.modules);
        self.problems.sort_by_key(|problem| problem.range);
        FileIr { file, modules: self.modules, problems: self.problems }
    }

    /// The index's entry.
    pub(super) fn entry(&self, at: usize) -> &'s IndexItem {
        &self.index.items[at]
    }

    /// The entries inside an entry.
    pub(super) fn inside(&self, at: usize) -> Vec<usize> {
        self.children[at].clone()
    }

    /// Lowers all entries inside an entry.
    pub(super) fn all_inside(&mut self, at: usize, module: usize, out: &mut Items) {
        for child in self.inside(at) {
            self.nested(child, module, out);
        }
    }

    /// Lowers an entry that is inside another one.
    pub(super) fn nested(&mut self, at: usize, module: usize, out: &mut Items) {
        if self.deeper(at) {
            self.item(at, module, out);
            self.depth -= 1;
        }
    }

    /// Goes one level down; not if items are nested too deeply for that.
    fn deeper(&mut self, at: usize) -> bool {
        let deeper = self.depth < DEPTH;
        if deeper {
            self.depth += 1;
        } else {
            let message = "an item is nested in too many others to be read safely";
            self.problem(self.entry(at).range, message.to_owned());
        }
        deeper
    }

    /// Lowers one entry into the items around it.
    pub(super) fn item(&mut self, at: usize, module: usize, out: &mut Items) {
        match self.entry(at).kind {
            ItemKind::Fn => out.functions.extend(self.function(at, module, None)),
            ItemKind::Mod => self.inline_module(at, module),
            ItemKind::ModDecl => self.module_declaration(at, out),
            ItemKind::Impl => out.impls.extend(self.implementation(at, module)),
            ItemKind::Trait => out.traits.extend(self.trait_item(at, module)),
            ItemKind::Struct | ItemKind::Enum | ItemKind::Union => {
                out.types.extend(self.type_item(at, &mut out.tables))
            }
            ItemKind::Use => self.use_item(at, out),
            ItemKind::ExternCrate => out.uses.extend(self.extern_crate(at)),
            ItemKind::ExternBlock => self.extern_block(at, module, out),
            ItemKind::Const | ItemKind::Static => {
                out.consts.extend(self.constant(at));
                // `const _: () = { impl … };` is how derives keep their names to themselves
                self.all_inside(at, module, out);
            }
            ItemKind::TypeAlias => out.aliases.extend(self.alias(at)),
            ItemKind::MacroRules => out.macro_rules.extend(self.macro_rules(at, module)),
            ItemKind::MacroCall => self.macro_item(at, module, out),
        }
        out.functions.append(&mut self.loose);
    }

    /// Says that something could not be read.
    pub(super) fn problem(&mut self, range: TextRange, message: String) {
        self.problems.push(Problem { range, message });
    }

    /// Says that an item could not be parsed.
    fn failed(&mut self, what: &str, at: usize, failure: &Failure, cut: Cut<'_, '_>) {
        let entry = self.entry(at);
        // a definition is a pattern of code, and what looks like a declaration in a macro's argument may be a language of
        // the macro's own: what cannot be read there is no fault of the source
        let code = failure.unread && entry.kind == ItemKind::Fn && entry.body.is_some();
        let foreign = self.metavariables.is_some() || (!code && self.in_macro(at));
        if foreign || entry.test {
            return;
        }
        let name = entry.name.map(|name| format!(" `{name}`")).unwrap_or_default();
        let start = cut.start(failure.span).clamp(entry.range.start, entry.range.end);
        let end = cut.end(failure.span).clamp(start, entry.range.end);
        let message = format!("{what}{name} could not be read and is not analysed: {}", failure.message);
        self.problem(TextRange { start, end }, message);
    }

    /// Whether the item stands in a macro invocation.
    fn in_macro(&self, at: usize) -> bool {
        let mut parent = self.entry(at).parent;
        while let Some(around) = parent {
            let around = self.entry(around as usize);
            if around.kind == ItemKind::MacroCall {
                return true;
            }
            parent = around.parent;
        }
        false
    }

    /// The whole item.
    fn whole(&self, at: usize) -> (Cow<'a, str>, Cut<'s, 'a>) {
        let range = TextRange { start: self.start(at), ..self.entry(at).range };
        (self.text(range), self.source.cut(range.start))
    }

    /// Where the item starts behind its documentation, which nobody reads here: a parser would take each line for an
    /// attribute.
    fn start(&self, at: usize) -> u32 {
        let range = self.entry(at).range;
        let text = self.source.slice(range);
        let mut rest = text.trim_ascii_start();
        while let Some((_, after)) = rest.strip_prefix("//").and_then(|comment| comment.split_once('\n')) {
            rest = after.trim_ascii_start();
        }
        range.start + (text.len() - rest.len()) as u32
    }

    /// Source as it is, or with the metavariables of a macro definition replaced.
    fn text(&self, range: TextRange) -> Cow<'a, str> {
        let text = self.source.slice(range);
        match &self.metavariables {
            Some(fragments) => macro_rules::plain(text, fragments).into(),
            None => text.into(),
        }
    }

    /// The item with an empty body.
    fn head(&self, at: usize) -> (String, Cut<'s, 'a>) {
        let entry = self.entry(at);
        let end = entry.body.map_or(entry.range.end, |body| body.start);
        let head = TextRange { start: self.start(at), end };
        let mut text = self.source.slice(head).to_owned();
        if entry.body.is_some() {
            text.push('}');
        }
        if let Some(fragments) = &self.metavariables {
            text = macro_rules::plain(&text, fragments);
        }
        (text, self.source.cut(head.start))
    }

    /// The item's attributes.
    fn attributes(&mut self, at: usize) -> Vec<Attribute> {
        let range = self.entry(at).attributes;
        let cut = self.source.cut(range.start);
        match parse::parse(self.source.slice(range), parse::attributes) {
            Ok(attrs) => attributes(&attrs, cut),
            Err(failure) => {
                self.failed("the attributes of an item", at, &failure, cut);
                Vec::new()
            }
        }
    }

    /// A function; without its body where that is not selected.
    pub(super) fn function(&mut self, at: usize, module: usize, heads: Option<&str>) -> Option<Function> {
        let entry = self.entry(at);
        let mut context =
            Context { range: entry.range, test: entry.test, macro_heads: heads.map(Into::into), opaque: None };
        let selected = entry.body.is_none() || self.selection.body(entry, self.source.slice(entry.attributes));
        let mut function = if selected {
            let (text, cut) = self.whole(at);
            match self.parse_function(at, &text) {
                Ok(item) => function::function(&item, context, cut, self.macros),
                Err(failure) => {
                    self.failed("function", at, &failure, cut);
                    let (text, cut) = self.head(at);
                    let item = parse::parse(&text, parse::function).ok()?;
                    context.opaque = Some((entry.body.unwrap_or(entry.range), "a body that could not be parsed"));
                    function::function(&item, context, cut, self.macros)
                }
            }
        } else {
            let (text, cut) = self.head(at);
            match parse::parse(&text, parse::function) {
                Ok(item) => {
                    let mut function = function::function(&item, context, cut, self.macros);
                    function.body = None;
                    for param in &mut function.params {
                        param.pat = None;
                    }
                    function
                }
                Err(failure) => {
                    self.failed("function", at, &failure, cut);
                    return None;
                }
            }
        };
        if selected && !self.children[at].is_empty() {
            let mut inner = function.inner.take().unwrap_or_default();
            self.all_inside(at, module, &mut inner);
            function.inner = Some(inner);
        }
        Some(function)
    }

    /// A function as it stands; if that fails, without the items inside it, which are read on their own.
    fn parse_function(&self, at: usize, text: &str) -> Result<parse::FnItem, Failure> {
        // a tower of functions would otherwise be lexed from each of its levels
        if self.entry(at).depth as usize > LIMIT {
            return Err(Failure::too_deep());
        }
        let failure = match parse::parse(text, parse::function) {
            Ok(item) => return Ok(item),
            Err(failure) => failure,
        };
        let base = self.start(at);
        let nested = self.children[at].iter().map(|&child| self.entry(child));
        let nested = nested.filter(|child| child.kind != ItemKind::MacroCall).map(|child| child.range);
        let nested: Vec<_> = nested
            .map(|range| range.start.saturating_sub(base) as usize..range.end.saturating_sub(base) as usize)
            .collect();
        if nested.is_empty() {
            return Err(failure);
        }
        parse::parse(&blank(text, nested), parse::function)
    }

    fn inline_module(&mut self, at: usize, module: usize) {
        let entry = self.entry(at);
        let attributes = self.attributes(at);
        let index = self.modules.len();
        self.modules.push(ModuleIr {
            parent: Some(module),
            name: entry.name,
            path_attr: paths(&attributes).next(),
            test: entry.test,
            items: Items::default(),
        });
        let mut items = Items::default();
        self.all_inside(at, index, &mut items);
        self.modules[index].items = items;
    }

    fn module_declaration(&mut self, at: usize, out: &mut Items) {
        let entry = self.entry(at);
        let Some(name) = entry.name else { return };
        let attributes = self.attributes(at);
        let mut paths: Vec<_> = paths(&attributes).map(Some).collect();
        // a path that only some configurations have leaves the default one to the others
        let text = self.source.slice(entry.attributes);
        if paths.is_empty() || (text.contains("cfg_attr") && !has_plain_path(&attributes, self.source)) {
            paths.push(None);
        }
        out.mods.extend(paths.into_iter().map(|path_attr| ModDecl {
            name,
            path_attr,
            test: entry.test,
            range: entry.range,
        }));
    }

    pub(super) fn implementation(&mut self, at: usize, module: usize) -> Option<Impl> {
        let entry = self.entry(at);
        let (text, cut) = self.head(at);
        let mut block = match parse::parse(&text, parse::implementation) {
            Ok(head) => Impl {
                generics: types::generics(&head.generics),
                trait_path: head.trait_path.as_ref().map(types::path),
                self_ty: types::ty(&head.self_ty),
                attributes: attributes(&head.attrs, cut),
                ..empty_impl(entry.range)
            },
            Err(failure) => {
                self.failed("the head of an `impl`", at, &failure, cut);
                empty_impl(entry.range)
            }
        };
        self.associated(at, module, None, &mut block);
        Some(block)
    }

    /// The members of an `impl`, also those inside macro invocations in it.
    fn associated(&mut self, at: usize, module: usize, heads: Option<&str>, block: &mut Impl) {
        for child in self.inside(at) {
            match self.entry(child).kind {
                ItemKind::Fn => block.functions.extend(self.function(child, module, heads)),
                ItemKind::Const | ItemKind::Static => block.consts.extend(self.constant(child)),
                ItemKind::TypeAlias => block.types.extend(self.alias(child)),
                ItemKind::MacroCall if self.deeper(child) => {
                    let heads = self.macro_heads(child);
                    self.associated(child, module, Some(&heads), block);
                    self.depth -= 1;
                }
                _ => {}
            }
        }
    }

    fn trait_item(&mut self, at: usize, module: usize) -> Option<Trait> {
        let entry = self.entry(at);
        let (text, cut) = self.head(at);
        let head = match parse::parse(&text, parse::trait_head) {
            Ok(head) => head,
            Err(failure) => {
                self.failed("trait", at, &failure, cut);
                return None;
            }
        };
        let mut members = empty_impl(entry.range);
        self.associated(at, module, None, &mut members);
        Some(Trait {
            name: types::name(&head.ident),
            generics: types::generics(&head.generics),
            supers: types::bounds(&head.supers),
            attributes: attributes(&head.attrs, cut),
            functions: members.functions,
            consts: members.consts,
            range: entry.range,
        })
    }

    fn type_item(&mut self, at: usize, tables: &mut Vec<TableDecl>) -> Option<crate::ir::TypeDecl> {
        let entry = self.entry(at);
        let (text, cut) = self.whole(at);
        let parsed = match entry.kind {
            ItemKind::Struct => parse::parse(&text, |input| input.parse()).map(|item: syn::ItemStruct| {
                tables.extend(tables::of_model(&item));
                declarations::structure(&item, entry.range, cut)
            }),
            ItemKind::Enum => parse::parse(&text, |input| input.parse())
                .map(|item: syn::ItemEnum| declarations::enumeration(&item, entry.range, cut)),
            _ => parse::parse(&text, |input| input.parse())
                .map(|item: syn::ItemUnion| declarations::union(&item, entry.range, cut)),
        };
        match parsed {
            Ok(item) => Some(item),
            Err(failure) => {
                self.failed("type", at, &failure, cut);
                None
            }
        }
    }

    fn use_item(&mut self, at: usize, out: &mut Items) {
        let (text, cut) = self.whole(at);
        // each segment is a level of the tree
        if text.matches("::").count() > LIMIT {
            return self.failed("an import", at, &Failure::too_deep(), cut);
        }
        if let Cow::Borrowed(text) = text {
            if uses::plain::read(text, self.start(at), &mut out.uses).is_some() {
                return;
            }
        }
        if let Err(failure) = parse::parse(&text, |input| uses::read(input, cut, &mut out.uses)) {
            self.failed("an import", at, &failure, cut);
        }
    }

    fn extern_crate(&mut self, at: usize) -> Option<Use> {
        let entry = self.entry(at);
        let (text, cut) = self.whole(at);
        match parse::parse(&text, |input| input.parse::<syn::ItemExternCrate>()) {
            Ok(item) => {
                let name = types::name(&item.ident);
                Some(Use {
                    absolute: true,
                    path: vec![name],
                    alias: Some(item.rename.as_ref().map_or(name, |(_, rename)| types::name(rename))),
                    public: !matches!(item.vis, syn::Visibility::Inherited),
                    range: entry.range,
                })
            }
            Err(failure) => {
                self.failed("an import", at, &failure, cut);
                None
            }
        }
    }

    /// Foreign functions and statics.
    fn extern_block(&mut self, at: usize, module: usize, out: &mut Items) {
        if !self.children[at].is_empty() {
            return self.all_inside(at, module, out);
        }
        let entry = self.entry(at);
        let (text, cut) = self.whole(at);
        let block: syn::ItemForeignMod = match parse::parse(&text, |input| input.parse()) {
            Ok(block) => block,
            Err(failure) => return self.failed("a foreign block", at, &failure, cut),
        };
        for item in block.items {
            let syn::ForeignItem::Fn(item) = item else {
                continue;
            };
            let context = Context {
                range: cut.between(item.sig.fn_token.span, item.semi_token.spans[0]),
                test: entry.test,
                macro_heads: None,
                opaque: None,
            };
            let item = parse::FnItem { attrs: item.attrs, vis: item.vis, sig: item.sig, block: None };
            out.functions.push(function::function(&item, context, cut, self.macros));
        }
    }

    fn constant(&mut self, at: usize) -> Option<Const> {
        let entry = self.entry(at);
        let (text, cut) = self.whole(at);
        match parse::parse(&text, parse::constant) {
            Ok(item) => Some(Const {
                name: types::name(&item.ident),
                ty: item.ty.as_ref().map_or(TypeIr::Infer, types::ty),
                body: item.value.as_ref().map(|value| {
                    let mut lowerer = super::body::Lowerer::new(cut, self.macros);
                    let root = lowerer.expr(value);
                    self.loose.append(&mut lowerer.handlers);
                    Box::new(lowerer.finish(root))
                }),
                range: entry.range,
            }),
            Err(failure) => {
                self.failed("constant", at, &failure, cut);
                None
            }
        }
    }

    fn alias(&mut self, at: usize) -> Option<Alias> {
        let (text, cut) = self.whole(at);
        match parse::parse(&text, parse::alias) {
            Ok(item) => Some(Alias {
                name: types::name(&item.ident),
                generics: types::generics(&item.generics),
                ty: types::ty(&item.ty?),
            }),
            Err(failure) => {
                self.failed("type alias", at, &failure, cut);
                None
            }
        }
    }
}

/// An `impl` of nothing known.
pub(super) fn empty_impl(range: TextRange) -> Impl {
    Impl {
        generics: Vec::new(),
        trait_path: None,
        self_ty: TypeIr::Opaque,
        attributes: Vec::new(),
        functions: Vec::new(),
        consts: Vec::new(),
        types: Vec::new(),
        range,
        macro_heads: None,
    }
}

/// The values of `path = "…"` attributes.
fn paths(attributes: &[Attribute]) -> impl Iterator<Item = String> {
    let paths = attributes.iter().filter(|attribute| &*attribute.path == "path");
    paths.filter_map(|attribute| Some(syn::parse_str::<syn::LitStr>(&attribute.args).ok()?.value()))
}

fn has_plain_path(attributes: &[Attribute], source: &Source<'_>) -> bool {
    let mut paths = attributes.iter().filter(|attribute| &*attribute.path == "path");
    paths.any(|attribute| !source.slice(attribute.range).contains("cfg_attr"))
}
