//! The configuration file: what reads, and what is refused where.

use std::time::Duration;

use effect_contracts_grammar::{Delivery, Mapped, Mechanism, Remedy, State, Window};

use super::*;
use crate::catalog::{Call, HandlerShape, KeyPosition, built_in};

const DAY: Duration = Duration::from_secs(86_400);

fn read(text: &str) -> Config {
    Config::read("effects.toml", text).unwrap_or_else(|faults| {
        let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
        panic!("{}", faults.join("\n"))
    })
}

/// Each fault as people see it, without the file's name.
fn faults(text: &str) -> Vec<String> {
    let faults = Config::read("effects.toml", text).unwrap_err();
    faults.iter().map(|fault| fault.to_string().replacen("effects.toml:", "", 1)).collect()
}

const FULL: &str = r#"
version = 1
[levels]
undeclared-effect = "warn"
coarse-key = "allow"
[defaults]
delivery = "at_least_once"
[defaults.provider.stripe-v1]
operator = "runbooks/stripe.md"
[defaults.package.billing]
record = "billing.effect_ledger"
provider = "adyen"
[scan]
exclude = ["crates/generated/**"]
dialect = "postgres"
[prose]
include = ["**/README*", "docs/**/*.md"]
exclude = []
[docs]
out = "docs/guarantees.md"
tables = ["README.md"]
per-package = false
templates = "docs/templates"
[baseline]
file = "effects-baseline.toml"
[evidence]
results = ["target/nextest/ci/junit.xml"]

[[effect]]
handler = "shop::billing::charge_invoice"
intent_key = "invoice/{invoice.id}/charge"
provider = "stripe-v1"
provider_window = "at_least 24h"
terminal = ["confirmed", { rejected = "declined" }, { reconciled = "crate::State::Found" }]
replay_horizon = "7days"
mechanism = "dedup_id"
delivery = { exactly_once_within = "postgres" }
dispatch = ["crate::stripe::Stripe::create_charge"]
reconcile = { none = "the provider has no search" }
compensate = { unchecked = "refund" }
irreversible = false
allow = [{ rule = "coarse-key", reason = "one per day is wanted", until = "2027-06-30" }]

[[allow]]
rule = "undeclared-effect"
item = "shop::admin::resend"
reason = "manual tool, one operator"
until = "2027-06-30"
owner = "payments"

[[dispatch]]
call = "crate::billing::BillingClient::create_charge"
provider = "stripe-v1"
key = { argument = 1 }
"#;

#[test]
fn every_section_reads() {
    let config = read(FULL);
    let levels: Vec<_> = config.levels.iter().map(|setting| (setting.rule.as_str(), setting.level)).collect();
    assert_eq!(levels, [("undeclared-effect", Level::Warn), ("coarse-key", Level::Allow)]);
    let all = config.defaults.all.unwrap();
    assert_eq!(all.contract.delivery, Some(Delivery::AtLeastOnce));
    assert_eq!(all.contract.provider, None);
    assert_eq!(config.defaults.providers[0].0, "stripe-v1");
    assert_eq!(config.defaults.packages[0].1.contract.provider.as_deref(), Some("adyen"));
    assert_eq!(config.scan.dialect, Some(Dialect::Postgres));
    assert_eq!(config.scan.exclude, ["crates/generated/**"]);
    assert!(config.prose.exclude.is_empty());
    assert_eq!(config.docs.templates.as_deref(), Some("docs/templates"));
    assert_eq!(config.baseline.as_deref(), Some("effects-baseline.toml"));
    assert_eq!(config.evidence, ["target/nextest/ci/junit.xml"]);
    assert_eq!(config.allows[0].target, AllowTarget::Item("shop::admin::resend".into()));
    assert_eq!(config.rows.dispatches[0].keys, [KeyPosition::Argument(1)]);
    assert!(config.rows.dispatches[0].declared);
    assert_eq!(
        config.given,
        [
            "version", "levels", "defaults", "scan", "prose", "docs", "baseline", "evidence", "effect", "allow",
            "dispatch"
        ]
    );
}

