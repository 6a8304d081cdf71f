//! SARIF: valid by the official schema, and as code scanning wants it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use jsonschema::Validator;
use serde_json::Value;
use serde_sarif::sarif::Sarif;

use super::run::{faulty, here, hostile, printed};

/// The schema of OASIS comes with the crate that makes types of it.
fn schema() -> Value {
    let metadata = MetadataCommand::new()
        .manifest_path(here().join("Cargo.toml"))
        .other_options(vec!["--offline".to_owned(), "--filter-platform".to_owned(), host()])
        .exec()
        .expect("the packages that this test was built with");
    let package = metadata.packages.iter().find(|package| package.name == "serde-sarif").expect("a dependency");
    let path = PathBuf::from(&package.manifest_path).with_file_name("src").join("schema.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the schema")).expect("JSON")
}

fn host() -> String {
    let output = std::process::Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("its host").to_owned()
}

fn validator() -> Validator {
    let mut schema = schema();
    // a stray bracket that only JavaScript's expressions take for one; languages are not written here
    for at in ["/definitions/run/properties/language", "/definitions/toolComponent/properties/language"] {
        let language = schema.pointer_mut(at).and_then(Value::as_object_mut);
        language.expect("a language").remove("pattern");
    }
    jsonschema::draft7::new(&schema).expect("a schema")
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn written(folder: &Path, further: &[&str]) -> Value {
    let text = printed(folder, &[&["check", "--format", "sarif"], further].concat());
    let _: Sarif = serde_json::from_str(&text).expect("the types of the format");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_official_schema_accepts_it() {
    let validator = validator();
    let folder = hostile();
    for folder in [faulty().as_path(), folder.path()] {
        let sarif = written(folder, &[]);
        assert!(sarif["runs"][0]["results"].as_array().is_some_and(|results| !results.is_empty()), "{sarif}");
        assert_eq!(faults(&validator, &sarif), Vec::<String>::new());
    }
    // the schema would notice
    let mut wrong = written(&faulty(), &[]);
    wrong["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0.into();
    wrong["runs"][0]["results"][0]["line"] = 1.into();
    assert_eq!(faults(&validator, &wrong).len(), 2, "{:?}", faults(&validator, &wrong));
}

fn text<'a>(value: &'a Value, at: &str) -> &'a str {
    value.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{at} of {value}"))
}

fn list<'a>(value: &'a Value, at: &str) -> &'a Vec<Value> {
    value.pointer(at).and_then(Value::as_array).unwrap_or_else(|| panic!("{at} of {value}"))
}

#[test]
fn rules_are_described_for_readers_of_alerts() {
    let sarif = written(&faulty(), &[]);
    let rules = list(&sarif, "/runs/0/tool/driver/rules");
    let names: BTreeSet<&str> = rules.iter().map(|rule| text(rule, "/name")).collect();
    assert_eq!((names.len(), names.contains("PerAttemptKey")), (rules.len(), true));
    for rule in rules {
        let id = text(rule, "/id");
        assert!(text(rule, "/help/markdown").contains("## Flagged"), "{id}");
        let page = text(rule, "/helpUri").rsplit_once("/blob/main/").expect("a page of the repository").1;
        assert!(here().join(page).is_file(), "{page}");
        assert!(["very-high", "high", "medium"].contains(&text(rule, "/properties/precision")), "{id}");
        assert!(["error", "warning", "recommendation"].contains(&text(rule, "/properties/problem.severity")), "{id}");
        let tags = list(rule, "/properties/tags");
        assert!((1..=10).contains(&tags.len()) && tags[0] == "effects", "{id}");
        // a sentence, since it stands on its own, and no longer than is kept
        for at in ["/shortDescription/text", "/fullDescription/text"] {
            let sentence = text(rule, at);
            assert!(sentence.ends_with('.') && !sentence.starts_with(char::is_lowercase), "{id}: {sentence}");
            assert!(sentence.chars().count() <= 1_024, "{id}");
        }
    }
}

#[test]
fn results_can_be_shown_and_told_apart() {
    let folder = hostile();
    for folder in [faulty().as_path(), folder.path()] {
        let sarif = written(folder, &[]);
        let rules = list(&sarif, "/runs/0/tool/driver/rules");
        let mut fingerprints = BTreeSet::new();
        let mut flows = 0;
        for result in list(&sarif, "/runs/0/results") {
            let index = result["ruleIndex"].as_u64().expect("a number") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(!text(result, "/message/text").is_empty());
            assert!(fingerprints.insert(text(result, "/partialFingerprints/effects~1v1").to_owned()), "{result}");
            let mut locations = list(result, "/locations").clone();
            assert_eq!(locations.len(), 1);
            if result.get("codeFlows").is_some() {
                let steps = list(result, "/codeFlows/0/threadFlows/0/locations");
                assert!((1..=1_000).contains(&steps.len()));
                steps.iter().for_each(|step| assert!(!text(step, "/location/message/text").is_empty()));
                locations.extend(steps.iter().map(|step| step["location"].clone()));
                flows += 1;
            }
            for location in &locations {
                let uri = text(location, "/physicalLocation/artifactLocation/uri");
                assert!(uri.is_ascii() && !uri.starts_with('/') && !uri.contains(':'), "{uri}");
                assert_eq!(text(location, "/physicalLocation/artifactLocation/uriBaseId"), "%SRCROOT%");
            }
        }
        assert!(flows > 0 && fingerprints.len() <= 25_000);
    }
}

/// Uploads with one category replace each other, so runs over different parts differ, and the same run never does.
#[test]
fn runs_over_different_parts_stand_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let source = fs::read_to_string(faulty().join("src/charge.rs")).expect("a source");
    write("services/Cargo.toml", "[workspace]\nmembers = [\"pay\", \"ship\"]\nresolver = \"3\"\n");
    for name in ["pay", "ship"] {
        write(&format!("services/{name}/Cargo.toml"), &package(name));
        write(&format!("services/{name}/src/lib.rs"), &source);
    }
    let services = folder.path().join("services");
    let id =
        |folder: &Path, further: &[&str]| text(&written(folder, further), "/runs/0/automationDetails/id").to_owned();
    assert_eq!(id(&services, &[]), "cargo-effects/services/");
    assert_eq!(id(&services, &["-p", "pay"]), "cargo-effects/services/pay/");
    assert_eq!(id(&services, &["pay"]), "cargo-effects/services/pay/");
    assert_eq!(id(&services.join("pay"), &[]), "cargo-effects/services/pay/");
    assert_eq!(id(folder.path(), &["services/ship", "services/pay"]), "cargo-effects/services/pay+services/ship/");

    // code hosts count paths from the root of the repository
    let first = |further: &[&str]| {
        let sarif = written(&services, further);
        text(&sarif, "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri").to_owned()
    };
    assert_eq!(first(&[]), "pay/src/lib.rs");
    assert_eq!(first(&["--repository-paths"]), "services/pay/src/lib.rs");
    let github = printed(&services, &["check", "--format", "github", "--repository-paths"]);
    assert!(github.contains(" file=services/pay/src/lib.rs,"), "{github}");
}
