//! What happens to an effect, told from its contract: states, messages, crash points, two examples.
//!
//! All of it is what the contract expects. Whether the code does so is the business of findings and evidence.

use effect_contracts_grammar::{Contract, Delivery, Mechanism, Remedy, State, duration};

use super::model::{CrashPoint, Edge, Example, Part, Sequence, Step};
use crate::contracts::HandlerContract;
use crate::guarantee::{Guarantee, KeyState, Reach, states};

/// What a further attempt can do about an outcome that is not recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way<'a> {
    /// committed with the state: there is no such outcome
    Committed,
    /// setting the same state again
    Again,
    /// asking the provider
    Ask(&'a str),
    /// sending the same key, for as long as the provider remembers it
    SameKey,
    /// nothing
    None,
}

fn way<'a>(contract: &'a Contract, guarantee: &Guarantee) -> Way<'a> {
    let promise = &guarantee.promise;
    match (promise.mechanism, &contract.reconcile) {
        (Mechanism::Transaction, _) => Way::Committed,
        (Mechanism::AbsoluteWrite, _) => Way::Again,
        (_, Some(Remedy::Path(path) | Remedy::Unchecked(path))) => Way::Ask(path),
        _ if promise.is_key_like() && promise.reach != Reach::Nothing => Way::SameKey,
        _ => Way::None,
    }
}

/// The transitions of the effect's states.
pub(super) fn edges(contract: &Contract) -> Vec<Edge> {
    let edge = |from: State, to: State, label: String| Edge { from: from.as_str(), to: to.as_str(), label };
    let lookup = match &contract.reconcile {
        Some(Remedy::Path(path) | Remedy::Unchecked(path)) => Some(path),
        _ => None,
    };
    let mut edges = vec![Edge { from: "", to: State::Prepared.as_str(), label: "intent recorded".into() }];
    edges.push(edge(State::Prepared, State::Confirmed, "the provider has acted".into()));
    edges.push(edge(State::Prepared, State::Rejected, "the provider refuses".into()));
    edges.push(edge(State::Prepared, State::Unknown, "no answer, or one that says nothing".into()));
    if let Some(path) = lookup {
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

/// The messages of one attempt, with the places where a crash can fall.
pub(super) fn sequence(contract: &HandlerContract, guarantee: &Guarantee) -> Sequence {
    let given = &contract.contract;
    let way = way(given, guarantee);
    let at_most_once = given.delivery == Some(Delivery::AtMostOnce);
    let mut steps = Vec::new();
    let mut crash = 0;
    let mut step = |from, to, reply, text: &str, crashes: bool| {
        crash += usize::from(crashes);
        steps.push(Step { from, to, reply, text: text.to_owned(), crash: crashes.then_some(crash) });
    };
    step("source", "handler", false, "deliver the task", !at_most_once);
    if at_most_once {
        step("handler", "source", false, "acknowledge", true);
    }
    if way == Way::Committed {
        step("handler", "record", false, "commit the state and the effect together", true);
    } else {
        step("handler", "record", false, "record the intent key, prepared", true);
        step("handler", "provider", false, "dispatch with the intent key", true);
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
    }
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
    let retry =
        if at_most_once { "there is none: an operator finds the row".to_owned() } else { next_attempt(way, provider) };
    let first =
        if at_most_once { "there is none: the task is lost".to_owned() } else { "runs like the first".to_owned() };
    let last = if at_most_once {
        "there is none, and none is needed"
    } else {
        "finds a terminal state and acknowledges without dispatching"
    };
    let before = if at_most_once {
        "after the acknowledgement, before anything is recorded"
    } else {
        "before anything is recorded"
    };
    let mut points: Vec<(&str, String, String)> = vec![(before, "nothing".into(), first)];
    if way == Way::Committed {
        points.push(("after the commit", format!("{confirmed}, with the effect"), last.into()));
    } else {
        let prepared = State::Prepared.as_str();
        points.push(("after the intent is recorded", format!("{prepared}; nothing was sent"), retry.clone()));
        points.push((
            "after the dispatch, before the answer",
            format!("{prepared}; {provider} may have acted, so the outcome is unknown"),
            retry.clone(),
        ));
        points.push(("after the answer, before it is recorded", format!("{prepared}; {provider} has acted"), retry));
        points.push((
            "after the outcome is recorded, before the acknowledgement",
            format!("{confirmed}, with the receipt"),
            last.into(),
        ));
    }
    points
        .into_iter()
        .enumerate()
        .map(|(at, (place, durable, next))| CrashPoint { number: at + 1, at: place.to_owned(), durable, next })
        .collect()
}

fn next_attempt(way: Way<'_>, provider: &str) -> String {
    match way {
        Way::Committed => "nothing is left to do".into(),
        Way::Again => "sets the same state again".into(),
        Way::Ask(path) => {
            format!("asks {path} by the intent key before it dispatches with the same key")
        }
        Way::SameKey => {
            format!("dispatches with the same key, which {provider} recognises within its window")
        }
        Way::None => {
            format!("cannot tell whether {provider} has acted: unknown until an operator decides")
        }
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
        Way::Again => text("The next attempt sets the same state again: nothing changes.".into()),
        Way::Ask(path) => vec![
            plain("The next attempt asks "),
            code(path),
            plain(&format!(
                " by that key before it dispatches. The effect is found and recorded as {}, with its receipt.",
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
        text("One external effect, one durable receipt.".into()),
    ];
    if guarantee.key != KeyState::Stable && !matches!(way, Way::Again) {
        steps.push(text(format!(
            "This needs a key that is the same for every attempt. In the code it is {}.",
            guarantee.key.word()
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
        Way::Ask(path) => vec![
            code(path),
            plain(&format!(
                " is asked by the key and decides nothing: {provider} cannot be reached, or does not show the effect yet."
            )),
        ],
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
