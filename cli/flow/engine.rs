//! Summaries of functions, made on demand, recursion taken to a fixpoint.
//!
//! A summary says what a function returns and which dispatches stand below it, in terms of its parameters. Groups of
//! functions that call each other are evaluated together, from nothing, until nothing changes; so the result does not
//! depend on which of them was asked for first, nor on which thread.

mod registered;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::RepeatScope;
use super::dispatch::lent::Sent;
use super::eval::Eval;
use super::events::Event;
use super::graph::CallGraph;
use super::outcome::Condition;
use super::prepared::kept::Makers;
use super::rows::RowTable;
use super::uses::{HandedKey, Use};
use super::value::{Atom, Entered, FieldPath, Kind, Owner, Record, Regions, Trail, Value, made, same_value};
use super::words::StateIndex;
use super::{handlers, repeating};
use crate::catalog::{Catalog, HandlerRule, Matcher};
use crate::contracts::HandlerContract;
use crate::ir::{Body, ExprId, ExprKind, Name};
use crate::resolve::{ConstId, FnId, Program, Ty, TypeId, TypeInfo};
use crate::source::Span;

/// Rounds after which a recursive group is taken as it is; what still changes by then are trails and joins of joins.
const MAX_ROUNDS: usize = 4;
/// Functions inside functions that are followed: beyond it the value is unknown.
const MAX_DEPTH: usize = 160;
/// Dispatches below one function that are kept.
const MAX_USES: usize = 64;

/// What is known of a function without knowing its caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) ret: Value,
    /// parameters that the function changes
    pub(crate) outs: Vec<Out>,
    pub(crate) uses: Vec<Use>,
    /// dispatches below handlers that the function calls by themselves, with the keys that it hands over
    pub(crate) handed_keys: Vec<HandedKey>,
    /// parameters that are called
    pub(crate) param_calls: Vec<ParamCall>,
    /// requests that it is handed and sends
    pub(crate) sent: Vec<Sent>,
    /// struct literals in the body
    pub(crate) literals: Vec<(TypeId, Record)>,
    pub(crate) unresolved: usize,
    /// parameters that run in a task, and whether nobody holds its handle
    pub(crate) spawned: Vec<(u32, bool)>,
    /// keys fixed on clients
    pub(crate) shared: Vec<super::SharedKey>,
    /// what happens, in order
    pub(crate) events: Vec<Event>,
    /// what is left of outcomes in the branches of this function and of those below it
    pub(crate) conditions: Vec<Condition>,
    /// branches that are taken by what a parameter is
    pub(crate) given: super::given::Given,
    /// of an answer that it is handed: what its yes and its no say
    pub(crate) told: Option<super::outcome::Told>,
    /// of what it answers with: the outcomes under which variants are made
    pub(crate) made: super::outcome::made::Made,
    /// dispatches that may be in doubt where it ends without an error
    pub(crate) hidden: BTreeSet<Span>,
    /// dispatches after which it may fail: of the others, its errors say nothing
    pub(crate) failing: BTreeSet<Span>,
}

/// A parameter that a function changes.
#[derive(Clone, Debug)]
pub(crate) struct Out {
    pub(crate) param: u32,
    /// what it holds afterwards
    pub(crate) value: Value,
    /// it takes in something beside what it holds
    pub(crate) filled: bool,
}

/// A parameter that a function calls.
#[derive(Clone, Debug)]
pub(crate) struct ParamCall {
    pub(crate) param: u32,
    /// the scope that calls it again
    pub(crate) repeat: Option<Arc<RepeatScope>>,
    /// the parameter that is asked, of an error that it came back with, whether to call it again
    pub(crate) judge: Option<u32>,
    /// parameters by which the caller says that it is called once, each with the truth that says so
    pub(crate) unless: Vec<(u32, bool)>,
    /// what it is called with
    pub(crate) args: Vec<Value>,
    /// where a transaction around it begins, which the function ends, too
    pub(crate) transaction: Option<Span>,
}

impl ParamCall {
    /// It is called with other arguments, too, perhaps in no transaction.
    pub(crate) fn also_with(&mut self, args: Vec<Value>, transaction: Option<Span>) {
        self.transaction = self.transaction.and(transaction);
        self.args.truncate(args.len());
        for (known, other) in self.args.iter_mut().zip(args) {
            *known = known.join(&other);
        }
    }
}

