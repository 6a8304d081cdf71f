//! Who calls whom: the order in which functions can be evaluated, callees first.
//!
//! In: the resolved program. Out: a graph over functions and constants (whose values call functions, too), its strongly
//! connected components in an order in which callees come before their callers, and the callers of each function.

use super::rows::MAX_TARGETS;
use crate::ir::{ExprId, ExprKind, Name};
use crate::resolve::{BodyTypes, Callee, ConstId, FnId, Program, ValueDef};

/// The static call graph.
pub(crate) struct CallGraph {
    callers: Vec<Vec<FnId>>,
    /// by node: its component
    component: Vec<u32>,
    components: Vec<Component>,
}

/// Functions that call each other, or one function or constant alone.
struct Component {
    functions: Vec<FnId>,
    /// a function here may be called again while it is evaluated
    is_cycle: bool,
    /// components that are called from here, each once
    callees: Vec<u32>,
}

impl CallGraph {
    pub(crate) fn of(program: &Program) -> Self {
        let functions = program.functions.len();
        let mut callers = vec![Vec::new(); functions];
        let mut edges: Vec<Vec<u32>> = Vec::with_capacity(functions + program.consts.len());
        for function in &program.functions {
            let mut followed = mentioned(functions, &function.types);
            // what `unwrap_or_default` calls is written nowhere
            if let Some(body) = function.ir.body.as_deref() {
                for (number, expr) in body.exprs.iter().enumerate() {
                    if matches!(&expr.kind, ExprKind::MethodCall(call) if call.name == "unwrap_or_default") {
                        let ty = function.types.ty(ExprId(number as u32));
                        followed.extend(program.method(ty, Name::new("default")).iter().map(|id| id.0));
                    }
                }
            }
            edges.push(followed);
        }
        edges.extend(program.consts.iter().map(|constant| mentioned(functions, &constant.types)));
        for followed in &mut edges {
            followed.sort_unstable();
            followed.dedup();
        }
        for (at, caller) in program.functions.iter().enumerate().filter(|(_, caller)| !caller.test) {
            for &callee in &edges[at] {
                // What a library is shown to be used for in an example says nothing of how it is used.
                let counts = program.functions.get(callee as usize).is_some_and(|of| !caller.example || of.example);
                if counts {
                    callers[callee as usize].push(FnId(at as u32));
                }
            }
        }
        let mut component = vec![0; edges.len()];
        let mut components = Vec::new();
        for nodes in strongly_connected(&edges) {
            let number = components.len() as u32;
            nodes.iter().for_each(|&node| component[node as usize] = number);
            let called = || nodes.iter().flat_map(|&node| &edges[node as usize]).copied();
            let mut callees: Vec<u32> = called().map(|node| component[node as usize]).collect();
            let is_cycle = nodes.len() > 1 || callees.contains(&number);
            callees.retain(|&callee| callee != number);
            callees.sort_unstable();
            callees.dedup();
            let functions = nodes.into_iter().filter(|&node| (node as usize) < functions).map(FnId).collect();
            components.push(Component { functions, is_cycle, callees });
        }
        Self { callers, component, components }
    }

    /// The functions that call this one and follow what it does, test code left out, and what calls a library in an example.
    pub(crate) fn callers(&self, id: FnId) -> &[FnId] {
        &self.callers[id.0 as usize]
    }

    /// The functions that are evaluated together with this one, if it can be called while it is evaluated.
    pub(crate) fn cycle(&self, id: FnId) -> &[FnId] {
        let component = &self.components[self.component_of(id) as usize];
        if component.is_cycle { &component.functions } else { &[] }
    }

    /// The component that a function is in. Callees have lower numbers than their callers.
    pub(crate) fn component_of(&self, id: FnId) -> u32 {
        self.component[id.0 as usize]
    }

    /// The component that a constant is in.
    pub(crate) fn of_constant(&self, id: ConstId) -> u32 {
        self.component[self.callers.len() + id.0 as usize]
    }

    /// The functions of a component.
    pub(crate) fn functions(&self, component: u32) -> &[FnId] {
        &self.components[component as usize].functions
    }

    /// The components that a component calls.
    pub(crate) fn callees(&self, component: u32) -> &[u32] {
        &self.components[component as usize].callees
    }

    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }
}

/// The functions and constants that a body calls or names, as far as its evaluation follows them: of a method with very many
/// implementations nobody is told what comes of the last ones but where they stand.
fn mentioned(functions: usize, types: &BodyTypes) -> Vec<u32> {
    let called = types.callees.iter().filter_map(|(_, callee)| match callee {
        Callee::Functions(ids) => Some(ids),
        _ => None,
    });
    let named = types.paths.iter().filter_map(|(_, def)| match def {
        ValueDef::Functions(ids) => Some(ids),
        _ => None,
    });
    let mut followed: Vec<u32> =
        called.chain(named).flat_map(|ids| ids.iter().take(MAX_TARGETS)).map(|id| id.0).collect();
    for (_, def) in &types.paths {
        if let ValueDef::Consts(ids) = def {
            followed.extend(ids.iter().map(|id| functions as u32 + id.0));
        }
    }
    followed
}

/// Strongly connected components (Tarjan, without recursion), members sorted, callees first.
fn strongly_connected(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
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
