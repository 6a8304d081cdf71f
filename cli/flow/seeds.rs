//! Which functions the analysis starts from: those that mention something that could be a dispatch or a key.

use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::{Call, Catalog, Matcher};
use crate::contracts::HandlerContract;
use crate::ir::{Arm, Body, ExprKind, Literal, MapKey, Name, PatId, PatKind, PathIr, StructExpr};
use crate::parallel;
use crate::resolve::{Callee, ConstId, FnId, FunctionInfo, Program, ValueDef};
use crate::source::PackageId;

use super::dispatch::converted;
use super::scope::{client_acts, has_word};
use super::words::normal;
use super::{built, interfaces, replaced};

/// Functions outside test code from which something may be told, in order.
pub(crate) fn seeds<'p>(
    program: &'p Program,
    catalog: &Catalog,
    matcher: &Matcher<'_>,
    contracts: &[HandlerContract],
    traits: &FxHashMap<Name, Vec<Name>>,
    handlers: Vec<FnId>,
    threads: usize,
) -> Vec<FnId> {
    let mentions = Mentions::new(catalog);
    let constants = telling_constants(program, &mentions);
    let tells = parallel::map(program.functions.len(), threads, Calls::default, |calls: &mut Calls<'p>, at| {
        let function = &program.functions[at];
        if function.test || function.example {
            return false;
        }
        let lookup = matcher.names(function.ir.name.as_str())
            && matcher.lookup(&Call::Workspace(function.path.as_str())).is_some();
        let mut may = |callee| calls.may_act(program, matcher, traits, function.package, callee);
        lookup
            || function.types.callees.iter().any(|(_, callee)| may(callee))
            || names_one(&constants, function)
            || function.ir.body.as_deref().is_some_and(|body| {
                mentions.are_in(body)
                    || converted::may_refer(&catalog.words, &function.ir, body)
                    || replaced::may_give(&catalog.words, body)
            })
    });
    let mut seeds: Vec<FnId> = (0u32..).zip(tells).filter(|(_, tells)| *tells).map(|(at, _)| FnId(at)).collect();
    seeds.extend(contracts.iter().flat_map(|contract| &contract.bodies));
    seeds.extend(handlers);
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// What one thread knows of calls: what is called is called often.
#[derive(Default)]
struct Calls<'p> {
    foreign: FxHashMap<&'p Callee, bool>,
    /// by function and whether it belongs to another package than its caller: what it is for depends on who calls it
    own: FxHashMap<(FnId, bool), bool>,
}

impl<'p> Calls<'p> {
    /// Whether what is called from a package may act, ask, store or settle.
    fn may_act(
        &mut self,
        program: &'p Program,
        matcher: &Matcher<'_>,
        traits: &FxHashMap<Name, Vec<Name>>,
        package: PackageId,
        callee: &'p Callee,
    ) -> bool {
        let Callee::Functions(ids) = callee else {
            return *self.foreign.entry(callee).or_insert_with(|| may_dispatch(matcher, traits, callee));
        };
        let mut is_known = |&id: &FnId| {
            let foreign = program.function(id).package != package;
            *self.own.entry((id, foreign)).or_insert_with(|| is_known(program, matcher, foreign, id))
        };
        let acts = |&id: &FnId| interfaces::acts(program, &matcher.catalog().words, id);
        ids.iter().any(&mut is_known) || ids.iter().any(acts) && interfaces::is_unseen(program, ids)
    }
}

/// Words in a body from which something may be told.
struct Mentions<'c> {
    catalog: &'c Catalog,
    /// as query builders call rows
    rows: FxHashSet<Name>,
    keys: FxHashSet<Name>,
    /// what only the answer to something sent is asked for
    receipts: FxHashSet<Name>,
    /// the structs with a setting by which a client acknowledges by itself, and these settings
    settings: FxHashMap<Name, Vec<Name>>,
    /// names of keys within a text
    in_text: Vec<Finder<'c>>,
    /// what a variant is called by which a provider says that it does not know
    doubts: FxHashSet<String>,
    /// what a variant is called that says that nothing was done
    refusals: FxHashSet<String>,
}

/// What the catalog calls a state.
fn words_for(catalog: &Catalog, means: &str) -> FxHashSet<String> {
    let states = catalog.states.iter().filter(|state| state.means == means);
    states.flat_map(|state| &state.words).map(|word| normal(word)).collect()
}

