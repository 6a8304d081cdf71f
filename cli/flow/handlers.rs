//! Which functions are attempt scopes: declared handlers, and those that the catalog recognises.

use std::sync::Arc;

use super::RepeatScope;
use super::engine::Engine;
use super::scope::has_word;
use crate::catalog::{Gives, HandlerRule, HandlerShape, Matcher, OriginRule, Words};
use crate::findings::Confidence;
use crate::ir::Attribute;
use crate::resolve::{FnId, FunctionInfo, Program, Ty};
use crate::source::Span;

/// A function as an attempt scope.
#[derive(Clone, Debug)]
pub(crate) struct Handler<'p> {
    pub(crate) scope: Arc<RepeatScope>,
    pub(crate) rule: Option<&'p HandlerRule>,
    /// declared by a contract
    pub(crate) contract: bool,
}

impl Handler<'_> {
    /// Whether only what it is handed tells of it: a message that a consumer has taken.
    pub(crate) fn is_handed_delivery(&self) -> bool {
        !self.contract
            && self.rule.is_some_and(|rule| rule.kind == "consumer" && matches!(rule.shape, HandlerShape::Parameter(_)))
    }
}

/// Whether a function is the end of the way up.
pub(crate) fn is_handler(engine: &Engine<'_>, id: FnId) -> bool {
    handler(engine, id).is_some()
}

/// The attempt scope that a function is.
pub(crate) fn handler<'p>(engine: &Engine<'p>, id: FnId) -> Option<Handler<'p>> {
    let program = engine.program;
    let info = program.function(id);
    let scope = |what: String, confidence| {
        let site = Span::new(info.file, info.ir.name_range);
        Arc::new(RepeatScope { site, what, confidence, by_method: false })
    };
    let rule = engine.recognised(id);
    if engine.contracts.iter().any(|contract| contract.bodies.contains(&id)) {
        return Some(Handler {
            scope: scope(format!("the handler `{}`", info.ir.name), Confidence::Certain),
            rule,
            contract: true,
        });
    }
    let rule = rule?;
    let confidence = if rule.likely { Confidence::Likely } else { Confidence::Certain };
    // What only its extractors show may be any request.
    let any = rule.kind == "webhook" && rule.likely && !is_named_webhook(&engine.catalog.words, info);
    let kind = if any { "request" } else { rule.kind.as_str() };
    Some(Handler {
        scope: scope(format!("the {kind} handler `{}`", info.ir.name), confidence),
        rule: Some(rule),
        contract: false,
    })
}

/// Whether the path of a function, its module included, or the route that is written above it says that somebody delivers
/// to it.
pub(crate) fn is_named_webhook(words: &Words, info: &FunctionInfo) -> bool {
    let mut names = info.path.as_str().rsplit("::").take(3);
    let is = |known: &[String], name: &str| known.iter().any(|word| word == name);
    let redelivers = |name: &str| words.redelivering_names.iter().any(|word| has_word(name, word));
    let own = names.clone().next().map(|name| name.split_once('_').unwrap_or((name, "")));
    let keeps_list = own.is_some_and(|(verb, what)| {
        is(&words.listing_verbs, verb) && (is(&words.webhook_names, what) || !names.clone().any(redelivers))
    });
    // A browser that comes back from a sign-in is no delivery.
    let signs_in = |name: &str| words.sign_in_names.iter().any(|word| has_word(name, word));
    let named = |name: &str| words.webhook_names.iter().any(|word| has_word(name, word)) && !signs_in(name);
    // A browser that is sent back, or stays for a stream, asks: nobody delivers it anything.
    let asks = info.ir.attributes.iter().any(is_asking);
    // Nor is what comes over a connection that stays open answered by its handler.
    let mut params = info.params.iter();
    let stays = params.any(|ty| ty.mentions(&mut |path| is_connection(words, path)));
    !keeps_list && !asks && !stays && (names.any(named) || is_redelivering_route(words, info))
}

