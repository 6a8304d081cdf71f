//! What is told of a function: the events and conditions of its summary as facts for later stages.

mod ended;
mod joined;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::OriginKind;
use super::RepeatScope;
use super::call::is_surroundings;
use super::engine::{Engine, Summary};
use super::events::{Event, EventKind};
use super::facts::{ConditionFact, EventFact, EventFactKind, FunctionEvents, HandlerFact, ValueFact, ValueParts};
use super::outcome::Condition;
use super::report::Writers;
use super::sources::{Source, Sources};
use super::turns::Turns;
use super::value::{FieldPath, Kind};
use super::{handed, handlers, limits};
use crate::ir::{Function, Name};
use crate::resolve::{FnId, FunctionInfo};
use crate::source::Span;

/// The facts of one function.
pub(crate) fn of_function(
    engine: &mut Engine<'_>,
    writers: &Writers,
    kept: &mut Kept,
    function: FnId,
    summary: &Summary,
) -> FunctionEvents {
    let handler = handlers::handler(engine, function).map(|handler| HandlerFact {
        scope: RepeatScope::clone(&handler.scope),
        contract: handler.contract,
        kind: handler.rule.map(|rule| rule.kind.clone()).unwrap_or_default(),
        again: handler.rule.map(|rule| rule.again.clone()).unwrap_or_default(),
        per_attempt: handler.rule.map(|rule| rule.per_attempt.clone()).unwrap_or_default(),
        horizon: handler.rule.and_then(|rule| rule.horizon),
    });
    // How long it takes matters where something is held meanwhile.
    let holds = summary.events.iter().any(|event| takes_lease(&event.kind));
    let info = engine.program.function(function);
    let mut values = Values::new(&info.ir, kept);
    let mut events: Vec<EventFact> = Vec::with_capacity(summary.events.len());
    for event in &summary.events {
        let mut fact = event_fact(&mut values, event);
        let limit = if holds { limits::of_fields(engine, writers, function, event) } else { None };
        if let (EventFactKind::Dispatch { lasts, .. }, Some(limit)) = (&mut fact.kind, limit) {
            *lasts = values.value(&limit);
        }
        events.push(fact);
    }
    add_turns(engine, function, &mut events);
    FunctionEvents {
        function,
        handler,
        body: Span::new(info.file, info.ir.range),
        is_root: engine.is_root(function),
        events,
        conditions: summary.conditions.iter().map(|condition| condition_fact(info, condition)).collect(),
        ended: info.ir.body.as_deref().map(|body| ended::arms(body, info.file)).unwrap_or_default(),
        joined: info.ir.body.as_deref().map(|body| joined::futures(body, info.file)).unwrap_or_default(),
    }
}

/// Whether something is taken for this run alone, as a rule for a time.
fn takes_lease(kind: &EventKind) -> bool {
    match kind {
        EventKind::Lease { op, .. } => op.as_str() == "acquire",
        EventKind::Store { op, .. } => op.as_str() == "claim",
        _ => false,
    }
}

/// Adds what the answers of stores decide, and what is taken of them.
fn add_turns(engine: &Engine<'_>, function: FnId, events: &mut [EventFact]) {
    let info = engine.program.function(function);
    let Some(body) = info.ir.body.as_deref() else {
        return;
    };
    let of_store = |event: &EventFact| {
        matches!(event.kind, EventFactKind::Sql { .. } | EventFactKind::Store { .. }) && event.via.len() <= 1
    };
    let of_provider =
        |event: &EventFact| matches!(event.kind, EventFactKind::Lookup { .. } | EventFactKind::Asked { .. });
    let acts = events.iter().any(|event| matches!(event.kind, EventFactKind::Dispatch { .. }));
    // One operation alone is no check of anything, but for a row that is put in unless it is there.
    let puts_in = |event: &EventFact| match &event.kind {
        EventFactKind::Sql { texts, .. } => texts.iter().any(|text| text.as_str().contains("ON CONFLICT")),
        _ => false,
    };
    let alone = || events.iter().any(|event| of_store(event) && puts_in(event));
    let stores = acts || events.iter().filter(|event| of_store(event)).count() > 1 || alone();
    let asks = |event: &EventFact| stores && of_store(event) || acts && of_provider(event);
    let sets_up = |event: &EventFact| matches!(event.kind, EventFactKind::AutoAck) && !event.via.is_empty();
    if !events.iter().any(|event| asks(event) || sets_up(event)) {
        return;
    }
    let known = Turns::new(engine.program, info, body);
    for event in events {
        let place = event.via.first().copied().unwrap_or(event.span);
        if sets_up(event) {
            event.turns = known.rounds(place);
        } else if asks(event) {
            event.turns = known.of(place);
            event.recalled = known.recalled(place, &engine.catalog.words.recalling_calls);
            event.taken = known.taken(place).filter(|_| of_store(event));
        }
    }
}

