//! Dispatches on their way up: a use of a key as one function sees it, before all of it is known.
//!
//! A [`Use`] is made where a call acts. Each caller takes it over with its own arguments in place of the parameters, and
//! checks its own scopes, until nothing is open or nobody is left to ask.

use std::sync::Arc;

use super::dispatch::method::Asked;
use super::events::Role;
use super::sources::Sources;
use super::value::{Alt, Atom, CallContext, Entered, Kind, Later, Value, made};
use super::{Recognition, RepeatScope, replaced};
use crate::catalog::WithoutKey;
use crate::findings::Confidence;
use crate::ir::{ExprId, Name};
use crate::resolve::FnId;
use crate::source::Span;

/// Calls between a dispatch and the function that looks at it, at most.
pub(crate) const MAX_LIFT: usize = 8;

/// A dispatch in one function: the place that acts and the calls that lead there.
pub(crate) type UseKey = (Span, Option<Span>, Vec<Span>);

/// A dispatch as one function sees it.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) site: Span,
    /// where the call that acts stands
    pub(crate) function: FnId,
    pub(crate) call: Name,
    pub(crate) provider: Option<Name>,
    /// row of the catalog's dispatches
    pub(crate) row: Option<u32>,
    pub(crate) recognition: Recognition,
    pub(crate) without_key: WithoutKey,
    pub(crate) harmless: bool,
    /// bottom where the call cannot carry a key
    pub(crate) key: Value,
    pub(crate) position: Option<Span>,
    /// headers and requests of the caller in which the key may stand
    pub(crate) carried: Vec<Value>,
    /// bodies of the caller in which it may stand
    pub(crate) bodies: Vec<Value>,
    /// it was only handed over to be sent, and nobody waits for the target's own answer
    pub(crate) handed_over: bool,
    /// a like call beside it carries a key
    pub(crate) sibling_keyed: bool,
    /// the client
    pub(crate) receiver: Later,
    /// how long the request may take by its own timeout
    pub(crate) lasts: Sources,
    /// what tells one operation from another: address, name of the call
    pub(crate) operation: Later,
    /// whether it does harm is a caller's to say, who says the method of HTTP
    pub(crate) asked: Option<Arc<Asked>>,
    /// the name of the procedure that is asked for, where the request says one: that of JSON-RPC
    pub(crate) procedure: Value,
    /// everything that goes along
    pub(crate) sent: Later,
    pub(crate) repeat: Option<Arc<RepeatScope>>,
    /// it runs in a task of its own, and whoever calls the function that starts it hears nothing of its outcome
    pub(crate) alone: bool,
    /// a call that leads to it may mean one of several functions: which one, the source does not say
    pub(crate) chosen: bool,
    /// its key stands in a field of a value that nobody is seen to send
    pub(crate) kept: bool,
    /// it is one only where a caller gives it and it is made up otherwise: an id, by its name
    pub(crate) loose: bool,
    /// calls from the function that looks down to the dispatch
    pub(crate) calls: Vec<Span>,
    /// loops over collections around it, in the function that looks
    pub(crate) each: Vec<ExprId>,
    /// branches around it, in the function that looks
    pub(crate) branches: Vec<(ExprId, u32)>,
}

/// A value that goes into a scope: of what is made in it, whether each attempt makes another. The memory of the process lasts
/// over attempts that it makes itself, but the next one may be that of another process.
fn made_in(value: &Value, region: ExprId, scope: &Arc<RepeatScope>, same_process: bool) -> Value {
    value.map_atoms(&mut |atom| {
        let mut atom = atom.clone();
        if made(&atom.kind) && atom.inside.is_none() {
            match &atom.entered {
                Entered::Here(regions) if regions.contains(&region) && !(same_process && atom.remembered) => {
                    atom.inside = Some(scope.clone())
                }
                _ => atom.outside = true,
            }
        }
        atom
    })
}

impl Use {
    /// What is made in the rounds of a loop around it is made anew each time that one of them comes back.
    pub(crate) fn made_in_round(&mut self, round: ExprId, scope: &Arc<RepeatScope>) {
        if self.each.contains(&round) {
            self.key = made_in(&self.key, round, scope, false);
        }
    }
}

/// A value that is handed to something which runs in these scopes.
pub(crate) fn handed_in(value: &Value, scopes: Scopes<'_>) -> Value {
    let mut value = value.clone();
    for region in scopes.iter().rev() {
        if let Some(scope) = &region.repeat {
            value = made_in(&value, region.id, scope, true);
        }
    }
    value
}

/// A dispatch below a handler, as one who calls the handler sees it: only the key counts that is handed over.
#[derive(Clone, Debug)]
pub(crate) struct HandedKey {
    /// the handler
    pub(crate) handler: FnId,
    /// the dispatch
    pub(crate) below: Use,
}

/// The call over which a caller takes a dispatch over.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// the call
    pub(crate) at: Span,
    /// the caller hears what came of the dispatch
    pub(crate) heard: bool,
    /// the call may mean one of several functions
    pub(crate) chosen: bool,
    /// what is asked for is said in the call
    pub(crate) asks: bool,
}

