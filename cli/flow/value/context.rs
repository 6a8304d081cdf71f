//! A call, as far as the values that cross it are concerned.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Alt, Atom, Entered, FieldPath, Kind, Regions, Trail, Value, notable};
use crate::ir::Name;
use crate::source::Span;

/// What a caller puts in the place of what a callee speaks of.
#[derive(Debug)]
pub(super) struct Passed {
    /// arguments, the receiver first where there is one
    args: Vec<Value>,
    /// arguments that come out in another order each time they are serialised, with that order
    orders: Vec<(u32, Value)>,
    /// regions around the call
    regions: Regions,
    /// step to add to what comes out of the callee
    step: Option<(Span, Note)>,
}

/// The words of a step on the way out of a callee. They are put together where they are asked for, which is seldom.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    /// these
    Words(&'static str),
    /// what a function of this name gives
    Returned(Name),
}

/// A call, with what came of the values that crossed it.
pub(crate) struct CallContext {
    pub(super) passed: Arc<Passed>,
    /// the words of its step
    note: OnceCell<Name>,
    /// values that were substituted: what is shared stays shared
    done: RefCell<Substituted>,
    /// parts of arguments, by what was asked for
    parts: RefCell<FxHashMap<(u32, FieldPath), Value>>,
    /// arguments seen as a whole, by what was asked for: each event of a callee asks for them again
    flat: RefCell<FxHashMap<(u32, FieldPath), Value>>,
}

/// What came of values, by the place of their alternatives and their depth. The alternatives are kept, so that nothing else
/// comes to stand there.
type Substituted = FxHashMap<(*const Alt, usize), (Arc<[Alt]>, Value)>;

impl CallContext {
    pub(crate) fn new(args: Vec<Value>, regions: Regions, step: Option<(Span, Note)>) -> Self {
        Self::again(Arc::new(Passed { args, orders: Vec::new(), regions, step }))
    }

    /// The same call, some of whose arguments have no order of their own.
    pub(crate) fn with_orders(mut self, orders: Vec<(u32, Value)>) -> Self {
        if let Some(passed) = Arc::get_mut(&mut self.passed) {
            passed.orders = orders;
        }
        self
    }

    /// The order in which an argument comes out as a whole when it is serialised, where that differs from run to run.
    pub(crate) fn order(&self, index: u32, path: FieldPath) -> Option<&Value> {
        let mut orders = self.passed.orders.iter().filter(|_| path.is_empty());
        orders.find(|(param, _)| *param == index).map(|(_, order)| order)
    }

    /// The same call, of which no value has been asked for yet.
    pub(super) fn again(passed: Arc<Passed>) -> Self {
        let (note, done, parts, flat) = Default::default();
        Self { passed, note, done, parts, flat }
    }

    /// A value that was substituted before, or what `work` makes of it.
    pub(super) fn once(&self, alts: &Arc<[Alt]>, depth: usize, work: impl FnOnce() -> Value) -> Value {
        let key = (alts.as_ptr(), depth);
        if let Some((_, known)) = self.done.borrow().get(&key) {
            return known.clone();
        }
        let value = work();
        self.done.borrow_mut().insert(key, (alts.clone(), value.clone()));
        value
    }

    /// Whether an atom is for the caller what it is for the callee.
    pub(super) fn leaves(&self, atom: &Atom) -> bool {
        !matches!(atom.kind, Kind::Param(..) | Kind::AbsentIf(..))
            && (atom.entered == Entered::Elsewhere || atom.entered == Entered::Here(self.passed.regions))
            && (self.passed.step.is_none() || !notable(&atom.kind))
    }

    /// An atom that is no parameter, as the caller sees it.
    pub(super) fn taken_over(&self, atom: &Atom) -> Atom {
        let mut atom = atom.clone();
        if let Entered::Here(_) = atom.entered {
            atom.entered = Entered::Here(self.passed.regions);
        }
        if let (Some((span, note)), true) = (self.passed.step, notable(&atom.kind)) {
            let words = self.note.get_or_init(|| match note {
                Note::Words(words) => Name::new(words),
                Note::Returned(by) => Name::new(&format!("returned by `{by}`")),
            });
            atom.trail = atom.trail.then_named(span, || *words);
        }
        atom
    }

    /// An argument as a whole.
    pub(super) fn flat_argument(&self, index: u32, path: FieldPath) -> Value {
        let key = (index, path);
        if let Some(known) = self.flat.borrow().get(&key) {
            return known.clone();
        }
        let value = self.argument(index, path).flat();
        self.flat.borrow_mut().insert(key, value.clone());
        value
    }

    /// A part of an argument.
    pub(crate) fn argument(&self, index: u32, path: FieldPath) -> Value {
        if path.is_empty() {
            return self.whole_argument(index);
        }
        let key = (index, path);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let value = path.iter().fold(self.whole_argument(index), |value, &name| value.field(name));
        self.parts.borrow_mut().insert(key, value.clone());
        value
    }

    fn whole_argument(&self, index: u32) -> Value {
        let Some(value) = self.passed.args.get(index as usize) else {
            let reason = Kind::Opaque(Name::new("an argument that the call does not show"));
            return Value::atom(Atom::new(reason, Entered::Elsewhere, Trail::default()));
        };
        value.clone()
    }
}
