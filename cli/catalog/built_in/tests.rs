//! The built-in data: every row reads, names known providers, and is found by the call that it names.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk")]

use std::collections::BTreeSet;

use super::{FILES, read_files};
use crate::catalog::{Call, CallPattern, Catalog, HandlerShape, Pattern, built_in};

#[test]
fn every_file_reads_without_a_problem() {
    let (_, faults) = read_files();
    let lines: Vec<String> = faults
        .iter()
        .map(|(name, problem)| {
            let text = FILES.iter().find(|file| file.0 == *name).map_or("", |file| file.1);
            let line = text[..problem.range.start as usize].matches('\n').count() + 1;
            format!("{name}:{line}: {} ({})", problem.message, problem.help.as_deref().unwrap_or(""))
        })
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn every_file_of_the_folder_is_built_in() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cli/catalog");
    let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // the words of claims in prose are read by `prose`
        .filter(|name| name.ends_with(".toml") && name != "prose.toml")
        .collect();
    let listed: BTreeSet<String> = FILES.iter().map(|file| file.0.to_owned()).collect();
    assert_eq!(on_disk, listed);
}

#[test]
fn providers_have_unique_ids_and_sources() {
    let catalog = built_in();
    assert_eq!(catalog.providers.len(), 102);
    let ids: BTreeSet<&str> = catalog.providers.iter().map(|provider| provider.id.as_str()).collect();
    assert_eq!(ids.len(), catalog.providers.len());
    for provider in &catalog.providers {
        assert!(!provider.sources.is_empty(), "{} has no source", provider.id);
        assert!(provider.read_on.is_some(), "{} has no date", provider.id);
        assert!(provider.name.is_some() && provider.kind.is_some(), "{}", provider.id);
        let confidence = provider.confidence.as_deref();
        assert!(matches!(confidence, Some("high" | "medium" | "low")), "{}", provider.id);
        assert_eq!(provider.id, provider.id.to_lowercase());
    }
}

#[test]
fn no_two_providers_answer_at_one_place() {
    let mut seen = BTreeSet::new();
    for provider in &built_in().providers {
        for host in &provider.hosts {
            assert!(seen.insert(host), "{host}");
        }
    }
}

#[test]
fn rows_name_known_providers() {
    let catalog = built_in();
    let dispatches = catalog.dispatches.iter().map(|row| (&row.call, &row.provider));
    let unkeyed = catalog.dispatches.iter().map(|row| (&row.call, &row.unkeyed_provider));
    let lookups = catalog.lookups.iter().map(|row| (&row.call, &row.provider));
    for (call, provider) in dispatches.chain(unkeyed).chain(lookups) {
        if let Some(id) = provider {
            assert!(catalog.provider(id).is_some(), "{} names {id}", call.0);
        }
    }
}

fn calls(catalog: &Catalog) -> Vec<(&'static str, Vec<String>)> {
    fn of<R>(rows: &[R], key: impl Fn(&R) -> String) -> Vec<String> {
        rows.iter().map(key).collect()
    }
    let when = |call: &CallPattern, when: &Option<String>| format!("{} {when:?}", call.0);
    vec![
        ("dispatch", of(&catalog.dispatches, |row| when(&row.call, &row.when))),
        ("carrier", of(&catalog.carriers, |row| when(&row.call, &row.when))),
        ("lookup", of(&catalog.lookups, |row| row.call.0.clone())),
        ("origin", of(&catalog.origins, |row| row.call.0.clone())),
        ("constant", of(&catalog.constants, |row| row.call.0.clone())),
        ("store", of(&catalog.stores, |row| row.call.0.clone())),
        ("retry", of(&catalog.retries, |row| row.call.0.clone())),
        ("lease", of(&catalog.leases, |row| row.call.0.clone())),
        ("ack", of(&catalog.acks, |row| row.call.0.clone())),
        ("timeout", of(&catalog.timeouts, |row| row.call.0.clone())),
        ("spawn", of(&catalog.spawns, |row| row.call.0.clone())),
        ("step", of(&catalog.steps, |row| row.call.0.clone())),
        ("handler", of(&catalog.handlers, |row| format!("{:?}", row.shape))),
    ]
}