impl<'c> Mentions<'c> {
    fn new(catalog: &'c Catalog) -> Self {
        let words = &catalog.words;
        let set = |names: &mut dyn Iterator<Item = &String>| names.map(|name| Name::new(name)).collect();
        Self {
            catalog,
            rows: set(&mut words.entity_names.iter().chain(&words.model_names)),
            keys: set(&mut words.key_names.iter()),
            receipts: set(&mut words.receipt_calls.iter()),
            settings: settings(catalog),
            doubts: words_for(catalog, "unknown"),
            refusals: words_for(catalog, "rejected"),
            in_text: words
                .key_names
                .iter()
                .chain(words.path_headers.iter().map(|(path, _)| path))
                .map(|name| Finder::new(name.as_str()))
                .collect(),
        }
    }

    fn are_in(&self, body: &Body) -> bool {
        self.lumps(body) || body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Literal(Literal::Str(text)) => {
                let header = |known: &String| known.eq_ignore_ascii_case(text);
                self.catalog.words.key_headers.iter().any(header)
                    || self.in_text.iter().any(|name| name.find(text.as_bytes()).is_some())
            }
            ExprKind::MethodCall(call) => self.keys.contains(&call.name) || self.receipts.contains(&call.name),
            ExprKind::Struct(literal) => {
                self.is_row(&literal.path) || self.is_set(literal) || literal.fields.iter().any(|(field, _)| self.keys.contains(field))
            }
            ExprKind::Field { name: field, .. } => self.keys.contains(field),
            ExprKind::Assign { target, .. } => match &body.expr(*target).kind {
                ExprKind::Field { name, .. } => self.settings.values().flatten().any(|setting| setting == name),
                _ => false,
            },
            ExprKind::Map(entries) => entries
                .iter()
                .any(|(key, _)| matches!(key, MapKey::Text(text) if self.catalog.words.key_names.iter().any(|name| **name == **text))),
            ExprKind::Match { arms, .. } => self.refuses_rest(body, arms),
            ExprKind::Path(path) => self.is_row(path) || path.segments.last().is_some_and(|last| self.is_key(last.name)),
            _ => false,
        })
    }

    /// Whether a pattern takes an answer that nobody knows more of among others.
    fn lumps(&self, body: &Body) -> bool {
        let doubts = |pat: &PatId| match &body.pat(*pat).kind {
            PatKind::Path(path) => {
                path.segments.len() > 1
                    && path.segments.last().is_some_and(|last| self.doubts.contains(&normal(last.name.as_str())))
            }
            _ => false,
        };
        body.pats.iter().any(|pat| matches!(&pat.kind, PatKind::Or(choices) if choices.iter().any(doubts)))
    }

    /// Whether all that no other arm names is called a failure.
    fn refuses_rest(&self, body: &Body, arms: &[Arm]) -> bool {
        arms.last().is_some_and(|last| match &body.expr(last.body).kind {
            ExprKind::Path(path) if matches!(body.pat(last.pat).kind, PatKind::Wild) => {
                path.segments.len() > 1
                    && path.segments.last().is_some_and(|last| self.refusals.contains(&normal(last.name.as_str())))
            }
            _ => false,
        })
    }

    /// Many a struct is called `Config`: one of these has the setting written out.
    fn is_set(&self, literal: &StructExpr) -> bool {
        let settings = literal.path.segments.last().and_then(|last| self.settings.get(&last.name));
        settings.is_some_and(|settings| literal.fields.iter().any(|(field, _)| settings.contains(field)))
    }

    fn is_row(&self, path: &PathIr) -> bool {
        path.segments.iter().any(|segment| self.rows.contains(&segment.name)) || built::is_of_entity(path)
    }

    /// Also as a constant is written.
    fn is_key(&self, name: Name) -> bool {
        let is = |known: &String| known.eq_ignore_ascii_case(name.as_str());
        self.keys.contains(&name) || self.catalog.words.key_names.iter().any(is)
    }
}

/// The settings by which clients acknowledge by themselves, by the last word of the struct that has them.
fn settings(catalog: &Catalog) -> FxHashMap<Name, Vec<Name>> {
    let mut settings: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    for row in &catalog.auto_acks {
        if let Some(last) = row.call.0.rsplit("::").next() {
            settings.entry(Name::new(last)).or_default().push(Name::new(&row.setting));
        }
    }
    settings
}