/// A scope of the function under analysis, innermost last.
pub(crate) type Scopes<'a> = &'a [super::eval::Region];

impl Use {
    pub(crate) fn key_of_map(&self) -> UseKey {
        (self.site, self.position, self.calls.clone())
    }

    /// Checks the scopes of the function that looks, innermost first: what was made inside one is made anew each time.
    pub(crate) fn settle(&mut self, scopes: Scopes<'_>) {
        // What is alone is not repeated for want of its answer; and what is put together far below a loop may be anything
        // but the request that the loop repeats.
        let mut heard = self.calls.is_empty() || !self.alone && self.recognition != Recognition::FreeStanding;
        for region in scopes.iter().rev() {
            // Nor does a loop hear of what it only starts.
            heard &= region.role != Role::Spawned { dropped: true };
            let Some(scope) = &region.repeat else {
                continue;
            };
            if self.repeat.is_none() && heard {
                // Far below, one of several things that may be done is seldom what a loop is about.
                let far = self.chosen && self.calls.len() > 1 && self.is_keyless();
                self.repeat = Some(match far {
                    true => Arc::new(RepeatScope { confidence: Confidence::Possible, ..RepeatScope::clone(scope) }),
                    false => scope.clone(),
                });
            }
            self.key = made_in(&self.key, region.id, scope, true);
        }
        self.each = scopes.iter().filter(|region| region.is_each()).map(|region| region.id).collect();
    }

    /// The use as the caller sees it.
    pub(crate) fn lift(&self, call: &CallContext, way: Way, scopes: Scopes<'_>, branches: &[(ExprId, u32)]) -> Self {
        let mut lifted = self.clone();
        lifted.key = self.key.substitute(call);
        lifted.carried = self.carried.iter().map(|value| value.substitute(call)).collect();
        lifted.bodies = self.bodies.iter().map(|value| value.substitute(call)).collect();
        lifted.receiver = self.receiver.substitute(call);
        lifted.operation = self.operation.substitute(call);
        lifted.asked = self.asked.as_ref().map(|asked| asked.substitute(call));
        lifted.procedure = self.procedure.substitute(call);
        lifted.sent = self.sent.substitute_flat(call);
        lifted.calls.insert(0, way.at);
        lifted.alone |= !way.heard;
        lifted.chosen |= way.chosen;
        lifted.branches = branches.to_vec();
        // Whoever says what is asked for makes the request, whichever function sends it.
        if way.asks {
            lifted.mark_per_call();
        }
        lifted.settle(scopes);
        lifted
    }

    /// Whether a caller could still change what is known.
    pub(crate) fn is_open(&self) -> bool {
        if self.calls.len() >= MAX_LIFT || self.loose && replaced::is_settled(self) {
            return false;
        }
        if self.asked.is_some() || !self.carried.is_empty() || !self.bodies.is_empty() {
            return true;
        }
        let mut made_inside = false;
        let mut made_open = false;
        for atom in self.key.atoms() {
            match &atom.kind {
                Kind::Param(..) | Kind::AbsentIf(..) => return true,
                kind if made(kind) => match atom.inside {
                    Some(_) => made_inside = true,
                    None => made_open = true,
                },
                _ => {}
            }
        }
        if made_inside {
            return false;
        }
        made_open || self.is_keyless() && self.repeat.is_none()
    }

    /// Whether no key goes with the call on some path.
    pub(crate) fn is_keyless(&self) -> bool {
        self.key.is_bottom() || self.key.may_be_absent()
    }

    /// Whether nothing but empty text is its key on some path.
    pub(crate) fn may_be_empty(&self) -> bool {
        let fixed = |atom: &Atom| matches!(atom.kind, Kind::Constant(_) | Kind::Empty);
        alternatives(&self.key)
            .iter()
            .any(|alt| alt.atoms.iter().all(fixed) && alt.atoms.iter().any(|atom| atom.kind == Kind::Empty))
    }

    /// Whether its key is made anew for each call of the function that builds the request.
    pub(crate) fn is_made_per_call(&self) -> bool {
        self.key.atoms().any(|atom| atom.per_call && !atom.outside)
    }

    /// Marks what was made in the function that builds the request.
    pub(crate) fn mark_per_call(&mut self) {
        self.key = self.key.map_atoms(&mut |atom| Atom {
            per_call: atom.per_call || made(&atom.kind) && matches!(atom.entered, Entered::Here(_)),
            ..atom.clone()
        });
    }
}

/// Joins what the same dispatch looks like on a second way through the function.
pub(crate) fn merge(old: &Use, mut new: Use) -> Use {
    new.repeat = new.repeat.or_else(|| old.repeat.clone());
    if !old.key.is_bottom() && new.key.is_bottom() {
        new.key = old.key.clone();
    }
    new.sibling_keyed |= old.sibling_keyed;
    new.handed_over &= old.handed_over;
    new
}

/// The flat key, alternative by alternative.
pub(crate) fn alternatives(key: &Value) -> Vec<Alt> {
    key.flat().alts.to_vec()
}
