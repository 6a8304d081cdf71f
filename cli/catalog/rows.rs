//! The tables of the catalog, as the built-in files and `effects.toml` write them.
//!
//! In: the root table of a text. Out: a [`Catalog`] of its rows, and the paths it names with their places. A `call` may be
//! an array: then the row stands for each of them.

use super::{
    AutoAck, BodyCall, CallPattern, Carrier, Catalog, ConstantText, Dispatch, FreshKind, Gives, KeyPosition, LeaseCall,
    Lookup, OriginRule, Pattern, RetryCall, StateWords, StoreCall, Table, Ttl, WithoutKey, keys, providers,
};
use crate::source::TextRange;
use crate::toml_text::{Fields, Item};

mod handlers;

/// A path that a configuration names, so that one which matches nothing can be reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfiguredPath {
    /// as written
    pub path: String,
    /// the table it stands in: `dispatch`, `handler`, `effect` …
    pub table: &'static str,
    /// where
    pub range: TextRange,
}

/// Where rows go while a text is read.
struct Reader<'r> {
    declared: bool,
    table: &'static str,
    paths: &'r mut Vec<ConfiguredPath>,
}

/// Reads all tables of the catalog that stand in this root; other keys are left to the caller.
pub(crate) fn read_rows(
    root: &mut Fields<'_>,
    declared: bool,
    read_on: Option<&str>,
    paths: &mut Vec<ConfiguredPath>,
) -> Catalog {
    let mut catalog = Catalog::default();
    for fields in root.tables("provider") {
        catalog.providers.extend(providers::provider(fields, read_on, declared));
    }
    let mut reader = Reader { declared, table: "", paths };
    let reader = &mut reader;
    reader.each(root, "dispatch", dispatch, &mut catalog.dispatches);
    reader.each(root, "carrier", carrier, &mut catalog.carriers);
    reader.each(root, "lookup", lookup, &mut catalog.lookups);
    reader.each(root, "origin", origin, &mut catalog.origins);
    reader.each(root, "constant", constant, &mut catalog.constants);
    reader.each(root, "store", store, &mut catalog.stores);
    reader.each(root, "table", table, &mut catalog.tables);
    reader.each(root, "state", state, &mut catalog.states);
    reader.each(root, "retry", retry, &mut catalog.retries);
    reader.each(root, "handler", handlers::handler, &mut catalog.handlers);
    reader.each(root, "lease", lease, &mut catalog.leases);
    reader.each(root, "ack", ack, &mut catalog.acks);
    reader.each(root, "auto_ack", auto_ack, &mut catalog.auto_acks);
    reader.each(root, "channel", body, &mut catalog.channels);
    reader.each(root, "timeout", timeout, &mut catalog.timeouts);
    reader.each(root, "spawn", spawn, &mut catalog.spawns);
    reader.each(root, "step", body, &mut catalog.steps);
    catalog
}

impl Reader<'_> {
    fn each<'a, R>(
        &mut self,
        root: &mut Fields<'a>,
        key: &'static str,
        read: fn(&mut Self, &mut Fields<'a>) -> Vec<R>,
        into: &mut Vec<R>,
    ) {
        self.table = key;
        for mut fields in root.tables(key) {
            into.extend(read(self, &mut fields));
            fields.finish();
        }
    }

    /// The calls of a row.
    fn calls(&mut self, fields: &mut Fields<'_>) -> Vec<CallPattern> {
        let Some(item) = fields.need("call") else {
            return Vec::new();
        };
        item.entries().into_iter().filter_map(|item| self.call(item)).collect()
    }

    /// One call pattern.
    fn call(&mut self, item: Item<'_>) -> Option<CallPattern> {
        let text = item.text()?;
        if let Err(why) = Pattern::parse(text) {
            let help = "write a path such as \"crate::billing::Client::charge\", \"_.gateway.refund\" or \"_::refund\"";
            item.wrong(format!("`{text}` names no call: {why}"), Some(help.into()));
            return None;
        }
        self.path(item, text);
        Some(CallPattern(text.to_owned()))
    }

    fn path(&mut self, item: Item<'_>, path: &str) {
        if self.declared {
            self.paths.push(ConfiguredPath { path: path.to_owned(), table: self.table, range: item.range });
        }
    }
}

