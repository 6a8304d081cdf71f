//! What `init` proposes is pasted into real code, which then compiles and has a contract.

#![allow(clippy::disallowed_methods, reason = "a test may read the disk and start programs")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-effects"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_EFFECTS_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        .output()
        .expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    (text(output.stdout), text(output.stderr))
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// File, line and attribute of each proposal.
fn proposals(text: &str) -> Vec<(String, usize, String)> {
    let mut found: Vec<(String, usize, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            let place = line.rsplit_once('(').expect("a place").1.trim_end_matches(')');
            let (file, line) = place.rsplit_once(':').expect("a line");
            found.push((file.to_owned(), line.parse().expect("a number"), String::new()));
        }
        inside |= line.starts_with("#[");
        if inside {
            let attribute = &mut found.last_mut().expect("a head").2;
            attribute.push_str(line);
            attribute.push('\n');
        }
        inside &= line != ")]";
    }
    found
}

/// Puts each attribute in front of its function, from the last to the first so that lines stay where they are.
fn paste(folder: &Path, mut proposals: Vec<(String, usize, String)>) {
    proposals.sort();
    for (file, line, attribute) in proposals.iter().rev() {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).expect("a file");
        let mut lines: Vec<&str> = text.lines().collect();
        assert!(lines[line - 1].contains("fn "), "{file}:{line}");
        lines.insert(line - 1, attribute.trim_end());
        fs::write(path, lines.join("\n") + "\n").expect("a file");
    }
}