fn event_fact(values: &mut Values<'_>, event: &Event) -> EventFact {
    let mut value = |sources: &Sources| values.fact(sources);
    let kind = match &event.kind {
        EventKind::Dispatch {
            provider,
            keyed,
            harmless,
            presumed,
            key,
            args,
            own_id,
            lasts,
            bare,
            http,
            system,
            unanswered,
            called_back,
            refused_in,
            procedure: _,
            asked: _,
        } => EventFactKind::Dispatch {
            system: *system,
            bare: *bare,
            http: *http,
            unanswered: *unanswered,
            called_back: *called_back,
            refused_in: *refused_in,
            args: value(args),
            own_id: value(own_id),
            lasts: value(lasts),
            provider: *provider,
            keyed: *keyed,
            harmless: *harmless,
            presumed: *presumed,
            key: value(key),
        },
        EventKind::Lookup { provider, key } => EventFactKind::Lookup { provider: *provider, key: value(key) },
        EventKind::Asked { by } => EventFactKind::Asked { by: value(by) },
        EventKind::Sql { texts, binds, places, executor } => EventFactKind::Sql {
            places: places.clone(),
            texts: texts.clone(),
            binds: binds.iter().map(&mut value).collect(),
            executor: value(executor),
        },
        EventKind::Store { op, table, args, executor, .. } => EventFactKind::Store {
            op: *op,
            table: *table,
            args: args.iter().map(&mut value).collect(),
            executor: value(executor),
        },
        EventKind::Begin => EventFactKind::Begin,
        EventKind::Commit { transaction } => EventFactKind::Commit { transaction: value(transaction) },
        EventKind::Rollback { transaction } => EventFactKind::Rollback { transaction: value(transaction) },
        EventKind::Ack { up_to, by } => EventFactKind::Ack { up_to: *up_to, by: value(by) },
        EventKind::Call { awaited, args } => {
            EventFactKind::Call { awaited: *awaited, args: args.iter().map(&mut value).collect() }
        }
        EventKind::Fail { error } => EventFactKind::Fail { error: *error },
        EventKind::Return { answer, value: given } => EventFactKind::Return { answer: *answer, value: value(given) },
        EventKind::Fresh { kind } => EventFactKind::Fresh { kind: *kind },
        EventKind::Digest { value: taken } => EventFactKind::Digest { value: value(taken) },
        EventKind::Lease { op, args, lasts, unit } => EventFactKind::Lease {
            op: *op,
            args: args.iter().map(&mut value).collect(),
            lasts: value(lasts),
            unit: *unit,
        },
        EventKind::Limit { lasts } => EventFactKind::Limit { lasts: value(lasts) },
        EventKind::Handed { args, back } => {
            EventFactKind::Handed { args: args.iter().map(&mut value).collect(), back: *back }
        }
        EventKind::Remembered { insert, value: given, held, named } => {
            EventFactKind::Remembered { insert: *insert, value: value(given), held: *held, named: *named }
        }
        EventKind::Emptied { rounds } => EventFactKind::Emptied { rounds: rounds.clone() },
        EventKind::AutoAck => EventFactKind::AutoAck,
        EventKind::NextRound { asked } => EventFactKind::NextRound { asked: asked.clone() },
        EventKind::Picked { from, alike } => EventFactKind::Picked { from: value(from), alike: *alike },
        EventKind::Forwarded { request } => EventFactKind::Forwarded { request: value(request) },
        EventKind::Noted => EventFactKind::Noted,
        EventKind::Instead { values } => EventFactKind::Instead {
            values: values.iter().map(|(name, known, whole)| (*name, value(known), value(whole))).collect(),
        },
        EventKind::Collected => EventFactKind::Collected,
        EventKind::Decides => EventFactKind::Decides,
        EventKind::Scheduled => EventFactKind::Scheduled,
        EventKind::Errs { step, quiet } => EventFactKind::Errs { step: *step, quiet: *quiet },
        EventKind::Error => EventFactKind::Error,
        EventKind::Made { path, fields } => EventFactKind::Made {
            path: *path,
            fields: fields.iter().map(|(name, given)| (*name, value(given))).collect(),
        },
        EventKind::Unasked => EventFactKind::Unasked,
        EventKind::State { means } => EventFactKind::State { means: *means },
        EventKind::Next(next) => EventFactKind::Next(*next),
    };
    EventFact {
        kind,
        own: event.own.clone(),
        branches: event.branches.clone(),
        regions: event.regions.clone(),
        via: event.via.clone(),
        through: event.through.clone(),
        usage: event.usage,
        dropped: event.dropped,
        unread: event.unread,
        defaulted: event.defaulted,
        chosen: event.chosen,
        below: event.below,
        takes_back: event.takes_back,
        pooled: event.pooled,
        turns: Vec::new(),
        taken: None,
        recalled: false,
    }
}