/// Whether the catalog has a row for a call that acts, asks, stores or settles.
fn has_row(matcher: &Matcher<'_>, call: Call<'_>) -> bool {
    matcher.may_mean(&call)
        && (matcher.dispatch(&call).is_some()
            || !matcher.carriers(&call).is_empty()
            || matcher.store(&call).is_some()
            || matcher.lookup(&call).is_some()
            || matcher.ack(&call).is_some()
            || matcher.lease(&call).is_some()
            || matcher.auto_ack(&call).is_some()
            || matcher.origin(&call).is_some_and(|row| row.digest))
}

/// Whether the catalog knows a function of the workspace; of another package it may be the crate that the catalog knows.
fn is_known(program: &Program, matcher: &Matcher<'_>, foreign: bool, id: FnId) -> bool {
    let function = program.function(id);
    let path = function.path.as_str();
    matcher.names(function.ir.name.as_str())
        && (has_row(matcher, Call::Workspace(path)) || foreign && has_row(matcher, Call::External(path)))
}

/// Whether something that is no function of the workspace may act, ask, store or settle.
fn may_dispatch(matcher: &Matcher<'_>, traits: &FxHashMap<Name, Vec<Name>>, callee: &Callee) -> bool {
    let is = |call: Call<'_>| has_row(matcher, call);
    let words = &matcher.catalog().words;
    let verb = |name: &str| client_acts(words, name);
    let undoes = |name: &str| words.compensation_verbs.iter().any(|verb| has_word(name, verb));
    match callee {
        Callee::External(path) => is(Call::External(path.as_str())),
        Callee::Unresolved(path) => is(Call::Workspace(path.as_str())) || is(Call::External(path.as_str())),
        Callee::ExternalMethod { receiver, method } => {
            let of = |of: &Name| Call::Method { receiver: of.as_str(), method: method.as_str(), fields: &[] };
            traits.get(receiver).into_iter().flatten().any(|path| is(of(path)))
                || ends_builder(matcher, receiver.as_str(), method.as_str())
                || is(Call::Method { receiver: receiver.as_str(), method: method.as_str(), fields: &[] })
                || verb(method.as_str()) && interfaces::is_absent(*receiver)
                || interfaces::is_plain(words, *method) && interfaces::is_foreign(matcher, *receiver)
                || !receiver.as_str().starts_with("std::") && undoes(method.as_str())
        }
        Callee::UnknownMethod(method) => {
            is(Call::Unknown { method: method.as_str(), fields: &[] })
                || matcher.by_fields(method.as_str())
                || verb(method.as_str())
        }
        _ => false,
    }
}

/// Whether a method sends what another function of the crate's builder chain has started.
fn ends_builder(matcher: &Matcher<'_>, receiver: &str, method: &str) -> bool {
    let root = |path: &str| path.split("::").next().map(str::to_owned);
    matcher
        .catalog()
        .dispatches
        .iter()
        .any(|row| row.sends.iter().any(|name| name == method) && root(&row.call.0) == root(receiver))
}

/// The constants that hold the name of a key header, or make the setting by which a client acknowledges by itself.
fn telling_constants(program: &Program, mentions: &Mentions<'_>) -> FxHashSet<ConstId> {
    let tells = |body: &Body| {
        let header = matches!(&body.expr(body.root).kind, ExprKind::Literal(Literal::Str(text))
            if mentions.catalog.words.key_headers.iter().any(|known| known.eq_ignore_ascii_case(text)));
        header
            || body.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::MethodCall(call) => mentions.settings.contains_key(&call.name),
                _ => false,
            })
    };
    let constants = program.consts.iter().enumerate();
    let telling = constants.filter(|(_, constant)| constant.ir.body.as_ref().is_some_and(|body| tells(body)));
    telling.map(|(at, _)| ConstId(at as u32)).collect()
}

/// Whether a function speaks of one of these constants.
fn names_one(constants: &FxHashSet<ConstId>, function: &FunctionInfo) -> bool {
    let named = |def: &ValueDef| matches!(def, ValueDef::Consts(ids) if ids.iter().any(|id| constants.contains(id)));
    !constants.is_empty() && function.types.paths.iter().any(|(_, def)| named(def))
}