/// By function, what is known of it once it was evaluated: by far the largest part of the analysis.
pub(crate) type Summaries = [OnceLock<Arc<Summary>>];

/// Room for the summaries of all functions.
pub(crate) fn summaries(program: &Program) -> Box<Summaries> {
    std::iter::repeat_with(OnceLock::new).take(program.functions.len()).collect()
}

/// Defaults that are made of others', at most.
const MAX_DEFAULTS: usize = 4;

/// The analysis of one program: what all threads share.
pub(crate) struct Analysis<'p> {
    pub(crate) program: &'p Program,
    pub(crate) catalog: &'p Catalog,
    pub(crate) matcher: &'p Matcher<'p>,
    pub(crate) contracts: &'p [HandlerContract],
    pub(crate) graph: CallGraph,
    words: StateIndex<'p>,
    /// whether each type of the workspace is an enum with variants that mean outcomes
    outcome_types: Vec<bool>,
    /// what the catalog says of each call
    pub(crate) rows: RowTable<'p>,
    /// the `Default`s that are written out
    defaults: FxHashMap<TypeId, FnId>,
    /// the `From`s by which other types become one
    conversions: FxHashMap<TypeId, Vec<FnId>>,
    summaries: &'p Summaries,
    /// the rule of the catalog that each function's shape meets
    recognised: Vec<Option<&'p HandlerRule>>,
    has_workflows: bool,
    /// middleware that repeats what it is handed
    repeating: FxHashSet<TypeId>,
    makers: Makers,
}

impl<'p> Analysis<'p> {
    pub(crate) fn new(
        program: &'p Program,
        catalog: &'p Catalog,
        matcher: &'p Matcher<'p>,
        contracts: &'p [HandlerContract],
        summaries: &'p Summaries,
    ) -> Self {
        let functions = program.functions.iter();
        let mut recognised: Vec<_> =
            functions.map(|function| handlers::recognised(program, matcher, function)).collect();
        for (function, rule) in registered::registered(program, matcher) {
            recognised[function.0 as usize].get_or_insert(rule);
        }
        let words = StateIndex::new(catalog).of_program(program, &catalog.words);
        let means = |of: Name, variant: Name| words.of_variant(&format!("{of}::{variant}")).is_some();
        let tells = |ty: &TypeInfo| ty.ir.is_enum && ty.ir.variants.iter().any(|variant| means(ty.path, variant.name));
        Self {
            program,
            catalog,
            matcher,
            contracts,
            has_workflows: recognised.iter().flatten().any(|rule| handlers::is_workflow(rule)),
            recognised,
            repeating: repeating::types(program, &catalog.words),
            makers: Makers::default(),
            graph: CallGraph::of(program),
            outcome_types: program.types.iter().map(tells).collect(),
            rows: RowTable::new(program, matcher),
            defaults: methods_of(program, "std::default::Default").collect(),
            conversions: conversions(program),
            words,
            summaries,
        }
    }

    /// Whether a function's summary is there already.
    pub(crate) fn is_done(&self, id: FnId) -> bool {
        self.summaries[id.0 as usize].get().is_some()
    }
}

/// The methods by which types of the workspace implement a trait that has only one.
fn methods_of(program: &Program, of: &'static str) -> impl Iterator<Item = (TypeId, FnId)> {
    (0u32..).zip(&program.functions).filter_map(move |(number, info)| match (&info.self_ty, info.trait_path) {
        (Ty::Adt(id, _), Some(path)) if path.as_str() == of => Some((*id, FnId(number))),
        _ => None,
    })
}

fn conversions(program: &Program) -> FxHashMap<TypeId, Vec<FnId>> {
    let mut found: FxHashMap<TypeId, Vec<FnId>> = FxHashMap::default();
    for (into, id) in methods_of(program, "std::convert::From") {
        found.entry(into).or_default().push(id);
    }
    found
}

