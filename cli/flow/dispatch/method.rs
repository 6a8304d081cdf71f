//! Requests whose method is a caller's to say: `request(method, path, body)` of a service's own client. Until somebody
//! says it, nobody knows whether they act.
//!
//! In: the method and the address of such a request, as the function sees them that sends it. Out: at a call that says the
//! method, whether the request acts there, asks, or states what there is to be.

use std::sync::Arc;

use super::super::address;
use super::super::choices::Taken;
use super::super::eval::Eval;
use super::super::events::EventKind;
use super::super::uses::Use;
use super::super::value::{Alt, Atom, CallContext, Kind, Value};
use super::{Recognition, is_query};
use crate::ir::{BinaryOp, Body, ExprId, ExprKind, Literal, PatKind};

/// A request whose method a caller says.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// a parameter
    pub(super) method: Value,
    pub(super) address: Value,
    /// a repeat of it does no harm, whatever the method is
    pub(super) harmless: bool,
    /// a content goes along whatever way was taken
    pub(super) filled: bool,
    /// nobody knows whom it asks, so that its address may tell that it only asks
    pub(super) unnamed: bool,
}

/// What a method says of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Says {
    /// something is done
    Acts,
    /// something is to be as it is sent; nobody knows that it acts
    States,
    /// nothing is changed
    Asks,
    /// whatever the caller says
    Open,
}

/// What is known at a call of a request below it.
#[derive(Clone, Copy)]
enum Known {
    /// no more than before
    Open,
    Acts,
    Harmless,
    Asks,
}

impl Asked {
    /// As a caller sees it.
    pub(crate) fn substitute(&self, call: &CallContext) -> Arc<Self> {
        let (method, address) = (self.method.substitute(call), self.address.substitute(call));
        Arc::new(Self { method, address, ..*self })
    }

    fn known(&self, eval: &Eval<'_, '_>, taken: &Taken) -> Known {
        let words = &eval.engine.catalog.words;
        let said = match taken.is_empty() {
            true => says(&self.method, self.filled),
            false => says(&taken.method(&self.method), self.filled),
        };
        match said {
            Says::Open => Known::Open,
            Says::States => Known::Harmless,
            Says::Asks => Known::Asks,
            Says::Acts if !self.unnamed => {
                if self.harmless {
                    Known::Harmless
                } else {
                    Known::Acts
                }
            }
            Says::Acts if address::names_reading(words, &self.address) => Known::Asks,
            Says::Acts => {
                let asks = is_query(eval) || address::asks(words, &self.address);
                match self.harmless || asks || address::is_local(words, &self.address) {
                    true => Known::Harmless,
                    false => Known::Acts,
                }
            }
        }
    }
}

/// Whether a text names a method of HTTP: `Method::POST`, `"POST"`.
pub(crate) fn is_one(text: &str) -> bool {
    let name = text.rsplit("::").next().unwrap_or(text);
    matches!(name, "GET" | "HEAD" | "OPTIONS" | "POST" | "PATCH" | "PUT" | "DELETE")
}

/// Whether a body asks which method a request has: what it does only for some of them it does for those that act.
pub(super) fn is_told_apart(body: &Body) -> bool {
    let named = |at: ExprId| match &body.expr(at).kind {
        ExprKind::Path(path) => path.segments.last().is_some_and(|last| is_one(last.name.as_str())),
        ExprKind::Literal(Literal::Str(text)) => is_one(text),
        _ => false,
    };
    let compared = body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Eq | BinaryOp::Ne, left, right } => named(*left) || named(*right),
        ExprKind::MethodCall(call) => matches!(call.name.as_str(), "is_safe" | "is_idempotent"),
        _ => false,
    });
    let matched = |pat: &PatKind| match pat {
        PatKind::Path(path) => path.segments.last().is_some_and(|last| is_one(last.name.as_str())),
        PatKind::Literal(Literal::Str(text)) => is_one(text),
        _ => false,
    };
    compared || body.pats.iter().any(|pat| matched(&pat.kind))
}

/// What the method of a request says of it. One that a row names is somebody else's choice: who has it called with a content
/// wants something done.
pub(super) fn says(method: &Value, filled: bool) -> Says {
    if let Some((_, path)) = method.as_parameter() {
        // What an object holds is not its caller's to say.
        return if path.len() <= 2 { Says::Open } else { Says::States };
    }
    let each = |text: &str| match text.rsplit("::").next().unwrap_or(text).to_ascii_uppercase().as_str() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "CONNECT" => Says::Asks,
        "POST" | "PATCH" => Says::Acts,
        // PUT and DELETE state a result; of a method that is not known nobody knows that it acts.
        _ => Says::States,
    };
    // As the arm says that a caller takes.
    let chosen = |alt: &Alt| alt.atoms.iter().any(|atom| atom.trail.origin().is_some());
    let of_row = |alt: &Alt| {
        let stored = |atom: &Atom| atom.kind == Kind::Stored || atom.asked;
        !alt.atoms.is_empty() && alt.atoms.iter().all(stored)
    };
    let mut ways = method.alts.iter().map(|alt| match &*alt.atoms {
        _ if filled && of_row(alt) => Says::Acts,
        [atom] => match &atom.kind {
            Kind::Constant(Some(text)) => each(text.as_str()),
            _ => Says::States,
        },
        _ => Says::States,
    });
    match ways.next() {
        // One of several, of which some only ask, is not known.
        Some(first) if ways.all(|way| way == first) => first,
        Some(_) if method.alts.iter().all(chosen) => Says::Open,
        _ => Says::States,
    }
}

/// Puts what a caller says in the place of what a dispatch below it speaks of.
pub(crate) fn take_over(kind: &mut EventKind, call: &CallContext) {
    if let EventKind::Dispatch { asked: Some(asked), .. } = kind {
        *asked = asked.substitute(call);
    }
}

/// Takes what a caller says for a dispatch below it; whether it is still one.
pub(crate) fn settle_use(eval: &Eval<'_, '_>, known: &mut Use, taken: &Taken) -> bool {
    let Some(asked) = &known.asked else {
        return true;
    };
    match asked.known(eval, taken) {
        Known::Open => return true,
        Known::Acts => known.harmless = false,
        Known::Harmless => {}
        Known::Asks if known.position.is_none() => return false,
        Known::Asks => known.recognition = Recognition::Reading,
    }
    known.asked = None;
    true
}

/// The same for what the caller sees happen.
pub(crate) fn settle_event(eval: &Eval<'_, '_>, kind: &mut EventKind, taken: &Taken) {
    let EventKind::Dispatch { asked, harmless, args, .. } = kind else {
        return;
    };
    let Some(known) = asked.as_ref().map(|asked| asked.known(eval, taken)) else {
        return;
    };
    match known {
        Known::Open => return,
        Known::Acts => *harmless = false,
        Known::Harmless => {}
        Known::Asks => {
            *kind = EventKind::Asked { by: std::mem::take(args) };
            return;
        }
    }
    *asked = None;
}
