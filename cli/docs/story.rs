//! What happens to an effect, told from its contract: states, messages, crash points, two examples.
//!
//! All of it is what the contract expects. Whether the code does so is the business of findings and evidence.

use effect_contracts_grammar::{Contract, Delivery, Mechanism, Remedy, State, duration};

use super::model::{Crash, CrashPoint, Edge, Example, Part, Sequence, Step};
use crate::contracts::{HandlerContract, lookup_of};
use crate::guarantee::{Guarantee, KeyState, Reach, states};

/// What a further attempt can do about an outcome that is not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way<'a> {
    /// committed with the state: there is no such outcome
    Committed,
    /// setting the same state again
    Again,
    /// asking the provider, whether or not the code is shown to do so
    Ask(&'a str, bool),
    /// sending the same key, for as long as the provider remembers it
    SameKey,
    /// sending again, with a key that is not shown to be the same
    OtherKey,
    /// nothing
    None,
}

fn way<'a>(contract: &'a Contract, guarantee: &Guarantee) -> Way<'a> {
    let promise = &guarantee.promise;
    match (promise.mechanism, &contract.reconcile) {
        (Mechanism::Transaction, _) => Way::Committed,
        (Mechanism::AbsoluteWrite, _) => Way::Again,
        (_, Some(Remedy::Path(path) | Remedy::Unchecked(path))) => Way::Ask(path, guarantee.proofs.lookup),
        _ if !promise.is_key_like() || promise.reach == Reach::Nothing => Way::None,
        _ => match guarantee.key {
            KeyState::Stable | KeyState::Coarse => Way::SameKey,
            _ => Way::OtherKey,
        },
    }
}

/// The transitions of the effect's states.
pub(super) fn edges(contract: &Contract) -> Vec<Edge> {
    let edge = |from: State, to: State, label: String| Edge { from: from.as_str(), to: to.as_str(), label };
    let mut edges = vec![Edge { from: "", to: State::Prepared.as_str(), label: "intent recorded".into() }];
    edges.push(edge(State::Prepared, State::Confirmed, "the provider has acted".into()));
    edges.push(edge(State::Prepared, State::Rejected, "the provider refuses".into()));
    edges.push(edge(State::Prepared, State::Unknown, "no answer, or one that says nothing".into()));
    if let Some(path) = lookup_of(contract) {
        edges.push(edge(State::Unknown, State::Reconciled, format!("{path} decides")));
    }
    if let Some(operator) = &contract.operator {
        edges.push(edge(State::Unknown, State::Reconciled, format!("an operator decides, {operator}")));
    }
    if let Some(Remedy::Path(path) | Remedy::Unchecked(path)) = &contract.compensate {
        edges.push(edge(State::Confirmed, State::Compensated, format!("undone by {path}")));
    }
    for state in states(contract) {
        let mut terminal = contract.terminal.iter().flatten();
        if terminal.any(|terminal| terminal.state == state) {
            edges.push(Edge { from: state.as_str(), to: "", label: String::new() });
        }
    }
    edges
}

/// The messages of one attempt with the places where a crash can fall, and those of the attempt after it.
pub(super) fn sequence(contract: &HandlerContract, guarantee: &Guarantee) -> Sequence {
    let given = &contract.contract;
    let way = way(given, guarantee);
    let at_most_once = given.delivery == Some(Delivery::AtMostOnce);
    let mut points = crash_points(contract, guarantee).into_iter();
    let mut steps = Vec::new();
    let mut step = |from, to, reply, text: &str, crashes: bool| {
        let crash = if crashes { points.next() } else { None };
        let crash = crash.map(|point| Crash { number: point.number, durable: point.short });
        steps.push(Step { from, to, reply, text: text.to_owned(), crash });
    };
    step("source", "handler", false, "deliver the task", !at_most_once);
    if at_most_once {
        step("handler", "source", false, "acknowledge", true);
    }
    if way == Way::Committed {
        step("handler", "record", false, "commit the state and the effect together", true);
    } else {
        step("handler", "record", false, "record the intent key, prepared", true);
        step("handler", "provider", false, dispatch(&guarantee.key), true);
        step("provider", "handler", true, "answer", true);
        step("handler", "record", false, "record the outcome and the receipt", true);
    }
    if !at_most_once {
        step("handler", "source", false, "acknowledge", false);
    }
    Sequence {
        source: source_name(given),
        handler: contract.title().to_owned(),
        record: given.record.clone().or_else(|| given.boundary.clone()).unwrap_or_else(|| "own record".into()),
        provider: given.provider.clone().unwrap_or_else(|| "provider".into()),
        steps,
        recovery: if at_most_once { Vec::new() } else { recovery(way) },
    }
}