/// One thread's part in the analysis.
pub(crate) struct Engine<'p> {
    analysis: &'p Analysis<'p>,
    pub(crate) program: &'p Program,
    pub(crate) catalog: &'p Catalog,
    pub(crate) matcher: &'p Matcher<'p>,
    pub(crate) contracts: &'p [HandlerContract],
    pub(crate) words: &'p StateIndex<'p>,
    /// some function is replayed: what differs between runs is written down
    pub(crate) has_workflows: bool,
    /// what the catalog says of each call
    pub(crate) rows: &'p RowTable<'p>,
    /// summaries of the groups that are being evaluated, and of what was asked for meanwhile: they may still change
    open: FxHashMap<FnId, Arc<Summary>>,
    groups_open: usize,
    constants: FxHashMap<ConstId, Value>,
    /// those that may call what is being evaluated
    open_constants: FxHashMap<ConstId, Value>,
    /// statics that make the setting by which a client acknowledges by itself, and the call that does so
    pub(crate) settings: FxHashMap<ConstId, Name>,
    constants_open: Vec<ConstId>,
    defaults_open: Vec<FnId>,
    depth: usize,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(analysis: &'p Analysis<'p>) -> Self {
        Self {
            analysis,
            program: analysis.program,
            catalog: analysis.catalog,
            matcher: analysis.matcher,
            contracts: analysis.contracts,
            words: &analysis.words,
            has_workflows: analysis.has_workflows,
            rows: &analysis.rows,
            open: FxHashMap::default(),
            groups_open: 0,
            constants: FxHashMap::default(),
            open_constants: FxHashMap::default(),
            settings: FxHashMap::default(),
            constants_open: Vec::new(),
            defaults_open: Vec::new(),
            depth: 0,
        }
    }

    /// Where the types of the workspace are written out.
    pub(crate) fn makers(&self) -> &'p Makers {
        &self.analysis.makers
    }

    /// The workspace's own middleware that repeats what it is handed.
    pub(crate) fn repeating(&self) -> &'p FxHashSet<TypeId> {
        &self.analysis.repeating
    }

    /// The rule of the catalog by which a function is a handler.
    pub(crate) fn recognised(&self, id: FnId) -> Option<&'p HandlerRule> {
        self.analysis.recognised[id.0 as usize]
    }

    /// What the workspace's own `Default` of a type gives. The call graph knows nothing of such a call, so that one which
    /// leads back to itself is cut off here.
    pub(crate) fn default_of(&mut self, id: TypeId) -> Option<Value> {
        let own = *self.analysis.defaults.get(&id)?;
        if self.defaults_open.len() >= MAX_DEFAULTS || self.defaults_open.contains(&own) {
            return None;
        }
        self.defaults_open.push(own);
        let value = self.summary(own).ret.clone();
        self.defaults_open.pop();
        (!value.is_bottom()).then_some(value)
    }

    /// The function by which `?` makes an error of the workspace's own of another one, where only one can be meant. Of an
    /// error that is not known that is the only one there is.
    pub(crate) fn conversion(&self, into: TypeId, from: &Ty) -> Option<FnId> {
        let all = self.analysis.conversions.get(&into)?;
        let of_crate = |path: &Name, root: &Name| path.as_str().split("::").next() == Some(root.as_str());
        let mut fitting = all.iter().filter(|&&id| match (self.program.function(id).params.first(), from) {
            (Some(Ty::External(path, _)), Ty::SomeOf(root)) => of_crate(path, root),
            (Some(_), Ty::Unknown) => true,
            (Some(taken), from) => taken == from,
            (None, _) => false,
        });
        let only = fitting.next()?;
        fitting.next().is_none().then_some(*only)
    }

    /// Whether a type has variants that mean outcomes.
    pub(crate) fn tells_outcome(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Adt(id, _) => self.analysis.outcome_types[id.0 as usize],
            Ty::External(path, _) => path.as_str().ends_with("Error") || self.words.has_variants_of(path.as_str()),
            _ => false,
        }
    }

    /// The summary of a function, where it is there already.
    pub(crate) fn known(&self, id: FnId) -> Option<&Arc<Summary>> {
        self.analysis.summaries[id.0 as usize].get().or_else(|| self.open.get(&id))
    }

    /// The summary of a function.
    pub(crate) fn summary(&mut self, id: FnId) -> Arc<Summary> {
        if let Some(known) = self.known(id) {
            return known.clone();
        }
        if self.depth >= MAX_DEPTH {
            let kind = Kind::Opaque(Name::new("calls nested too deep to follow"));
            let ret = Value::atom(Atom::new(kind, Entered::Elsewhere, Trail::default()));
            return Arc::new(Summary { ret, ..Summary::default() });
        }
        self.depth += 1;
        let group = self.analysis.graph.cycle(id);
        let summary = match group.is_empty() {
            true => {
                let summary = Arc::new(self.evaluate(id));
                self.keep(id, summary)
            }
            false => self.fixpoint(id, group),
        };
        self.depth -= 1;
        summary
    }

    /// Evaluates functions that call each other until nothing changes.
    fn fixpoint(&mut self, id: FnId, group: &[FnId]) -> Arc<Summary> {
        self.groups_open += 1;
        for &member in group {
            self.open.insert(member, Arc::default());
        }
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for &member in group {
                self.open_constants.clear();
                let new = Arc::new(self.evaluate(member));
                let old = self.open.insert(member, new.clone());
                changed |= old.is_none_or(|old| !same_summary(&old, &new));
            }
            if !changed {
                break;
            }
        }
        self.groups_open -= 1;
        if self.groups_open == 0 {
            // What was asked for meanwhile was told of functions that had changed since: it is made again when needed.
            let mut open = std::mem::take(&mut self.open);
            self.open_constants.clear();
            for &member in group {
                let summary = open.remove(&member).unwrap_or_default();
                self.keep(member, summary);
            }
        }
        self.summary(id)
    }

    /// Keeps a summary: for good, unless a group is open on whose functions it may depend.
    fn keep(&mut self, id: FnId, summary: Arc<Summary>) -> Arc<Summary> {
        match self.groups_open {
            0 => self.analysis.summaries[id.0 as usize].get_or_init(|| summary).clone(),
            _ => {
                self.open.insert(id, summary.clone());
                summary
            }
        }
    }

    fn evaluate(&mut self, id: FnId) -> Summary {
        let program = self.program;
        let info = program.function(id);
        let Some(body) = info.ir.body.as_deref() else {
            let reason = Name::new("a function without a body");
            let span = crate::source::Span::new(info.file, info.ir.name_range);
            let atom = Atom::new(Kind::Opaque(reason), Entered::Elsewhere, Trail::start(span, reason.as_str()));
            return Summary { ret: Value::atom(atom), ..Summary::default() };
        };
        let mut eval = Eval::new(self, Owner::Function(id), info.file, body, &info.types);
        let params: Vec<Value> = (0..info.ir.params.len())
            .map(|at| {
                let kind = Kind::Param(at as u32, FieldPath::whole());
                let value = Value::atom(Atom::new(kind, Entered::Here(Regions::none()), Trail::default()));
                super::handed::of_param(eval.engine, info, at, value)
            })
            .collect();
        for (param, value) in info.ir.params.iter().zip(&params) {
            if let Some(pat) = param.pat {
                eval.bind(pat, value);
            }
        }
        let before = eval.state.locals.clone();
        let ret = eval.run();
        let mut outs = Vec::new();
        for (at, param) in info.ir.params.iter().enumerate() {
            let Some(crate::ir::PatKind::Bind { local, .. }) = param.pat.map(|pat| &body.pat(pat).kind) else {
                continue;
            };
            let after = &eval.state.locals[local.0 as usize];
            if !after.is_bottom() && !same_value(after, &before[local.0 as usize]) {
                let filled = eval.filled.contains(local);
                outs.push(Out { param: at as u32, value: after.clone(), filled });
            }
        }
        super::dispatch::returned(&mut eval, &ret);
        let mut uses: Vec<Use> = std::mem::take(&mut eval.uses).into_values().collect();
        uses.truncate(MAX_USES);
        super::shared::mark_ways(&mut uses);
        // They stay until the last function is told.
        eval.events.shrink_to_fit();
        super::call::around::settle(&mut eval.param_calls, &eval.events);
        eval.without_questions();
        eval.conditions.shrink_to_fit();
        Summary {
            ret,
            outs,
            uses,
            handed_keys: std::mem::take(&mut eval.handed_keys),
            param_calls: std::mem::take(&mut eval.param_calls),
            sent: std::mem::take(&mut eval.sent),
            literals: std::mem::take(&mut eval.literals),
            unresolved: eval.unresolved,
            shared: std::mem::take(&mut eval.shared),
            spawned: {
                eval.spawned.sort_unstable();
                eval.spawned.dedup();
                std::mem::take(&mut eval.spawned)
            },
            events: std::mem::take(&mut eval.events),
            conditions: std::mem::take(&mut eval.conditions),
            given: std::mem::take(&mut eval.given),
            told: super::outcome::told(&eval),
            made: super::outcome::made::told(&mut eval, info),
            hidden: std::mem::take(&mut eval.hidden),
            failing: std::mem::take(&mut eval.failing),
        }
    }

    /// The value of a constant or static.
    pub(crate) fn constant(&mut self, id: ConstId) -> Value {
        if let Some(known) = self.constants.get(&id).or_else(|| self.open_constants.get(&id)) {
            return known.clone();
        }
        let program = self.program;
        let info = &program.consts[id.0 as usize];
        let fixed = Value::atom(Atom::new(Kind::Constant(Some(info.path)), Entered::Elsewhere, Trail::default()));
        let Some(body) = info.ir.body.as_deref() else {
            return fixed;
        };
        // Of constants that are made of each other only the one that was asked for is looked into.
        let graph = &self.analysis.graph;
        let is_circular = self.constants_open.iter().any(|&open| graph.of_constant(open) == graph.of_constant(id));
        if is_circular || self.depth >= MAX_DEPTH {
            return fixed;
        }
        self.constants_open.push(id);
        self.depth += 1;
        let mut eval = Eval::new(self, Owner::Constant(id), info.file, body, &info.types);
        let value = eval.run();
        self.depth -= 1;
        self.constants_open.pop();
        // What is spelled out in full is fixed when it is compiled, whatever macro reads it: `uuid!("…")`.
        if is_spelled_out(body) && value.atoms().any(|atom| matches!(atom.kind, Kind::Opaque(_))) {
            return fixed;
        }
        // What a static is initialised with is made once for the process, and by no other.
        let value = value.map_atoms(&mut |atom| {
            let remembered = atom.remembered || made(&atom.kind);
            Atom { entered: Entered::Elsewhere, remembered, ..atom.clone() }
        });
        let value = if value.text().is_some() { value } else { value.join(&Value::bottom()) };
        let value = if value.is_bottom() { fixed } else { value };
        let known = if self.groups_open == 0 { &mut self.constants } else { &mut self.open_constants };
        known.insert(id, value.clone());
        value
    }

    /// The functions that call this one, test code left out.
    pub(crate) fn callers(&self, id: FnId) -> &[FnId] {
        self.analysis.graph.callers(id)
    }

    /// Whether nobody calls a function but itself and those that it calls in turn.
    pub(crate) fn is_root(&self, id: FnId) -> bool {
        let cycle = self.analysis.graph.cycle(id);
        self.callers(id).iter().all(|caller| cycle.contains(caller))
    }
}

/// Whether a constant is a macro or call with nothing but literals in it. What names something else may run later, as in
/// `LazyLock::new(make)`.
fn is_spelled_out(body: &Body) -> bool {
    let root = body.expr(body.root);
    let is_literal = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Literal(_) | ExprKind::Array(_));
    match &root.kind {
        ExprKind::Macro(call) => !call.args.is_empty() && call.args.iter().all(is_literal),
        ExprKind::Call { args, .. } => !args.is_empty() && args.iter().all(is_literal),
        _ => false,
    }
}

fn same_summary(a: &Summary, b: &Summary) -> bool {
    same_value(&a.ret, &b.ret)
        && a.outs.len() == b.outs.len()
        && a.outs
            .iter()
            .zip(&b.outs)
            .all(|(a, b)| (a.param, a.filled) == (b.param, b.filled) && same_value(&a.value, &b.value))
        && a.uses.len() == b.uses.len()
        && a.uses.iter().zip(&b.uses).all(|(a, b)| same_value(&a.key, &b.key))
        && a.param_calls.len() == b.param_calls.len()
        && a.sent.len() == b.sent.len()
        && a.hidden == b.hidden
        && a.failing == b.failing
}