#[test]
fn an_effect_gives_a_contract_with_places() {
    let config = read(FULL);
    let effect = &config.effects[0];
    assert_eq!(effect.handler, "shop::billing::charge_invoice");
    let contract = &effect.table.contract;
    assert_eq!(contract.provider.as_deref(), Some("stripe-v1"));
    assert_eq!(contract.provider_window, Some(Window::AtLeast(DAY)));
    assert_eq!(contract.mechanism, Some(Mechanism::DedupId));
    assert_eq!(contract.replay_horizon, Some(7 * DAY));
    assert_eq!(contract.delivery, Some(Delivery::ExactlyOnceWithin("postgres".into())));
    assert_eq!(contract.reconcile, Some(Remedy::None("the provider has no search".into())));
    assert_eq!(contract.compensate, Some(Remedy::Unchecked("refund".into())));
    assert_eq!(contract.irreversible, Some(false));
    let terminal = contract.terminal.as_ref().unwrap();
    let states: Vec<_> = terminal.iter().map(|state| (state.state, state.mapped.clone())).collect();
    assert_eq!(
        states,
        [
            (State::Confirmed, None),
            (State::Rejected, Some(Mapped::Text("declined".into()))),
            (State::Reconciled, Some(Mapped::Variant("crate::State::Found".into()))),
        ]
    );
    assert_eq!(contract.allow[0].rule, "coarse-key");
    assert_eq!(effect.table.allows.len(), 1);
    let text = |range: TextRange| &FULL[range.start as usize..range.end as usize];
    let fields: Vec<_> = effect.table.fields.iter().map(|(name, range)| (*name, text(*range))).collect();
    assert!(fields.contains(&("replay_horizon", "\"7days\"")), "{fields:?}");
    assert!(fields.contains(&("provider", "\"stripe-v1\"")), "{fields:?}");
}

#[test]
fn every_named_path_has_its_place() {
    let config = read(FULL);
    let paths: Vec<_> = config.paths.iter().map(|path| (path.table, path.path.as_str())).collect();
    assert_eq!(
        paths,
        [
            ("effect", "shop::billing::charge_invoice"),
            ("effect", "crate::stripe::Stripe::create_charge"),
            ("effect", "refund"),
            ("allow", "shop::admin::resend"),
            ("dispatch", "crate::billing::BillingClient::create_charge"),
        ]
    );
    for path in &config.paths {
        let text = &FULL[path.range.start as usize..path.range.end as usize];
        assert_eq!(text, format!("\"{}\"", path.path));
    }
}

#[test]
fn every_form_of_a_window_reads() {
    let window = |value: &str| {
        let text = format!("[[effect]]\nhandler = \"a::b\"\nprovider_window = {value}\n");
        read(&text).effects[0].table.contract.provider_window.clone().unwrap()
    };
    assert_eq!(window("\"24h\""), Window::Exact(DAY));
    assert_eq!(window("\"at_least 24h\""), Window::AtLeast(DAY));
    assert_eq!(
        window("{ configurable = \"24h\", max = \"72h\" }"),
        Window::Configurable { value: DAY, max: Some(3 * DAY) }
    );
    assert_eq!(window("{ configurable = \"24h\" }"), Window::Configurable { value: DAY, max: None });
    assert_eq!(window("\"forever\""), Window::Forever);
    assert_eq!(window("\"unpublished\""), Window::Unpublished);
    assert_eq!(window("\"none\""), Window::None);
}

#[test]
fn all_faults_are_reported_at_once_and_in_order() {
    let text = "\
version = 2
[levles]
[levels]
coarse-key = 'wran'
[scan]
dialect = 'postgre'
exclude = ['../other/**']
[[effect]]
intent_key = 'x{'
provider_window = '24'
terminal = ['prepared', 'confirmd']
bind = 'key'
retain = '1d'
[[allow]]
rule = 'coarse-key'
until = '2027-02-30'
";
    let found = faults(text);
    let starts = [
        "1:11: this tool reads version 1",
        "2:2: this file has no key `levles`; did you mean `levels`?",
        "4:14: `coarse-key` cannot be `wran`; did you mean `warn`?",
        "6:11: `dialect` cannot be `postgre`; did you mean `postgres`?",
        "7:12: `exclude` leads out of the workspace",
        "8:1: [[effect]] lacks `handler`",
        "9:14: `intent_key`: ",
        "10:19: `provider_window`: \"24\" is not a duration",
        "11:13: `prepared` is not a state in which an effect can end",
        "11:25: `terminal`: `confirmd` is not a state; did you mean `confirmed`?",
        "12:8: `bind` is an instruction to the attribute",
        "13:1: [[effect]] has no key `retain`",
        "14:1: [[allow]] lacks `reason`",
        "14:1: [[allow]] names no `item` and no `file`",
        "16:9: `until`: \"2027-02-30\" is not a date",
    ];
    for (line, start) in found.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}\nshould start with\n{start}");
    }
    assert_eq!(found.len(), starts.len(), "{found:#?}");
}