/// The dispatch, with what the code is known to send: a picture must not show a key that no call carries.
fn dispatch(key: &KeyState) -> &'static str {
    match key {
        KeyState::Stable | KeyState::Coarse => "dispatch with the intent key",
        KeyState::NotCarried => "dispatch without a key",
        KeyState::Missing => "dispatch, on some path without a key",
        KeyState::PerAttempt | KeyState::RandomFallback | KeyState::MayBeEmpty | KeyState::Unproven(_) => {
            "dispatch with a key that is not shown to be the same"
        }
    }
}

/// What the attempt after a crash does about the outcome.
fn recovery(way: Way<'_>) -> Vec<Step> {
    let step = |from, to, reply, text: String| Step { from, to, reply, text, crash: None };
    let asked = match way {
        Way::Committed | Way::OtherKey | Way::None => return Vec::new(),
        Way::Ask(path, shown) => [
            step(
                "handler",
                "provider",
                false,
                format!("{}ask {path} by the intent key", if shown { "" } else { "should " }),
            ),
            step("provider", "handler", true, "what became of it".into()),
        ],
        Way::SameKey => [
            step("handler", "provider", false, "dispatch with the same key".into()),
            step("provider", "handler", true, "the first result".into()),
        ],
        Way::Again => [
            step("handler", "provider", false, "set the same state again".into()),
            step("provider", "handler", true, "answer".into()),
        ],
    };
    let mut steps = vec![
        step("source", "handler", false, "deliver the task again".into()),
        step("handler", "record", false, "find the intent, prepared".into()),
    ];
    steps.extend(asked);
    steps.push(step("handler", "record", false, "record the outcome and the receipt".into()));
    steps.push(step("handler", "source", false, "acknowledge".into()));
    steps
}

fn source_name(contract: &Contract) -> String {
    match &contract.delivery {
        Some(Delivery::AtLeastOnce) => "task, at least once",
        Some(Delivery::AtMostOnce) => "task, at most once",
        Some(Delivery::ExactlyOnceWithin(_)) => "task, once within its boundary",
        Some(Delivery::ExactlyOnce) | None => "task",
    }
    .into()
}

/// What is durable after a crash at each place of the sequence, and what the next attempt does.
pub(super) fn crash_points(contract: &HandlerContract, guarantee: &Guarantee) -> Vec<CrashPoint> {
    let given = &contract.contract;
    let way = way(given, guarantee);
    let provider = given.provider.as_deref().unwrap_or("the provider");
    let at_most_once = given.delivery == Some(Delivery::AtMostOnce);
    let confirmed = word(given, State::Confirmed);
    let plainly = |text: &str| vec![plain(text)];
    let retry = if at_most_once {
        plainly("there is none: an operator finds the row")
    } else {
        next_attempt(way, guarantee, provider)
    };
    let first = plainly(if at_most_once { "there is none: the task is lost" } else { "runs like the first" });
    let last = plainly(if at_most_once {
        "there is none, and none is needed"
    } else {
        "finds a terminal state and acknowledges without dispatching"
    });
    let before = if at_most_once {
        "after the acknowledgement, before anything is recorded"
    } else {
        "before anything is recorded"
    };
    let prepared = State::Prepared.as_str();
    let mut points = vec![(before, "nothing".to_owned(), "nothing durable".to_owned(), first)];
    if way == Way::Committed {
        points.push(("after the commit", format!("{confirmed}, with the effect"), confirmed, last));
    } else {
        points.push((
            "after the intent is recorded",
            format!("{prepared}; nothing was sent"),
            prepared.to_owned(),
            retry.clone(),
        ));
        points.push((
            "after the dispatch, before the answer",
            format!("{prepared}; {provider} may have acted, so the outcome is unknown"),
            format!("{prepared}, outcome unknown"),
            retry.clone(),
        ));
        points.push((
            "after the answer, before it is recorded",
            format!("{prepared}; {provider} has acted"),
            format!("{prepared}, outcome not recorded"),
            retry,
        ));
        points.push((
            "after the outcome is recorded, before the acknowledgement",
            format!("{confirmed}, with the receipt"),
            confirmed,
            last,
        ));
    }
    points
        .into_iter()
        .enumerate()
        .map(|(at, (place, durable, short, next))| CrashPoint { number: at + 1, at: place, durable, short, next })
        .collect()
}

