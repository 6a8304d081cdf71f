//! The built-in files, and how an application's rows join them.
//!
//! In: the texts of `cli/catalog/*.toml`. Out: one [`Catalog`], read once per process.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::{CallPattern, Catalog, Dispatch, KeyPosition, Provider, read_rows, words};
use crate::toml_text::{Fields, Problem, Problems, parse};

/// File names with their texts, in the order in which rows are kept.
const FILES: &[(&str, &str)] = &[
    ("providers.toml", include_str!("providers.toml")),
    ("words.toml", include_str!("words.toml")),
    ("http.toml", include_str!("http.toml")),
    ("origins.toml", include_str!("origins.toml")),
    ("std.toml", include_str!("std.toml")),
    ("constants.toml", include_str!("constants.toml")),
    ("hashes.toml", include_str!("hashes.toml")),
    ("retries.toml", include_str!("retries.toml")),
    ("runtimes.toml", include_str!("runtimes.toml")),
    ("stores.toml", include_str!("stores.toml")),
    ("statements.toml", include_str!("statements.toml")),
    ("keyed.toml", include_str!("keyed.toml")),
    ("states.toml", include_str!("states.toml")),
    ("payments.toml", include_str!("payments.toml")),
    ("chains.toml", include_str!("chains.toml")),
    ("messages.toml", include_str!("messages.toml")),
    ("queues.toml", include_str!("queues.toml")),
    ("brokers.toml", include_str!("brokers.toml")),
    ("aws.toml", include_str!("aws.toml")),
    ("objects.toml", include_str!("objects.toml")),
    ("platforms.toml", include_str!("platforms.toml")),
    ("durable.toml", include_str!("durable.toml")),
    ("jobs.toml", include_str!("jobs.toml")),
    ("handlers.toml", include_str!("handlers.toml")),
];

/// The built-in catalog.
pub fn built_in() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    // a file that does not read is a fault of this crate, and the tests say so before anyone runs it
    CATALOG.get_or_init(|| read_files().0)
}

/// Reads all files, and says what is wrong with them.
fn read_files() -> (Catalog, Vec<(&'static str, Problem)>) {
    let mut catalog = Catalog::default();
    let mut faults = Vec::new();
    for (name, text) in FILES {
        match read_file(text) {
            Ok((rows, problems)) => {
                catalog.append(rows);
                faults.extend(problems.into_iter().map(|problem| (*name, problem)));
            }
            Err(problems) => faults.extend(problems.into_iter().map(|problem| (*name, problem))),
        }
    }
    (catalog, faults)
}

fn read_file(text: &str) -> Result<(Catalog, Vec<Problem>), Vec<Problem>> {
    let tree = parse(text)?;
    let problems = Problems::default();
    let mut root = Fields::root(&tree, &problems);
    let read_on = match root.table("catalog") {
        Some(mut head) => {
            let read_on = head.text("read_on");
            head.finish();
            read_on
        }
        None => None,
    };
    let mut catalog = read_rows(&mut root, false, read_on.as_deref(), &mut Vec::new());
    if let Some(fields) = root.table("words") {
        catalog.words = words::words(fields);
    }
    root.finish();
    Ok((catalog, problems.into_sorted()))
}

impl Catalog {
    /// This catalog with the rows of an application, which replace the rows for the same calls, providers and tables.
    pub fn with(&self, application: Catalog) -> Catalog {
        let mut application = application;
        application.dispatches.iter_mut().for_each(|row| self.complete(row));
        let mut merged = self.clone();
        let own = &application;
        merged.providers.retain(|row| own.provider(&row.id).is_none());
        retain(&mut merged.dispatches, &own.dispatches, |row| &row.call);
        retain(&mut merged.carriers, &own.carriers, |row| &row.call);
        retain(&mut merged.lookups, &own.lookups, |row| &row.call);
        retain(&mut merged.origins, &own.origins, |row| &row.call);
        retain(&mut merged.constants, &own.constants, |row| &row.call);
        retain(&mut merged.stores, &own.stores, |row| &row.call);
        retain(&mut merged.retries, &own.retries, |row| &row.call);
        retain(&mut merged.leases, &own.leases, |row| &row.call);
        retain(&mut merged.acks, &own.acks, |row| &row.call);
        retain(&mut merged.auto_acks, &own.auto_acks, |row| &row.call);
        retain(&mut merged.channels, &own.channels, |row| &row.call);
        retain(&mut merged.timeouts, &own.timeouts, |row| &row.call);
        retain(&mut merged.spawns, &own.spawns, |row| &row.call);
        retain(&mut merged.steps, &own.steps, |row| &row.call);
        let mut joined = application;
        joined.append(merged);
        joined.add_headers();
        joined
    }

    /// What an application says of a call whose key comes with a later one says nothing of how that call is sent: this is
    /// as it was known before.
    fn complete(&self, row: &mut Dispatch) {
        let later =
            |key: &KeyPosition| matches!(key, KeyPosition::Header(_) | KeyPosition::Method(_) | KeyPosition::Body(_));
        let known = self.dispatches.iter().find(|known| known.call == row.call && !known.sends.is_empty());
        let Some(known) = known.filter(|_| row.sends.is_empty() && row.keys.iter().any(later)) else {
            return;
        };
        row.sends.clone_from(&known.sends);
        row.address = row.address.or(known.address);
        row.http_method = row.http_method.or(known.http_method);
        row.method_by = row.method_by.take().or_else(|| known.method_by.clone());
        row.fails_on_status |= known.fails_on_status;
    }

    /// The headers that an application's own providers take their keys in, though they be labels elsewhere.
    fn add_headers(&mut self) {
        let in_header = |row: &&Provider| row.declared && row.key_transport.as_deref() == Some("header");
        let names = self.providers.iter().filter(in_header).filter_map(|row| row.key_name.as_deref());
        for name in names.map(str::to_lowercase) {
            if !self.words.key_headers.contains(&name) {
                self.words.key_headers.push(name);
            }
        }
    }

    /// Adds the rows of another catalog behind the own ones. Word lists are taken where there are none yet.
    fn append(&mut self, other: Catalog) {
        self.providers.extend(other.providers);
        self.dispatches.extend(other.dispatches);
        self.carriers.extend(other.carriers);
        self.lookups.extend(other.lookups);
        self.origins.extend(other.origins);
        self.constants.extend(other.constants);
        self.stores.extend(other.stores);
        self.tables.extend(other.tables);
        self.states.extend(other.states);
        self.retries.extend(other.retries);
        self.handlers.extend(other.handlers);
        self.leases.extend(other.leases);
        self.acks.extend(other.acks);
        self.auto_acks.extend(other.auto_acks);
        self.channels.extend(other.channels);
        self.timeouts.extend(other.timeouts);
        self.spawns.extend(other.spawns);
        self.steps.extend(other.steps);
        if self.words.key_headers.is_empty() {
            self.words = other.words;
        }
    }
}

fn retain<R>(rows: &mut Vec<R>, own: &[R], call: fn(&R) -> &CallPattern) {
    let own: HashSet<&CallPattern> = own.iter().map(call).collect();
    rows.retain(|row| !own.contains(call(row)));
}

#[cfg(test)]
mod tests;