#[test]
fn wrong_forms_say_what_is_right() {
    let cases = [
        ("[[dispatch]]\ncall='a::b'\nkey={ argumnt = 1 }", "`key` has no key `argumnt`; did you mean `argument`?"),
        ("[[dispatch]]\ncall='a::b'\nkey={ argument = 1, header = 'x' }", "`key` names one position, here are 2"),
        ("[[dispatch]]\ncall='a::b'\nkey='nope'", "`key` does not say where the call carries its key"),
        ("[[dispatch]]\ncall='a b'", "`a b` names no call"),
        ("[[dispatch]]\ncall='a::b'\nkey={ argument = -1 }", "`argument` must be between 0 and 255"),
        ("[[origin]]\ncall='a::b'\ngives='durabel'", "did you mean `durable`?"),
        ("[[origin]]\ncall='a::b'", "neither `gives` nor `keeps`"),
        ("[[store]]\ncall='a::b'\nop='qwery'", "did you mean `query`?"),
        ("[[provider]]\nid='x'\nmechanism='kee'\nwindow_kind='exact'", "did you mean `key`?"),
        ("[[provider]]\nid='x'\nmechanism='key'\nwindow_kind='exact'", "lacks `window_min`"),
        ("[[provider]]\nid='x'\nmechanism='key'\nwindow_kind='forever'\nkey_pattern='('", "no regular expression"),
        ("[[handler]]\nfunction={ trait='a::B' }\nkind='job'", "`function` names no handler"),
        ("[[handler]]\nfunction='a::b'\nkind='jobs'", "did you mean `job`?"),
        ("[[state]]\nmeans='unknwon'\nwords=['x']", "did you mean `unknown`?"),
        ("[[retry]]\ncall='a::b'", "[[retry]] lacks `body`"),
        ("[[effect]]\nhandler='_::x'", "names one function"),
        ("[[effect]]\nhandler='a'\nreconcile={ unchekced='a' }", "did you mean `unchecked`?"),
        ("[[effect]]\nhandler='a'\nreconcile={ none='a', unchecked='b' }", "both `unchecked` and `none`"),
        ("[[effect]]\nhandler='a'\nreconcile=''", "`reconcile` is empty"),
        ("[[effect]]\nhandler='a'\ndelivery={ exactly_once_within='' }", "is empty"),
        ("[[effect]]\nhandler='a'\nterminal=['confirmed','confirmed']", "given twice"),
        ("[[effect]]\nhandler='a'\nterminal=[]", "never ends"),
        ("[[effect]]\nhandler='a'\nprovider_window={ configurable='3d', max='1d' }", "greatest is 24h"),
        ("[[allow]]\nrule='x'\nreason='y'\nitem='a'\nfile='b'", "not both"),
        ("[[allow]]\nrule='x'\nreason='y'\nfile='a[b'", "no glob"),
        ("[defaults]\nallow=[]", "a suppression cannot be a default"),
        ("[defaults.provider.x]\nprovider='y'", "given by the name of the table"),
        ("[docs]\nout='/etc/passwd'", "leads out of the workspace"),
        ("[baseline]\n", "[baseline] lacks `file`"),
        ("[words]\nverbs=['x']", "this file has no key `words`"),
        ("effect = 3", "`effect` is a list of tables"),
        ("a = \nb = ", "not valid toml"),
    ];
    for (text, expected) in cases {
        let found = faults(text);
        assert!(found.iter().any(|line| line.contains(expected)), "{text}\n{found:#?}");
    }
}

#[test]
fn columns_count_characters() {
    let found = faults("# käse\n[levels]\n\"ü\" = 'no'\n");
    assert!(found[0].starts_with("3:7: "), "{found:?}");
    let found = faults("\u{feff}version = 3\n");
    assert!(found[0].starts_with("1:11: "), "{found:?}");
}

#[test]
fn rows_of_the_application_replace_built_in_ones() {
    let config = read(
        "[[provider]]\nid = 'stripe-v1'\nmechanism = 'none'\nwindow_kind = 'none'\n\
         [[origin]]\ncall = 'uuid::Uuid::new_v4'\ngives = 'durable'\n\
         [[handler]]\nfunction = { trait = 'crate::Job', method = 'run' }\nkind = 'job'\nagain = ['Err']\n",
    );
    let catalog = built_in().with(config.rows);
    assert_eq!(catalog.providers.len(), built_in().providers.len());
    assert_eq!(catalog.provider("stripe-v1").unwrap().mechanism, Mechanism::None);
    let matcher = catalog.matcher();
    let origin = matcher.origin(&Call::External("uuid::Uuid::new_v4")).unwrap();
    assert_eq!(origin.gives, crate::catalog::Gives::Durable);
    let handler = matcher.handler_trait("shop::Job", "run").unwrap();
    assert!(handler.declared && !handler.likely);
    assert!(matches!(handler.shape, HandlerShape::Trait { .. }));
}

#[test]
fn an_absent_or_empty_file_is_the_default() {
    let config = read("");
    assert_eq!(config.prose, Prose::default());
    assert!(config.effects.is_empty() && config.paths.is_empty() && config.given.is_empty());
}