fn next_attempt(way: Way<'_>, guarantee: &Guarantee, provider: &str) -> Vec<Part> {
    match way {
        Way::Committed => text("nothing is left to do".into()),
        Way::Again => text("sets the same state again".into()),
        Way::Ask(path, true) => {
            vec![plain("asks "), code(path), plain(" by the intent key before it dispatches with the same key")]
        }
        Way::Ask(path, false) => vec![
            plain("should ask "),
            code(path),
            plain(" by the intent key before it dispatches; the code is not shown to do so"),
        ],
        Way::SameKey => text(format!("dispatches with the same key, which {provider} recognises within its window")),
        Way::OtherKey => text(format!(
            "dispatches again. {provider} may take that for a new effect: the key is {}",
            key_in_words(&guarantee.key)
        )),
        Way::None => text(format!("cannot tell whether {provider} has acted: unknown until an operator decides")),
    }
}

/// What a verdict says, behind *the key is*.
pub(super) fn key_in_words(key: &KeyState) -> String {
    match key {
        KeyState::Stable => "the same for every attempt".into(),
        KeyState::Coarse => "the same for several intents".into(),
        KeyState::NotCarried => "not carried by the call".into(),
        KeyState::Unproven(reason) => format!("unproven, {reason}"),
        KeyState::MayBeEmpty => "empty on some path".into(),
        KeyState::Missing => "missing on some path".into(),
        KeyState::RandomFallback => "replaced by a fresh one on some path".into(),
        KeyState::PerAttempt => "another one for each attempt".into(),
    }
}

/// The state in the application's own word, if it has one.
fn word(contract: &Contract, state: State) -> String {
    use effect_contracts_grammar::Mapped;
    let mapped = contract
        .terminal
        .iter()
        .flatten()
        .find(|terminal| terminal.state == state)
        .and_then(|terminal| terminal.mapped.as_ref());
    match mapped {
        Some(Mapped::Variant(text) | Mapped::Text(text)) => {
            format!("{} ({text})", state.as_str())
        }
        None => state.as_str().to_owned(),
    }
}