/// Whether a part of an input differs between attempts, so that the whole does where it is serialised.
pub(super) fn differs_in(rule: &HandlerRule, input: &str) -> bool {
    let holds = |part: &String| part.strip_prefix(input).is_some_and(|rest| rest.starts_with('.'));
    rule.per_attempt.iter().any(holds)
}

/// Whether a type is that of a connection which stays open: one of the catalog, or an own one of such a name.
fn is_connection(words: &Words, path: &str) -> bool {
    let last = path.rsplit("::").next();
    words.connection_types.iter().any(|known| match known.contains("::") {
        true => known == path,
        false => last == Some(known),
    })
}

/// Whether a fixed part of the route that an attribute gives a function says that what was refused is delivered again:
/// `#[post("/hooks/{name}")]`.
pub(crate) fn is_redelivering_route(words: &Words, info: &FunctionInfo) -> bool {
    let routed = info.ir.attributes.iter().filter(|attribute| !is_asking(attribute));
    let texts = routed.flat_map(|attribute| attribute.args.split('"').skip(1).step_by(2));
    let mut parts = texts.filter(|text| text.starts_with('/')).flat_map(|route| route.split('/'));
    parts.any(|part| words.redelivering_names.iter().any(|word| has_word(&part.replace('-', "_"), word)))
}

/// Whether an attribute routes a GET to a function.
fn is_asking(attribute: &Attribute) -> bool {
    attribute.path.ends_with("get") || attribute.args.starts_with("get")
}

/// All functions outside test code that are attempt scopes.
pub(crate) fn all(engine: &Engine<'_>) -> Vec<FnId> {
    let functions = engine.program.functions.iter().enumerate();
    let linted = functions.filter(|(_, function)| !function.test && !function.example);
    linted.map(|(at, _)| FnId(at as u32)).filter(|&id| is_handler(engine, id)).collect()
}

/// Whether what a rule recognises is replayed from a journal.
pub(crate) fn is_workflow(rule: &HandlerRule) -> bool {
    rule.kind == "workflow"
}

/// The rule of the catalog that a function's name, trait, attributes or parameters meet.
pub(super) fn recognised<'p>(
    program: &'p Program,
    matcher: &'p Matcher<'p>,
    info: &FunctionInfo,
) -> Option<&'p HandlerRule> {
    if let Some(rule) = matcher.handler_function(info.path.as_str()) {
        return Some(rule);
    }
    if let Some(path) = info.trait_path {
        if let Some(rule) = matcher.handler_trait(path.as_str(), info.ir.name.as_str()) {
            return Some(rule);
        }
    }
    // What an attribute's name means, or the name as it is written.
    let meant = info.attribute_paths.iter().map(|path| path.as_str());
    let mut attributes = meant.chain(info.ir.attributes.iter().map(|attribute| &*attribute.path));
    if let Some(rule) = attributes.find_map(|path| matcher.handler_attribute(path)) {
        return Some(rule);
    }
    info.params.iter().zip(&info.ir.params).find_map(|(ty, written)| {
        by_parameter(program, matcher, ty).filter(|rule| !(rule.by_value && written.borrowed))
    })
}

/// The rule of the catalog for functions that have a parameter of a type.
fn by_parameter<'p>(program: &'p Program, matcher: &'p Matcher<'p>, ty: &Ty) -> Option<&'p HandlerRule> {
    let path = match ty {
        Ty::External(path, _) => path.as_str(),
        Ty::Adt(id, _) => program.type_(*id).path.as_str(),
        _ => return None,
    };
    matcher.handler_parameter(path).filter(|rule| matches!(rule.shape, HandlerShape::Parameter(_)))
}

/// Whether the context of replayed code is asked for something that gets a place in its journal: a step, a call, a message.
/// What it tells of the run itself is the same at any place.
pub(super) fn schedules(engine: &Engine<'_>, receiver: &Ty, row: Option<&OriginRule>) -> bool {
    let tells = row.is_some_and(|row| matches!(row.gives, Gives::Durable | Gives::Input | Gives::Constant));
    !tells && by_parameter(engine.program, engine.matcher, receiver).is_some_and(is_workflow)
}
