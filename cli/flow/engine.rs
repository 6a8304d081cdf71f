//! Summaries of functions, made on demand, recursion taken to a fixpoint.
//!
//! A summary says what a function returns and which dispatches stand below it, in terms of its parameters. Groups of
//! functions that call each other are evaluated together, from nothing, until nothing changes; so the result does not
//! depend on which of them was asked for first.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::eval::Eval;
use super::events::Event;
use super::outcome::Condition;
use super::rows::RowTable;
use super::uses::Use;
use super::value::{Atom, Entered, Kind, Owner, Record, Regions, Trail, Value, same_value};
use super::words::StateIndex;
use super::{RepeatScope, handlers};
use crate::catalog::{Catalog, HandlerRule, Matcher};
use crate::contracts::HandlerContract;
use crate::ir::Name;
use crate::resolve::{Callee, ConstId, FnId, Program, TypeId, ValueDef};

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
    /// parameters that the function changes, with what they hold afterwards
    pub(crate) outs: Vec<(u32, Value)>,
    pub(crate) uses: Vec<Use>,
    /// parameters that are called, and whether again and again
    pub(crate) param_calls: Vec<(u32, Option<Arc<RepeatScope>>)>,
    /// struct literals in the body
    pub(crate) literals: Vec<(TypeId, Record)>,
    pub(crate) unresolved: usize,
    /// parameters that run in a task whose handle nobody holds
    pub(crate) spawned: Vec<u32>,
    /// keys fixed on clients
    pub(crate) shared: Vec<super::SharedKey>,
    /// what happens, in order
    pub(crate) events: Vec<Event>,
    /// what is left of outcomes in the branches of this function and of those below it
    pub(crate) conditions: Vec<Condition>,
}

/// The analysis of one program.
pub(crate) struct Engine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) catalog: &'p Catalog,
    pub(crate) matcher: &'p Matcher<'p>,
    pub(crate) contracts: &'p [HandlerContract],
    pub(crate) words: StateIndex<'p>,
    /// some function is replayed: what differs between runs is written down
    pub(crate) has_workflows: bool,
    /// what the catalog says of each call
    pub(crate) rows: RowTable<'p>,
    summaries: Vec<Option<Rc<Summary>>>,
    groups: Groups,
    constants: HashMap<ConstId, Value>,
    constants_open: Vec<ConstId>,
    depth: usize,
    /// the rule of the catalog that each function's shape meets, asked for at every call of it
    recognised: Vec<OnceCell<Option<&'p HandlerRule>>>,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        catalog: &'p Catalog,
        matcher: &'p Matcher<'p>,
        contracts: &'p [HandlerContract],
    ) -> Self {
        let mut engine = Self {
            program,
            catalog,
            matcher,
            contracts,
            words: StateIndex::new(catalog),
            has_workflows: false,
            rows: RowTable::new(program, matcher),
            summaries: vec![None; program.functions.len()],
            groups: Groups::of(program),
            constants: HashMap::new(),
            constants_open: Vec::new(),
            depth: 0,
            recognised: vec![OnceCell::new(); program.functions.len()],
        };
        engine.has_workflows = (0..program.functions.len() as u32).any(|id| handlers::is_workflow(&engine, FnId(id)));
        engine
    }

    /// The rule of the catalog by which a function is a handler.
    pub(crate) fn recognised(&self, id: FnId) -> Option<&'p HandlerRule> {
        *self.recognised[id.0 as usize].get_or_init(|| handlers::recognised(self, id))
    }

    /// The summary of a function.
    pub(crate) fn summary(&mut self, id: FnId) -> Rc<Summary> {
        if let Some(known) = &self.summaries[id.0 as usize] {
            return known.clone();
        }
        if self.depth >= MAX_DEPTH {
            let kind = Kind::Opaque(Name::new("calls nested too deep to follow"));
            let ret = Value::atom(Atom::new(kind, Entered::Elsewhere, Trail::default()));
            return Rc::new(Summary { ret, ..Summary::default() });
        }
        self.depth += 1;
        let group = self.groups.members(id);
        if group.is_empty() {
            let summary = Rc::new(self.evaluate(id));
            self.summaries[id.0 as usize] = Some(summary);
        } else {
            for &member in &group {
                self.summaries[member.0 as usize] = Some(Rc::default());
            }
            for _ in 0..MAX_ROUNDS {
                let mut changed = false;
                for &member in &group {
                    let new = self.evaluate(member);
                    let old = self.summaries[member.0 as usize].replace(Rc::new(new.clone()));
                    changed |= old.is_none_or(|old| !same_summary(&old, &new));
                }
                if !changed {
                    break;
                }
            }
        }
        self.depth -= 1;
        self.summaries[id.0 as usize].clone().unwrap_or_default()
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
        let here: Regions = Arc::from([]);
        let mut eval = Eval::new(self, Owner::Function(id), info.file, body, &info.types);
        let params: Vec<Value> = (0..info.ir.params.len())
            .map(|at| {
                let kind = Kind::Param(at as u32, Vec::new());
                Value::atom(Atom::new(kind, Entered::Here(here.clone()), Trail::default()))
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
                outs.push((at as u32, after.clone()));
            }
        }
        super::dispatch::returned(&mut eval, &ret);
        let mut uses: Vec<Use> = std::mem::take(&mut eval.uses).into_values().collect();
        uses.truncate(MAX_USES);
        Summary {
            ret,
            outs,
            uses,
            param_calls: std::mem::take(&mut eval.param_calls),
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
        }
    }

    /// The value of a constant or static.
    pub(crate) fn constant(&mut self, id: ConstId) -> Value {
        if let Some(known) = self.constants.get(&id) {
            return known.clone();
        }
        let program = self.program;
        let info = &program.consts[id.0 as usize];
        let fixed = Value::atom(Atom::new(Kind::Constant(Some(info.path)), Entered::Elsewhere, Trail::default()));
        let Some(body) = info.ir.body.as_deref() else {
            return fixed;
        };
        if self.constants_open.contains(&id) || self.depth >= MAX_DEPTH {
            return fixed;
        }
        self.constants_open.push(id);
        self.depth += 1;
        let mut eval = Eval::new(self, Owner::Constant(id), info.file, body, &info.types);
        let value = eval.run();
        self.depth -= 1;
        self.constants_open.pop();
        // What a static is initialised with is made once for the process.
        let value = value.map_atoms(&mut |atom| Atom { entered: Entered::Elsewhere, ..atom.clone() });
        let value = if value.text().is_some() { value } else { value.join(&Value::bottom()) };
        let value = if value.is_bottom() { fixed } else { value };
        self.constants.insert(id, value.clone());
        value
    }

    /// The functions that call this one, test code left out.
    pub(crate) fn callers(&self, id: FnId) -> &[FnId] {
        &self.groups.callers[id.0 as usize]
    }
}