/// An attempt whose acknowledgement is lost, and how it ends well.
pub(super) fn lost_acknowledgement(contract: &HandlerContract, guarantee: &Guarantee) -> Example {
    let given = &contract.contract;
    let provider = given.provider.as_deref().unwrap_or("the provider");
    let way = way(given, guarantee);
    let end = match way {
        Way::Committed => {
            return Example {
                possible: true,
                steps: vec![
                    text("The effect is a row that is committed together with the state.".into()),
                    text("The acknowledgement of the task is lost, and the task comes again.".into()),
                    text(format!(
                        "The next attempt finds {} and acknowledges: one row, one state.",
                        word(given, State::Confirmed)
                    )),
                ],
            };
        }
        Way::None => {
            return Example {
                possible: false,
                steps: vec![text(format!(
                    "{provider} neither recognises a repeat nor can be asked. After a lost acknowledgement the effect \
                     is sent again, or stays unknown."
                ))],
            };
        }
        Way::OtherKey => {
            return Example {
                possible: false,
                steps: vec![text(format!(
                    "{provider} recognises a repeat by its key, but the key is {}. After a lost acknowledgement the \
                     effect is sent again as a new one, or stays unknown.",
                    key_in_words(&guarantee.key)
                ))],
            };
        }
        Way::Again => text("The next attempt sets the same state again: nothing changes.".into()),
        Way::Ask(path, shown) => vec![
            plain(if shown { "The next attempt asks " } else { "The next attempt should ask " }),
            code(path),
            plain(&format!(
                " by that key before it dispatches{} effect is found and recorded as {}, with its receipt.",
                if shown { ". The" } else { "; the code is not shown to do so. Where it does, the" },
                word(given, State::Reconciled)
            )),
        ],
        Way::SameKey => text(format!(
            "The next attempt dispatches with the same key{}. {provider} recognises it and answers with the first \
             result, which is recorded as {}.",
            within(guarantee),
            word(given, State::Confirmed)
        )),
    };
    let mut steps = vec![
        recorded(given),
        text(format!(
            "The handler dispatches to {provider}, which acts. The acknowledgement is lost, so the outcome is unknown."
        )),
        end,
        match way {
            Way::Ask(_, false) => text("Then there is one external effect, one durable receipt.".into()),
            _ => text("One external effect, one durable receipt.".into()),
        },
    ];
    if guarantee.key != KeyState::Stable && !matches!(way, Way::Again) {
        steps.push(text(format!(
            "This needs a key that is the same for every attempt and no other intent. In the code it is {}.",
            key_in_words(&guarantee.key)
        )));
    }
    Example { possible: true, steps }
}

/// An attempt whose outcome nobody learns.
pub(super) fn stays_unknown(contract: &HandlerContract, guarantee: &Guarantee) -> Example {
    let given = &contract.contract;
    let provider = given.provider.as_deref().unwrap_or("the provider");
    let way = way(given, guarantee);
    let middle = match way {
        Way::Committed => {
            return Example {
                possible: false,
                steps: vec![text(
                    "The effect is committed with the state or not at all: its outcome is never unknown.".into(),
                )],
            };
        }
        Way::Ask(path, shown) => vec![
            code(path),
            plain(&format!(
                "{} by the key and decides nothing: {provider} cannot be reached, or does not show the effect yet.",
                if shown { " is asked" } else { ", if the code does ask it, is asked" }
            )),
        ],
        Way::OtherKey => text(format!(
            "{provider} cannot be asked, and a further attempt is a new effect to it: nothing tells what became of the first."
        )),
        Way::SameKey | Way::Again => text(format!("Every further attempt fails in the same way{}.", within(guarantee))),
        Way::None => text(match &given.reconcile {
            Some(Remedy::None(reason)) => {
                format!("{provider} cannot be asked: {}.", reason.trim().trim_end_matches('.'))
            }
            _ => format!("Nothing is declared by which {provider} could be asked."),
        }),
    };
    let end = match &given.operator {
        Some(operator) => {
            text(format!("The outcome stays unknown, and is shown so, until an operator decides ({operator})."))
        }
        None => text("The outcome stays unknown, and nobody is named who decides.".into()),
    };
    Example {
        possible: true,
        steps: vec![
            recorded(given),
            text(format!("The handler dispatches to {provider}, and no answer comes: the outcome is unknown.")),
            middle,
            end,
        ],
    }
}

fn recorded(contract: &Contract) -> Vec<Part> {
    use effect_contracts_grammar::KeyTemplate;
    let mut parts = vec![plain("The intent key ")];
    if let Some(KeyTemplate::Template { text, .. } | KeyTemplate::Expression(text)) = &contract.intent_key {
        parts.push(code(text));
        parts.push(plain(" "));
    }
    parts.push(plain("is recorded as prepared."));
    parts
}

/// ` within 24h of the first dispatch`, where the window is shorter than the horizon.
fn within(guarantee: &Guarantee) -> String {
    match guarantee.promise.window.lower_bound() {
        Some(bound) if guarantee.promise.reach == Reach::Part => {
            format!(" within {} of the first dispatch", duration::display(bound))
        }
        _ => String::new(),
    }
}

fn text(text: String) -> Vec<Part> {
    vec![Part { code: false, text }]
}

fn plain(text: &str) -> Part {
    Part { code: false, text: text.to_owned() }
}

fn code(text: &str) -> Part {
    Part { code: true, text: text.to_owned() }
}