fn argument(item: Option<Item<'_>>) -> Option<u32> {
    item?.number(0, 255).and_then(|number| u32::try_from(number).ok())
}

fn operand(item: Option<Item<'_>>) -> Option<i32> {
    item?.number(-1, 255).and_then(|number| i32::try_from(number).ok())
}

fn without_key(fields: &mut Fields<'_>) -> WithoutKey {
    let words = ["nothing", "minted_per_call", "minted_per_send", "retried_unkeyed"];
    let word = fields.get("without_key").and_then(|item| item.word(&words));
    match word {
        Some("minted_per_call") => WithoutKey::MintedPerCall,
        Some("minted_per_send") => WithoutKey::MintedPerSend,
        Some("retried_unkeyed") => WithoutKey::RetriedUnkeyed,
        _ => WithoutKey::Nothing,
    }
}

fn dispatch(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<Dispatch> {
    let calls = reader.calls(fields);
    let mut row = Dispatch {
        call: CallPattern(String::new()),
        provider: fields.text("provider"),
        kind: fields.text("kind"),
        keys: fields.get("key").map(keys::positions).unwrap_or_default(),
        without_key: without_key(fields),
        sends: fields.texts("sends"),
        when: fields.text("when"),
        http_method: argument(fields.get("http_method")),
        method_by: fields.text("method_by"),
        address: argument(fields.get("address")),
        key_optional: fields.flag("key_optional").unwrap_or(false),
        unkeyed_provider: fields.text("unkeyed_provider"),
        answers_later: fields.flag("answers_later").unwrap_or(false),
        only_queues: fields.flag("only_queues").unwrap_or(false),
        calls_back: fields.texts("calls_back"),
        absolute: fields.flag("absolute").unwrap_or(false),
        absolute_by: fields.texts("absolute_by"),
        fails_on_status: fields.flag("fails_on_status").unwrap_or(false),
        may_ask: fields.flag("may_ask").unwrap_or(false),
        refused_in: fields.text("refused_in"),
        declared: reader.declared,
    };
    // A key that a later method of the chain sets is there when the chain is sent, not before.
    let later = row.keys.iter().any(|key| matches!(key, KeyPosition::Method(_)));
    if row.declared && later && row.sends.is_empty() {
        row.sends = ["send", "execute", "await"].map(str::to_owned).to_vec();
    }
    let of = |call| Dispatch { call, ..row.clone() };
    calls.into_iter().map(of).collect()
}

fn carrier(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<Carrier> {
    let calls = reader.calls(fields);
    let row = Carrier {
        call: CallPattern(String::new()),
        key: argument(fields.get("argument")),
        without_key: without_key(fields),
        when: fields.text("when"),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| Carrier { call, ..row.clone() }).collect()
}

fn lookup(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<Lookup> {
    let calls = reader.calls(fields);
    let row = Lookup {
        call: CallPattern(String::new()),
        provider: fields.text("provider"),
        keys: fields.get("key").map(keys::positions).unwrap_or_default(),
        sends: fields.texts("sends"),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| Lookup { call, ..row.clone() }).collect()
}

fn origin(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<OriginRule> {
    let calls = reader.calls(fields);
    let keeps: Vec<i32> = fields
        .get("keeps")
        .map(|item| item.entries())
        .unwrap_or_default()
        .into_iter()
        .filter_map(|item| operand(Some(item)))
        .collect();
    let gives = match fields.get("gives") {
        Some(item) => item.text().and_then(|text| gives(item, text)),
        None => {
            if keeps.is_empty() {
                fields.wrong(
                    "[[origin]] has neither `gives` nor `keeps`, so it says nothing of the value",
                    Some("add gives = \"fresh(random)\", \"durable\", …, or keeps = [0]".into()),
                );
            }
            Some(Gives::Kept)
        }
    };
    let widens = fields.get("widens").map(|item| item.entries()).unwrap_or_default();
    let widens: Vec<u32> = widens.into_iter().filter_map(|item| argument(Some(item))).collect();
    let row = OriginRule {
        call: CallPattern(String::new()),
        gives: gives.unwrap_or(Gives::Kept),
        keeps,
        one_of: fields.flag("one_of").unwrap_or(false),
        mutates: operand(fields.get("mutates")),
        width: argument(fields.get("width")),
        unit: fields.text("unit"),
        digest: fields.flag("digest").unwrap_or(false),
        surroundings: fields.flag("surroundings").unwrap_or(false),
        serializes: fields.flag("serializes").unwrap_or(false),
        widens: match widens[..] {
            [times] => Some((times, 1)),
            [times, per] if per > 0 => Some((times, per)),
            _ => None,
        },
        cuts: operand(fields.get("cuts")),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| OriginRule { call, ..row.clone() }).collect()
}

const ORIGINS: &[&str] = &[
    "constant",
    "input",
    "field",
    "stored",
    "durable",
    "fresh(random)",
    "fresh(clock)",
    "fresh(counter)",
    "fresh(process)",
    "fresh(address)",
    "fresh(map-order)",
    "attempt(count)",
    "attempt(delivery-id)",
    "attempt(lease)",
    "attempt(token)",
    "empty",
    "kept",
    "opaque(reason)",
];

fn gives(item: Item<'_>, text: &str) -> Option<Gives> {
    let (word, inner) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((word, inner)) => (word.trim(), inner.trim()),
        None => (text.trim(), ""),
    };
    let gives = match (word, inner) {
        ("constant", "") => Gives::Constant,
        ("input", _) => Gives::Input,
        ("stored", _) => Gives::Stored,
        ("durable", "") => Gives::Durable,
        ("field", "") => Gives::Field,
        ("empty", "") => Gives::Empty,
        ("kept", "") => Gives::Kept,
        ("fresh", kind) | (kind, "") if fresh(kind).is_some() => Gives::Fresh(fresh(kind)?),
        ("attempt", "count" | "delivery-id" | "lease" | "token") => Gives::Attempt(inner.into()),
        ("opaque", reason) if !reason.is_empty() => Gives::Opaque(reason.into()),
        _ => {
            // `word` reports, with the nearest of the known origins
            item.word(ORIGINS);
            return None;
        }
    };
    Some(gives)
}

fn fresh(word: &str) -> Option<FreshKind> {
    Some(match word {
        "random" => FreshKind::Random,
        "clock" => FreshKind::Clock,
        "counter" => FreshKind::Counter,
        "process" => FreshKind::Process,
        "address" => FreshKind::Address,
        "map-order" | "map_order" => FreshKind::MapOrder,
        _ => return None,
    })
}

fn constant(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<ConstantText> {
    let calls = reader.calls(fields);
    let text = fields.need("text").and_then(|item| item.text());
    let row = ConstantText {
        call: CallPattern(String::new()),
        text: text.unwrap_or_default().to_owned(),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| ConstantText { call, ..row.clone() }).collect()
}

fn store(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<StoreCall> {
    let calls = reader.calls(fields);
    let words = [
        "query",
        "execute",
        "insert",
        "update",
        "delete",
        "increment",
        "begin",
        "commit",
        "rollback",
        "claim",
        "conditional_update",
    ];
    let op = fields.need("op").and_then(|item| item.word(&words));
    let row = StoreCall {
        call: CallPattern(String::new()),
        op: op.unwrap_or("query").to_owned(),
        executor: operand(fields.get("executor")),
        key: fields.get("key").and_then(keys::position),
        table: fields.text("table"),
        claims_by: fields.texts("claims_by"),
        sql: operand(fields.get("sql")),
        body: operand(fields.get("body")),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| StoreCall { call, ..row.clone() }).collect()
}

fn table(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<Table> {
    let name = fields.need("name").and_then(|item| item.text());
    let roles = ["ledger", "inbox", "outbox", "lease", "state"];
    let role = fields.get("role").and_then(|item| item.word(&roles)).map(str::to_owned);
    let mut columns = Vec::new();
    if let Some(mut named) = fields.table("columns") {
        named.name = "`columns`".into();
        for part in ["key", "digest", "status", "receipt", "token", "until", "created"] {
            let names = named.texts(part);
            if !names.is_empty() {
                columns.push((part.to_owned(), names));
            }
        }
        named.finish();
    }
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let unique = fields.get("unique").map(|item| {
        let sets = item.entries();
        match sets.iter().any(Item::is_array) {
            true => sets.iter().map(|set| owned(set.texts())).collect(),
            false => vec![owned(item.texts())],
        }
    });
    let retention = fields.duration("retention");
    let row = name.map(|name| Table {
        name: name.to_owned(),
        role,
        columns,
        unique: unique.unwrap_or_default(),
        retention,
        declared: reader.declared,
    });
    row.into_iter().collect()
}

fn state(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<StateWords> {
    let words =
        ["not_sent", "confirmed", "rejected", "missing", "duplicate", "unknown", "released", "terminal", "final"];
    let means = fields.need("means").and_then(|item| item.word(&words));
    let variants = fields.get("variants").map(|item| item.entries()).unwrap_or_default();
    for item in &variants {
        if let Some(path) = item.as_text() {
            reader.path(*item, path);
        }
    }
    let calls = fields.get("call").map(|item| item.entries()).unwrap_or_default();
    let row = StateWords {
        means: means.unwrap_or_default().to_owned(),
        words: fields.texts("words"),
        variants: variants.iter().filter_map(Item::text).map(str::to_owned).collect(),
        calls: calls.into_iter().filter_map(|item| reader.call(item)).collect(),
        declared: reader.declared,
    };
    if row.words.is_empty() && row.variants.is_empty() && row.calls.is_empty() {
        fields.wrong(
            "[[state]] names no `words` and no `variants`, so nothing has this meaning",
            Some("add words = [\"…\"] or variants = [\"crate::…\"]".into()),
        );
    }
    means.map(|_| row).into_iter().collect()
}

fn retry(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<RetryCall> {
    let calls = reader.calls(fields);
    let attaches = fields.flag("attaches").unwrap_or(false);
    let body = match attaches {
        true => operand(fields.get("body")),
        false => operand(fields.need("body")),
    };
    let row = RetryCall {
        call: CallPattern(String::new()),
        body: body.unwrap_or(0),
        on: fields.text("on"),
        condition: operand(fields.get("condition")),
        condition_by: fields.text("condition_by"),
        attaches,
        refused_by: fields.text("refused_by"),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| RetryCall { call, ..row.clone() }).collect()
}

fn lease(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<LeaseCall> {
    let calls = reader.calls(fields);
    let op = fields.need("op").and_then(|item| item.word(&["acquire", "hide", "renew", "release"]));
    let row = LeaseCall {
        call: CallPattern(String::new()),
        op: op.unwrap_or("acquire").to_owned(),
        ttl: fields.get("ttl").and_then(ttl),
        unit: fields.text("unit"),
        owner: operand(fields.get("owner")),
        declared: reader.declared,
    };
    calls.into_iter().map(|call| LeaseCall { call, ..row.clone() }).collect()
}

fn ttl(item: Item<'_>) -> Option<Ttl> {
    match item.as_text() {
        Some(_) => item.duration().map(Ttl::Fixed),
        None => operand(Some(item)).map(Ttl::Argument),
    }
}

fn auto_ack(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<AutoAck> {
    let calls = reader.calls(fields);
    // a call that makes one setting alone has its name
    let setting = fields.text("setting").unwrap_or_default();
    let value = fields.text("value").unwrap_or_default();
    let beside = fields.text("beside");
    let row = AutoAck { call: CallPattern(String::new()), setting, value, beside, declared: reader.declared };
    calls.into_iter().map(|call| AutoAck { call, ..row.clone() }).collect()
}

fn ack(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<BodyCall> {
    let up_to = fields.flag("up_to").unwrap_or(false);
    let given = fields.texts("given");
    body(reader, fields).into_iter().map(|row| BodyCall { up_to, given: given.clone(), ..row }).collect()
}

fn timeout(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<BodyCall> {
    let limit = operand(fields.get("limit"));
    let attaches = fields.flag("attaches").unwrap_or(false);
    body(reader, fields).into_iter().map(|row| BodyCall { limit, attaches, ..row }).collect()
}

fn spawn(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<BodyCall> {
    let held = fields.flag("held").unwrap_or(false);
    body(reader, fields).into_iter().map(|row| BodyCall { held, ..row }).collect()
}

fn body(reader: &mut Reader<'_>, fields: &mut Fields<'_>) -> Vec<BodyCall> {
    let calls = reader.calls(fields);
    let row = BodyCall {
        call: CallPattern(String::new()),
        body: operand(fields.get("body")),
        held: false,
        up_to: false,
        given: Vec::new(),
        limit: None,
        attaches: false,
        declared: reader.declared,
    };
    calls.into_iter().map(|call| BodyCall { call, ..row.clone() }).collect()
}