fn same_summary(a: &Summary, b: &Summary) -> bool {
    same_value(&a.ret, &b.ret)
        && a.outs.len() == b.outs.len()
        && a.outs.iter().zip(&b.outs).all(|(a, b)| a.0 == b.0 && same_value(&a.1, &b.1))
        && a.uses.len() == b.uses.len()
        && a.uses.iter().zip(&b.uses).all(|(a, b)| same_value(&a.key, &b.key))
        && a.param_calls.len() == b.param_calls.len()
}

/// The static call graph and its cycles.
struct Groups {
    /// number of the cycle a function is in; `u32::MAX` for none
    number: Vec<u32>,
    members: Vec<Vec<FnId>>,
    callers: Vec<Vec<FnId>>,
}

impl Groups {
    fn of(program: &Program) -> Self {
        let callees: Vec<Vec<u32>> = program
            .functions
            .iter()
            .map(|function| {
                let types = &function.types;
                let called = types.callees.iter().filter_map(|(_, callee)| match callee {
                    Callee::Functions(ids) => Some(ids),
                    _ => None,
                });
                let named = types.paths.iter().filter_map(|(_, def)| match def {
                    ValueDef::Functions(ids) => Some(ids),
                    _ => None,
                });
                let mut ids: Vec<u32> = called.chain(named).flatten().map(|id| id.0).collect();
                ids.sort_unstable();
                ids.dedup();
                ids
            })
            .collect();
        let mut callers = vec![Vec::new(); callees.len()];
        for (caller, callees) in callees.iter().enumerate() {
            if program.functions[caller].test {
                continue;
            }
            for &callee in callees {
                callers[callee as usize].push(FnId(caller as u32));
            }
        }
        let mut number = vec![u32::MAX; callees.len()];
        let mut members = Vec::new();
        for component in components(&callees) {
            if component.len() > 1 || callees[component[0] as usize].contains(&component[0]) {
                for &function in &component {
                    number[function as usize] = members.len() as u32;
                }
                members.push(component.into_iter().map(FnId).collect());
            }
        }
        Self { number, members, callers }
    }

    fn members(&self, id: FnId) -> Vec<FnId> {
        match self.number[id.0 as usize] {
            u32::MAX => Vec::new(),
            number => self.members[number as usize].clone(),
        }
    }
}

/// Strongly connected components (Tarjan, without recursion), members sorted.
fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
    let (mut on_stack, mut stack, mut out) = (vec![false; count], Vec::new(), Vec::new());
    let mut next = 0u32;
    for root in 0..count as u32 {
        if index[root as usize] != UNSEEN {
            continue;
        }
        let mut work = vec![(root, 0usize)];
        while let Some((node, edge)) = work.pop() {
            let at = node as usize;
            if edge == 0 {
                index[at] = next;
                low[at] = next;
                next += 1;
                stack.push(node);
                on_stack[at] = true;
            }
            if let Some(&target) = edges[at].get(edge) {
                work.push((node, edge + 1));
                if index[target as usize] == UNSEEN {
                    work.push((target, 0));
                } else if on_stack[target as usize] {
                    low[at] = low[at].min(index[target as usize]);
                }
                continue;
            }
            if low[at] == index[at] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                out.push(component);
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
        }
    }
    out
}