/// A condition without the places of the function's own parameters: of whom their answers are, only callers know.
fn condition_fact(info: &FunctionInfo, condition: &Condition) -> ConditionFact {
    let about = condition.about.iter().copied().filter(|&at| !handed::is_place(info, at));
    ConditionFact {
        branch: condition.branch,
        place: condition.place,
        about: about.collect(),
        outcomes: condition.outcomes,
        named: condition.named,
        doubts: condition.doubts,
        repeats: condition.repeats,
        any_error: condition.any_error,
        beside: condition.beside,
    }
}

/// What one thread has told of values: functions speak of the same ones again and again.
#[derive(Default)]
pub(crate) struct Kept {
    origins: FxHashMap<Source, OriginKind>,
    /// without parameters, which each function has its own names for
    facts: FxHashMap<Sources, ValueFact>,
}

/// The values of one function as later stages see them.
struct Values<'e> {
    ir: &'e Function,
    kept: &'e mut Kept,
    /// the names of inputs
    names: FxHashMap<(u32, FieldPath), Name>,
    known: FxHashMap<Sources, ValueFact>,
}

impl<'e> Values<'e> {
    fn new(ir: &'e Function, kept: &'e mut Kept) -> Self {
        Self { ir, kept, names: FxHashMap::default(), known: FxHashMap::default() }
    }

    fn fact(&mut self, sources: &Sources) -> ValueFact {
        if sources.is_empty() {
            return ValueFact::default();
        }
        if let Some(known) = self.kept.facts.get(sources).or_else(|| self.known.get(sources)) {
            return known.clone();
        }
        let fact = self.value(sources);
        let known = if sources.has_param() { &mut self.known } else { &mut self.kept.facts };
        known.insert(sources.clone(), fact.clone());
        fact
    }

    fn value(&mut self, sources: &Sources) -> ValueFact {
        let mut fact = ValueParts { origins: Vec::with_capacity(sources.iter().count()), ..ValueParts::default() };
        for source in sources.iter() {
            match source.kind() {
                Kind::Transaction(at) => fact.transaction = Some(*at),
                Kind::Reply(at, _) if !fact.replies.contains(at) => fact.replies.push(*at),
                Kind::Fresh(kind) => fact.fresh.extend(source.at().map(|at| (*kind, at))),
                Kind::Input(name) if is_surroundings(*name) => fact.surroundings.extend(source.at()),
                _ => {}
            }
            let origin = self.origin(source);
            if !fact.origins.contains(&origin) {
                fact.origins.push(origin);
            }
        }
        ValueFact(Some(Arc::new(fact)))
    }

    fn origin(&mut self, source: Source) -> OriginKind {
        match source.kind() {
            Kind::Param(index, path) => {
                let name = || Name::new(&super::inputs::name(self.ir, *index, path));
                OriginKind::Input(*self.names.entry((*index, *path)).or_insert_with(name))
            }
            kind => *self.kept.origins.entry(source).or_insert_with(|| super::report::kind_of(kind)),
        }
    }
}