#[test]
fn no_call_stands_twice_in_a_table() {
    let mut twice = Vec::new();
    for (table, calls) in calls(built_in()) {
        let mut seen = BTreeSet::new();
        twice.extend(calls.into_iter().filter(|call| !seen.insert(call.clone())).map(|call| (table, call)));
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

/// Asks for the call that a pattern names, the way the engine does.
fn asked<T>(pattern: &CallPattern, find: impl Fn(&Call<'_>) -> Option<T>) -> Option<T> {
    match Pattern::parse(&pattern.0).unwrap() {
        Pattern::AnyMethod(method) => find(&Call::Unknown { method: &method, fields: &[] }),
        Pattern::Field(fields, method) => {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            find(&Call::Unknown { method: &method, fields: &fields })
        }
        Pattern::Macro(path) => find(&Call::Macro(&path.join("::"))),
        Pattern::Path(path) => {
            let (method, receiver) = path.split_last().unwrap();
            let receiver = receiver.join("::").replace("::*", "::Any");
            match pattern.0.contains('*') || receiver.is_empty() {
                true => find(&Call::Method { receiver: &receiver, method, fields: &[] }),
                false => find(&Call::External(&pattern.0)),
            }
        }
    }
}

#[test]
fn every_row_is_found_by_its_call() {
    let catalog = built_in();
    let matcher = catalog.matcher();
    for row in &catalog.dispatches {
        assert_eq!(asked(&row.call, |call| matcher.dispatch(call)).map(|found| &found.call), Some(&row.call));
    }
    for row in &catalog.carriers {
        let found = asked(&row.call, |call| Some(matcher.carriers(call))).unwrap();
        assert!(found.contains(&row), "{}", row.call.0);
    }
    for row in &catalog.origins {
        assert_eq!(asked(&row.call, |call| matcher.origin(call)), Some(row));
    }
    for row in &catalog.constants {
        assert_eq!(matcher.constant(&row.call.0), Some(row.text.as_str()));
    }
    for row in &catalog.stores {
        assert_eq!(asked(&row.call, |call| matcher.store(call)), Some(row));
    }
    for row in &catalog.lookups {
        assert_eq!(asked(&row.call, |call| matcher.lookup(call)), Some(row));
    }
    for row in &catalog.retries {
        assert_eq!(asked(&row.call, |call| matcher.retry(call)), Some(row));
    }
    for row in &catalog.leases {
        assert_eq!(asked(&row.call, |call| matcher.lease(call)), Some(row));
    }
    for row in &catalog.acks {
        assert_eq!(asked(&row.call, |call| matcher.ack(call)), Some(row));
    }
    for row in &catalog.timeouts {
        assert_eq!(asked(&row.call, |call| matcher.timeout(call)), Some(row));
    }
    for row in &catalog.spawns {
        assert_eq!(asked(&row.call, |call| matcher.spawn(call)), Some(row));
    }
    for row in &catalog.steps {
        assert_eq!(asked(&row.call, |call| matcher.step(call)), Some(row));
    }
    for row in &catalog.handlers {
        if let HandlerShape::Call { call, .. } = &row.shape {
            assert!(asked(call, |call| matcher.registration(call)).is_some(), "{}", call.0);
        }
    }
}

#[test]
fn word_lists_are_in_the_form_that_is_compared() {
    let words = &built_in().words;
    for header in &words.key_headers {
        assert_eq!(header, &header.to_lowercase());
        assert!(!header.contains('_'), "{header}");
    }
    let lists = [
        &words.key_names,
        &words.verbs,
        &words.foreign_verbs,
        &words.coarse_names,
        &words.attempt_names,
        &words.sensitive_names,
        &words.intake_calls,
        &words.label_names,
        &words.keeping_prefixes,
    ];
    for list in lists {
        assert!(!list.is_empty());
        for word in list {
            assert!(word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{word}");
        }
    }
    let mut suffixes = words.receivers.iter().chain(&words.interfaces);
    assert!(suffixes.all(|word| word.starts_with(char::is_uppercase)));
    for key in &words.key_names {
        assert!(!words.label_names.contains(key), "{key} is key and label");
    }
}
