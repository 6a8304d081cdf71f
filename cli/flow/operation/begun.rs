//! Where a transaction begins, and with what.

use crate::flow::call::Site;
use crate::flow::eval::Eval;
use crate::flow::events::{EventKind, Usage};
use crate::flow::value::{Atom, Kind, Trail, Value};
use crate::flow::walk::{is_deferred, visit};
use crate::ir::{ExprId, ExprKind, Literal, Name};
use crate::resolve::Ty;
use crate::source::Span;

/// Calls of a builder that are looked at, at most.
const MAX_CHAIN: usize = 8;

/// The value that a transaction is.
pub(crate) fn transaction(eval: &Eval<'_, '_>, span: Span) -> Value {
    Value::atom(Atom::new(Kind::Transaction(span), eval.here(), Trail::default()))
}

/// A call that begins a transaction.
pub(crate) fn begin(eval: &mut Eval<'_, '_>, site: &Site<'_>, usage: Usage) -> Value {
    eval.event(EventKind::Begin, site.span, name(eval, site), usage);
    let begun = transaction(eval, site.span);
    // What it gives nobody takes: the receiver itself is the transaction from here on.
    if let (Usage::Checked | Usage::Dropped, Some((id, _))) = (usage, &site.receiver) {
        if let ExprKind::Local(local) = eval.body.expr(*id).kind {
            eval.state.locals[local.0 as usize] = begun.clone();
        }
    }
    begun
}

/// The name under which the beginning of a transaction is told: that by which no other one stands beside it, if it is
/// begun so (`build_transaction().serializable().run(…)`, `begin_with_config(Some(IsolationLevel::Serializable), …)`,
/// `begin_with("BEGIN IMMEDIATE")`), or that of the call.
fn name(eval: &Eval<'_, '_>, site: &Site<'_>) -> Name {
    let locking = &eval.engine.catalog.words.locking_begins;
    let locks = |name: &str| locking.iter().find(|word| word.eq_ignore_ascii_case(name)).map(|word| Name::new(word));
    let within = |id: ExprId| {
        let mut found = None;
        visit(eval.body, id, &mut |at| {
            match &eval.body.expr(at).kind {
                ExprKind::Path(path) => {
                    found = found.or_else(|| path.segments.last().and_then(|last| locks(last.name.as_str())));
                }
                ExprKind::Literal(Literal::Str(text)) => {
                    found = found.or_else(|| text.split_whitespace().find_map(locks));
                }
                _ => {}
            }
            // what runs in it says nothing of how it begins
            !is_deferred(eval.body, at)
        });
        found
    };
    let mut chain = site.receiver.as_ref().map(|(id, _)| *id);
    let mut found = site.arg_ids.iter().copied().find_map(within);
    for _ in 0..MAX_CHAIN {
        let Some(ExprKind::MethodCall(call)) = chain.map(|id| &eval.body.expr(id).kind) else {
            break;
        };
        found = found.or_else(|| locks(call.name.as_str())).or_else(|| call.args.iter().copied().find_map(within));
        chain = Some(call.receiver);
    }
    found.or_else(|| of_store(eval, site)).unwrap_or(site.name)
}

/// The word for a store whose transactions are all so that one which has read changes nothing any more once another one has.
fn of_store(eval: &Eval<'_, '_>, site: &Site<'_>) -> Option<Name> {
    let words = &eval.engine.catalog.words;
    let (id, _) = site.receiver.as_ref()?;
    let serial = |ty: &Ty| ty.is_one_of(&words.serial_stores);
    let is_serial = match eval.ty(*id) {
        Ty::External(_, arguments) if arguments.iter().any(serial) => true,
        ty => serial(ty),
    };
    is_serial.then(|| Name::new("serializable"))
}
