//! The JSON Schemas that are shipped: they accept what the program reads and writes, and nothing that it refuses.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_effects::config::Config;
use effect_contracts_grammar::{EffectKind, Mechanism, State};
use jsonschema::Validator;
use serde_json::Value;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&read(&here().join(format!("schemas/{name}.schema.json")))).expect("a schema is JSON")
}

fn validator(name: &str) -> Validator {
    let schema = schema(name);
    jsonschema::draft7::meta::validate(&schema).unwrap_or_else(|error| panic!("{name} is no schema: {error}"));
    jsonschema::draft7::new(&schema).expect("a schema")
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn toml(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(here().join(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

/// The configurations that stand in a document.
fn configurations(text: &str) -> Vec<String> {
    let blocks = text.split("```toml").skip(1).filter_map(|rest| rest.split_once('\n')?.1.split("\n```").next());
    let blocks = blocks.filter(|block| block.lines().any(|line| line.trim() == "version = 1"));
    blocks.map(str::to_owned).collect()
}

/// What the program says of a configuration, if it refuses it.
fn refusal(text: &str) -> Option<String> {
    let faults = Config::read("effects.toml", text).err()?;
    Some(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn configurations_that_are_read_are_accepted() {
    let (validator, own) = (validator("effects"), schema("effects"));
    let mut seen = 0;
    let documents = [
        files("cli/rules", ".md"),
        files("tests/scenarios", ".md"),
        vec![here().join("README.md"), here().join("ADOPTING.md")],
    ];
    for path in documents.into_iter().flatten() {
        for text in configurations(&read(&path)) {
            // pages also show what is refused
            if refusal(&text).is_none() {
                assert_eq!(faults(&validator, &toml(&text)), Vec::<String>::new(), "{}\n{text}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
    for path in [here().join("effects.toml")].into_iter().chain(files("cli/catalog", ".toml")) {
        let mut value = toml(&read(&path));
        // some tables only built-in files have
        value.as_object_mut().expect("a table").retain(|key, _| own["properties"].get(key).is_some());
        assert_eq!(faults(&validator, &value), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn what_is_refused_is_not_accepted() {
    let validator = validator("effects");
    for text in [
        "version = 2",
        "levls = {}",
        "[levels]\nmissing-key = \"error\"",
        "[scan]\ndialect = \"oracle\"",
        "[defaults]\ndelivery = \"sometimes\"",
        "[defaults]\nreplay_horizon = 7",
        "[defaults]\nreplay_horizon = \"7\"",
        "[defaults]\nprovider_window = \"at most 7d\"",
        "[defaults.provider.x]\nprovider = \"y\"",
        "[[effect]]\nintent_key = \"x\"",
        "[[effect]]\nhandler = \"\"",
        "[[effect]]\nhandler = \"a::b\"\nterminal = [\"prepared\"]",
        "[[effect]]\nhandler = \"a::b\"\nterminal = []",
        "[[effect]]\nhandler = \"a::b\"\nreconcile = { nothing = \"x\" }",
        "[[effect]]\nhandler = \"a::b\"\nprovider_window = { max = \"3d\" }",
        "[[allow]]\nrule = \"missing-key\"\nreason = \"x\"",
        "[[allow]]\nrule = \"missing-key\"\nreason = \"x\"\nitem = \"a\"\nfile = \"b\"",
        "[[allow]]\nrule = \"missing-key\"\nitem = \"a\"",
        "[[provider]]\nid = \"x\"\nmechanism = \"magic\"\nwindow_kind = \"none\"",
        "[[dispatch]]\ncall = \"a::b\"\nkey = { argument = 1, header = \"x\" }",
        "[[dispatch]]\ncall = \"a::b\"\nkey = \"some\"",
        "[[lease]]\ncall = \"a::b\"",
        "[[lease]]\ncall = \"a::b\"\nop = \"acquire\"\nttl = \"a while\"",
        "[docs]\nper-package = \"yes\"",
    ] {
        let text = format!("{text}\n");
        assert!(refusal(&text).is_some(), "the program reads\n{text}");
        assert_ne!(faults(&validator, &toml(&text)), Vec::<String>::new(), "the schema accepts\n{text}");
    }
}

/// The keys that the program says it knows, for a table with one that it does not.
fn known(text: &str) -> BTreeSet<String> {
    let said = refusal(text).unwrap_or_else(|| panic!("{text} is read"));
    let list = said.lines().find_map(|line| line.split_once("`zzzz`; known here: "));
    let (_, list) = list.unwrap_or_else(|| panic!("{said}"));
    list.trim_end_matches(')').split(", ").map(str::to_owned).collect()
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema = schema("effects");
    let keys = |at: &str| -> BTreeSet<String> {
        let properties = schema.pointer(at).unwrap_or_else(|| panic!("{at}"));
        properties.as_object().expect("properties").keys().cloned().collect()
    };
    let top = keys("/properties");
    assert_eq!(top, known("zzzz = 1\n"));
    for section in top {
        let at = format!("/properties/{section}");
        if schema.pointer(&format!("{at}/items/properties")).is_some() {
            let read = known(&format!("[[{section}]]\nzzzz = 1\n"));
            assert_eq!(keys(&format!("{at}/items/properties")), read, "[[{section}]]");
        } else if schema.pointer(&format!("{at}/properties")).is_some() {
            assert_eq!(keys(&format!("{at}/properties")), known(&format!("[{section}]\nzzzz = 1\n")), "[{section}]");
        } else {
            assert!(matches!(&*section, "version" | "levels"), "{section}");
        }
    }
    let package = known("[defaults.package.x]\nzzzz = 1\n");
    assert_eq!(keys("/definitions/package_defaults/properties"), package);
    let nested = [
        ("/definitions/key_position/anyOf/1/properties", "[[dispatch]]\ncall = \"a::b\"\nkey = { zzzz = 1 }\n"),
        ("/definitions/handler_shape/anyOf/1/properties", "[[handler]]\nfunction = { zzzz = 1 }\n"),
        ("/definitions/handler_allow/properties", "[[effect]]\nhandler = \"a::b\"\nallow = [{ zzzz = 1 }]\n"),
        ("/properties/table/items/properties/columns/properties", "[[table]]\nname = \"a\"\ncolumns = { zzzz = 1 }\n"),
    ];
    for (at, text) in nested {
        assert_eq!(keys(at), known(text), "{text}");
    }
}

#[test]
fn the_schema_has_the_words_that_are_read() {
    let schema = schema("effects");
    let words = |at: &str| -> Vec<String> {
        let list = schema.pointer(at).and_then(Value::as_array).unwrap_or_else(|| panic!("{at}"));
        list.iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
    };
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mechanisms = Mechanism::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(words("/definitions/mechanism/enum"), owned(mechanisms));
    assert_eq!(words("/definitions/kind/enum"), owned(EffectKind::ALL.iter().map(|word| word.as_str()).collect()));
    let ends = State::ALL.iter().filter(|state| state.can_be_terminal()).map(|state| state.as_str()).collect();
    assert_eq!(words("/definitions/terminal/items/anyOf/0/enum"), owned(ends));
}

/// What a command prints in a folder.
fn printed(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .output()
        .expect("it runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// A service with a contract that gives every field, and one that gives the least.
const SERVICE: &str = r#"
use effect_contracts::effect;

#[effect(
    intent_key = "invoice/{invoice}/charge",
    provider = "stripe-v1",
    provider_window = at_least("24h"),
    mechanism = key,
    terminal = [confirmed = "settled", rejected = Charge::Declined, reconciled],
    replay_horizon = "7d",
    delivery = exactly_once_within("postgres: jobs"),
    boundary = "postgres: ledger",
    record = "ledger",
    dispatch = post,
    reconcile = unchecked("find"),
    compensate = none("refunds are a business of their own"),
    compensates = "other",
    evidence_retention = "400d",
    operator = "runbooks/charge.md",
    fence = lease,
    effect = "invoice-charge",
    name = "Charge an invoice",
    kind = payment,
)]
pub async fn charge(http: &reqwest::Client, invoice: u64, lease: u64) {
    let request = http.post("https://api.stripe.com/v1/charges").timeout(std::time::Duration::from_secs(3));
    let _ = request.header("Idempotency-Key", format!("invoice/{invoice}/charge")).send().await;
}

#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], delivery = at_most_once)]
pub async fn remind(http: &reqwest::Client, id: u64) {
    let _ = http.post("https://api.example.com/reminders").send().await;
}

#[effect(intent_key = "{id}", provider_window = none, terminal = [confirmed], irreversible)]
pub async fn mail(http: &reqwest::Client, id: u64) {
    let _ = http.post("https://api.example.com/mails").send().await;
}
"#;

#[test]
fn what_is_written_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).expect("a file");
    write(
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.12\"\n",
    );
    fs::create_dir(folder.path().join("src")).expect("a folder");
    write("src/lib.rs", SERVICE);
    let none = Vec::<String>::new();

    let check = printed(&here().join("examples/faulty"), &["check", "--format", "json"]);
    assert_ne!(check["findings"][0]["path"][0], Value::Null, "{check}");
    assert_eq!(faults(&validator("check"), &check), none);

    let contracts = printed(folder.path(), &["contracts"]);
    assert_eq!(faults(&validator("contracts"), &contracts), none);
    let full = &contracts["contracts"][0];
    assert_eq!(full["fields"].as_object().map(|fields| fields.len()), Some(19), "{full}");
    assert_ne!(full["rests_on"]["packages"]["reqwest"], Value::Null, "{full}");
    contracts["contracts"].as_array().expect("contracts").iter().for_each(layers_are_apart);
    // each layer's words are listed, so that a screen can be built from the schema alone
    let lists = all_words(&contracts);
    for layer in ["workflow", "delivery"] {
        let at = format!("/properties/contracts/items/properties/status_vocabulary/properties/{layer}/items/enum");
        let listed = schema("contracts").pointer(&at).unwrap_or_else(|| panic!("{at}")).clone();
        let listed: BTreeSet<String> = serde_json::from_value(listed).expect("words");
        assert_eq!(listed, lists(layer), "{layer}");
    }

    write("saved.json", &contracts.to_string().replace("at_least 24h", "at_least 48h"));
    let diff = printed(folder.path(), &["diff", "--format", "json", "saved.json"]);
    assert_eq!(diff["changes"][0]["change"], "weakened", "{diff}");
    assert_eq!(faults(&validator("diff"), &diff), none);
    let nothing = printed(folder.path(), &["diff", "--format", "json", "no-such-revision"]);
    assert_ne!(nothing["unanswerable"], Value::Null, "{nothing}");
    assert_eq!(faults(&validator("diff"), &nothing), none);
}

/// The words of a layer over all contracts.
fn all_words(contracts: &Value) -> impl Fn(&str) -> BTreeSet<String> + '_ {
    move |layer| {
        let contracts = contracts["contracts"].as_array().expect("contracts").iter();
        let words = contracts.flat_map(|contract| contract["status_vocabulary"][layer].as_array().expect("a layer"));
        words.map(|word| word.as_str().expect("a word").to_owned()).collect()
    }
}

/// A screen can show what the service, the queue and the provider say without mixing them up.
fn layers_are_apart(contract: &Value) {
    let words = |layer: &str| -> BTreeSet<String> {
        let list = contract["status_vocabulary"][layer].as_array().expect("a layer");
        list.iter().map(|word| word.as_str().or(word["state"].as_str()).expect("a word").to_owned()).collect()
    };
    let (workflow, delivery, effect) = (words("workflow"), words("delivery"), words("effect"));
    assert!(!workflow.is_empty() && !delivery.is_empty() && effect.contains("unknown"));
    assert!(workflow.is_disjoint(&delivery) && workflow.is_disjoint(&effect) && delivery.is_disjoint(&effect));
}