fn compile(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("init"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs")
}

/// Pastes all that is proposed in a package, compiles it, and asks again.
fn adopt(folder: &Path, expected: usize) -> String {
    fs::copy(here().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the versions that are there");
    let (text, _) = run(folder, &["init"]);
    let proposed = proposals(&text);
    assert_eq!(proposed.len(), expected, "{text}");
    paste(folder, proposed);
    let output = compile(folder);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let (again, said) = run(folder, &["init"]);
    assert_eq!((again.as_str(), said.contains("every recognised effect has a contract")), ("", true), "{again}{said}");
    text
}

#[test]
fn the_payments_example_gets_its_contract_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let example = here().join("examples/payments");
    let effects = here().join("effects");
    let manifest = fs::read_to_string(example.join("Cargo.toml")).expect("a manifest");
    let manifest = manifest
        .replace("\"../../effects\"", &format!("{:?}", effects.to_str().expect("UTF-8")))
        .replace("[lints]\nworkspace = true\n", "");
    write(folder.path(), "Cargo.toml", &format!("{manifest}\n[workspace]\n"));
    fs::copy(here().join("effects.toml"), folder.path().join("effects.toml")).expect("the calls of the example");
    for file in ["gateway.rs", "ledger.rs", "lib.rs"] {
        let text = fs::read_to_string(example.join("src").join(file)).expect("a source");
        write(folder.path(), &format!("src/{file}"), &text);
    }
    // the handler as somebody wrote it who does not know of contracts
    let charge = fs::read_to_string(example.join("src/charge.rs")).expect("a source");
    let (before, rest) = charge.split_once("#[effect(").expect("the attribute");
    let (_, after) = rest.split_once(")]\n").expect("its end");
    let bound = "let key = key.as_str();";
    assert!(after.contains(bound), "{after}");
    let made = "let made = format!(\"invoice/{}/charge\", invoice.id);\n    let key = made.as_str();";
    let charge = format!("{before}{}", after.replace(bound, made)).replace("use effect_contracts::effect;\n", "");
    write(folder.path(), "src/charge.rs", &charge);

    let text = adopt(folder.path(), 1);
    for line in [
        "1. payments::charge::charge_invoice (src/charge.rs:",
        "intent_key = \"invoice/{invoice.id}/charge\",",
        "provider = \"acme-pay\",",
        "provider_window = at_least(\"24h\"),",
        "terminal = [confirmed, rejected, reconciled],",
        "reconcile = unchecked(\"crate::gateway::Gateway::find_charge\"),",
        "kind = payment,",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// Functions of many shapes, each of which performs an effect.
const SHAPES: &str = r##"//! Shapes.

use std::fmt;

pub struct Api;
pub struct Failed;

impl Api {
    pub async fn pay(&self, _key: &str) -> Result<(), Failed> {
        Ok(())
    }
    pub async fn find_payment(&self, _key: &str) -> Result<bool, Failed> {
        Ok(true)
    }
}

pub struct OrderId(u64);

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

pub struct Order {
    id: OrderId,
    note: Option<String>,
}

pub struct Plain(u64);

/// A free function.
pub async fn pay_order(api: &Api, order: &Order) -> Result<(), Failed> {
    let _ = (&order.note, &Plain(1).0);
    api.pay(&format!("order/{}/pay", order.id)).await
}

pub struct Service {
    api: Api,
}

impl Service {
    /// A method with a string, and with an attribute of its own.
    #[inline]
    pub async fn pay_invoice(&self, invoice: String) -> Result<(), Failed> {
        self.api.pay(&format!("invoice/{invoice}/pay")).await
    }

    /// Nothing in it can be displayed.
    pub async fn pay_plain(&mut self, plain: Plain, notes: Vec<String>) -> Result<(), Failed> {
        let _ = notes;
        self.api.pay(&plain.0.to_string()).await
    }

    /// Destructured and generic.
    pub async fn pay_generic<T: fmt::Display>(&self, (left, _): (u64, u64), number: T) -> Result<(), Failed> {
        self.api.pay(&format!("{left}-{number}")).await
    }
}

pub trait Payer {
    fn pay_by_trait(&self, order_number: u32) -> impl std::future::Future<Output = Result<(), Failed>>;
}

impl Payer for Service {
    async fn pay_by_trait(&self, order_number: u32) -> Result<(), Failed> {
        self.api.pay(&order_number.to_string()).await
    }
}

pub mod inner {
    /// In another module than the types it uses.
    pub async fn pay_elsewhere(api: &super::Api, order: &super::Order, r#type: u8) -> Result<(), super::Failed> {
        api.pay(&format!("{}/{}", order.id, r#type)).await
    }
}
"##;

#[test]
fn what_is_proposed_for_functions_of_many_shapes_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let effects = here().join("effects");
    let manifest = format!(
        "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         effect-contracts = {{ path = {:?} }}\n\n[lints.rust]\nwarnings = \"deny\"\n\n[workspace]\n",
        effects.to_str().expect("UTF-8")
    );
    write(folder.path(), "Cargo.toml", &manifest);
    write(folder.path(), "src/lib.rs", SHAPES);
    let configuration = "version = 1\n[[dispatch]]\ncall = \"crate::Api::pay\"\nprovider = \"our-bank\"\n\
                         key = { argument = 0 }\n";
    write(folder.path(), "effects.toml", configuration);
    let text = adopt(folder.path(), 6);
    for line in ["order/{order.id}/pay", "invoice/{invoice}/pay", "crate::Api::find_payment", "kind = payment"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn the_tables_that_are_written_declare_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "Cargo.toml", "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let shapes = SHAPES.replace("pub struct Api;", "pub struct Api { http: reqwest::Client }").replace(
        "Ok(())\n    }\n    pub async fn find_payment",
        "self.http.post(\"https://api.stripe.com/v1/charges\").header(\"Idempotency-Key\", _key).send().await;\n\
         Ok(())\n    }\n    pub async fn find_payment",
    );
    write(folder.path(), "src/lib.rs", &shapes);
    let (first, said) = run(folder.path(), &["init"]);
    assert!(said.starts_with("wrote effects.toml\n") && !first.contains("[[effect]]"), "{said}{first}");
    let written = fs::read_to_string(folder.path().join("effects.toml")).expect("the file");
    let (list, said) = run(folder.path(), &["list"]);
    assert!(!list.contains("declared") && said.is_empty(), "it declares nothing yet: {list}{said}");

    let (second, said) = run(folder.path(), &["init"]);
    assert!(said.starts_with("effects.toml is there already and stays as it is\n"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("effects.toml")).expect("the file"), written);
    let count = proposals(&second).len();
    assert_eq!((proposals(&first).len(), second.matches("[[effect]]").count()), (count, count), "{second}");

    let (start, tables) = written.split_once("# [[effect]]").expect("tables");
    let tables: Vec<&str> = tables.lines().map(|line| line.strip_prefix("# ").unwrap_or_default()).collect();
    write(folder.path(), "effects.toml", &format!("{start}[[effect]]{}\n", tables.join("\n")));
    let (list, said) = run(folder.path(), &["list"]);
    assert_eq!((list.matches(" declared ").count(), list.matches(" found ").count()), (count, 0), "{list}");
    assert_eq!(said, "");
}
