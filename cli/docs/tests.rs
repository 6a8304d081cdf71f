use std::collections::BTreeMap;

use effect_contracts_grammar::{
    Contract, Delivery, FailureCase, KeyTemplate, Mapped, Mechanism, Remedy, State, Terminal, Window,
};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::*;
use crate::catalog::Provider;
use crate::contracts::HandlerContract;
use crate::contracts::samples::{card, handler};
use crate::guarantee::{Guarantee, KeyState, Proofs, derive};

fn guarantee(contract: &HandlerContract) -> Guarantee {
    let proofs = Proofs { lookup: true, ..Proofs::default() };
    derive(contract, None, KeyState::Stable, proofs)
}

fn input<'a>(contract: &'a HandlerContract, guarantee: &'a Guarantee) -> Input<'a> {
    Input {
        contract,
        guarantee,
        package: "shop",
        file: "src/billing.rs".into(),
        provider: None,
        allows: Vec::new(),
        findings: Vec::new(),
        evidence: Vec::new(),
    }
}

fn built_in() -> Templates {
    Templates::new(BTreeMap::new()).expect("the built-in templates")
}

fn rendered(contracts: &[HandlerContract]) -> String {
    let guarantees: Vec<Guarantee> = contracts.iter().map(guarantee).collect();
    let inputs = contracts.iter().zip(&guarantees);
    let document = document(inputs.map(|(a, b)| input(a, b)).collect(), Vec::new());
    built_in().document(&document).expect("a document")
}

fn hostile_text(name: &str) -> String {
    format!(
        "{name} | `x` <script> [l](u) ![i](u) https://evil.example @all \n```\n# {name} -->\u{202e};end\n\n- item\u{200b}\n\
         <!-- effects:end -->\n%%{{init: {{}}}}%%\nend\nnote over handler: \"x\" {{{{ 7 * 7 }}}} {{% raw %}}"
    )
}

/// A contract in which every text is hostile.
fn hostile() -> HandlerContract {
    let text = hostile_text;
    let mut contract = handler(Contract {
        intent_key: Some(KeyTemplate::Expression(text("key"))),
        provider: Some(text("provider")),
        boundary: Some(text("boundary")),
        record: Some(text("record")),
        reconcile: Some(Remedy::None(text("reason"))),
        compensate: Some(Remedy::Path(text("undo"))),
        operator: Some(text("operator")),
        fence: Some(text("fence")),
        name: Some(text("name")),
        effect: Some(text("effect")),
        terminal: Some(vec![Terminal { state: State::Confirmed, mapped: Some(Mapped::Text(text("mapped"))) }]),
        ..card()
    });
    contract.handler = text("path");
    let place = contract.place.clone();
    contract.problems = vec![crate::contracts::ContractProblem { place, message: text("fault") }];
    contract
}

/// What a Markdown text is made of: headings of the second level, tables as rows of cells, and diagrams.
#[derive(Default, Debug)]
struct Shape {
    sections: Vec<String>,
    subsections: Vec<String>,
    items: usize,
    widths: Vec<Vec<usize>>,
    diagrams: Vec<String>,
    html: Vec<String>,
    links: Vec<String>,
}

fn shape(markdown: &str) -> Shape {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut shape = Shape::default();
    let mut text = String::new();
    let mut cells = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => shape.sections.push(text.clone()),
            Event::End(TagEnd::Heading(HeadingLevel::H3)) => shape.subsections.push(text.clone()),
            Event::Start(Tag::Table(_)) => shape.widths.push(Vec::new()),
            Event::Start(Tag::Item) => shape.items += 1,
            Event::Start(Tag::TableCell) => cells += 1,
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                if let Some(table) = shape.widths.last_mut() {
                    table.push(cells);
                }
                cells = 0;
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                assert_eq!(kind, CodeBlockKind::Fenced("mermaid".into()));
                text.clear();
            }
            Event::End(TagEnd::CodeBlock) => shape.diagrams.push(text.clone()),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                shape.links.push(dest_url.to_string());
            }
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::Html(tag) | Event::InlineHtml(tag) => shape.html.push(tag.trim().to_owned()),
            _ => {}
        }
    }
    shape
}

#[test]
fn an_empty_document_says_so() {
    let text = rendered(&[]);
    assert!(text.ends_with("No effect is declared.\n"), "{text}");
}

#[test]
fn a_page_has_all_its_parts() {
    let shape = shape(&rendered(&[handler(card())]));
    assert_eq!(shape.sections, ["shop::charge"]);
    assert_eq!(
        shape.subsections,
        [
            "Four questions",
            "Contract",
            "What the provider promises",
            "States",
            "Crash points",
            "After a lost acknowledgement",
            "What stays unknown",
            "Evidence",
            "Suppressed rules",
            "Open findings",
        ]
    );
    let rows: Vec<usize> = shape.widths.iter().map(|table| table.len() - 1).collect();
    // overview, questions, contract, states, crash points, evidence
    assert_eq!(rows, [1, 4, 14, 5, 5, 9]);
    assert_eq!(shape.diagrams.len(), 2);
    let crashes = shape.diagrams[1].matches(": crash ").count();
    assert_eq!(crashes, 5, "{}", shape.diagrams[1]);
}

#[test]
fn the_sentence_and_the_examples_are_in_the_text() {
    let text = rendered(&[handler(card())]);
    for part in [
        "Effectively once for at least 24 h after first dispatch, by key `invoice/{invoice.id}/charge` at stripe-v1.",
        "1. The intent key `invoice/{invoice.id}/charge` is recorded as prepared.",
        "3. The next attempt asks `Stripe::find_charge_by_key` by that key before it dispatches.",
        "4. One external effect, one durable receipt.",
        "until an operator decides (runbooks/charge.md).",
        "| killed-after-accept | not run |",
        "| `provider_window` | `at_least 24h` | attribute |",
        "unknown --> reconciled : Stripe#58;#58;find_charge_by_key decides",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// A provider in which every text is hostile.
fn hostile_provider() -> Provider {
    let text = |name: &str| Some(hostile_text(name));
    Provider {
        name: text("name"),
        key_transport: text("transport"),
        key_name: text("key"),
        key_scope: text("scope"),
        window_anchor: text("anchor"),
        on_payload_mismatch: text("mismatch"),
        on_payload_mismatch_detail: text("detail"),
        on_concurrent: text("concurrent"),
        failed_replay: text("failed"),
        after_window: text("after"),
        lookup_by: text("lookup"),
        lookup_api: text("api"),
        reversal_api: text("reversal"),
        notes: text("notes"),
        sources: vec![hostile_text("source"), "https://evil.example".into()],
        read_on: text("read"),
        ..Provider::new("p", Mechanism::Key, Window::Forever)
    }
}

#[test]
fn hostile_texts_change_nothing_of_the_shape() {
    let document_of = |contract: &HandlerContract, provider: &Provider, text: &dyn Fn(&str) -> String| {
        let guarantee = derive(contract, Some(provider), KeyState::Unproven(text("why")), Proofs::default());
        let page = Input {
            provider: Some(provider),
            package: "shop",
            file: text("file"),
            allows: vec![AllowLine {
                rule: text("rule"),
                reason: text("reason"),
                owner: Some(text("owner")),
                until: Some(text("until")),
            }],
            findings: vec![FindingLine {
                level: "deny".into(),
                rule: text("rule"),
                message: text("message"),
                file: text("file"),
            }],
            ..input(contract, &guarantee)
        };
        let unread = Unread { package: "shop".into(), file: text("file"), message: text("message") };
        built_in().document(&document(vec![page], vec![unread])).expect("a document")
    };
    let mut tame = hostile();
    tame.contract = Contract { name: Some("name".into()), effect: Some("effect".into()), ..card() };
    tame.contract.compensate = Some(Remedy::Path("undo".into()));
    tame.contract.reconcile = Some(Remedy::None("reason".into()));
    tame.contract.fence = Some("fence".into());
    tame.contract.record = Some("record".into());
    tame.handler = "path".into();
    for problem in &mut tame.problems {
        problem.message = "fault".into();
    }
    let tame_provider =
        Provider { sources: vec!["source".into()], ..Provider::new("p", Mechanism::Key, Window::Forever) };
    let plain = shape(&document_of(&tame, &tame_provider, &str::to_owned));
    let text = document_of(&hostile(), &hostile_provider(), &hostile_text);
    let shape = shape(&text);
    assert_eq!(shape.sections.len(), 1);
    assert_eq!(shape.subsections, plain.subsections);
    assert_eq!(shape.items, plain.items);
    assert_eq!(shape.widths.len(), plain.widths.len());
    for table in &shape.widths {
        assert!(table.iter().all(|width| *width == table[0]), "{:?}", shape.widths);
    }
    assert_eq!(shape.diagrams.len(), 2);
    for tag in shape.html.iter().filter(|tag| *tag != "<!-- effects:document -->") {
        assert!(tag.starts_with("<a id=\"") || matches!(tag.as_str(), "<code>" | "</code>" | "</a>"), "{tag}");
    }
    assert!(shape.links.iter().all(|link| link.starts_with('#')), "{:?}", shape.links);
    assert!(text.chars().all(|c| c == '\n' || !(c.is_control() || matches!(c, '\u{202e}' | '\u{200b}'))));
    for diagram in &shape.diagrams {
        assert!(diagram.lines().all(|line| line.trim() != "end" && !line.contains(['`', '<', '"', '%'])), "{diagram}");
    }
}

#[test]
fn what_could_not_be_read_is_said() {
    let mut contract = handler(card());
    let place = contract.place.clone();
    contract.problems = vec![crate::contracts::ContractProblem { place, message: "`24 parsecs` is no window".into() }];
    let guarantee = guarantee(&contract);
    let lost = Unread { package: "shop".into(), file: "src/mail.rs".into(), message: "expected an expression".into() };
    let document = document(vec![input(&contract, &guarantee)], vec![lost.clone(), lost]);
    let text = built_in().document(&document).expect("a document");
    for part in [
        "| [shop::charge](#shop-charge) (contract not read in full) |",
        "- \\`24 parsecs\\` is no window",
        "an effect declared there may be missing:\n\n- `src/mail.rs`: expected an expression\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let table = built_in().table(&document).expect("a table");
    assert_eq!(table.matches("src/mail.rs").count(), 1);
    let nothing = Document { handlers: Vec::new(), unread: document.unread };
    assert!(built_in().document(&nothing).expect("a document").contains("`src/mail.rs`"));
}

#[test]
fn the_story_follows_the_key_and_the_proofs() {
    let told = |contract: Contract, key: KeyState, proofs: Proofs| {
        let contract = handler(contract);
        let guarantee = derive(&contract, None, key, proofs);
        built_in().document(&document(vec![input(&contract, &guarantee)], Vec::new())).expect("a document")
    };
    let proven = Proofs { lookup: true, ..Proofs::default() };
    let asks = told(card(), KeyState::Stable, proven);
    assert!(asks.contains("| asks `Stripe::find_charge_by_key` by the intent key before it dispatches"), "{asks}");
    assert!(asks.contains("handler->>provider: ask Stripe#58;#58;find_charge_by_key by the intent key"));
    let declared = told(card(), KeyState::Stable, Proofs::default());
    assert!(declared.contains("| should ask `Stripe::find_charge_by_key` by the intent key"), "{declared}");
    assert!(declared.contains("The next attempt should ask `Stripe::find_charge_by_key` by that key"), "{declared}");
    assert!(declared.contains("handler->>provider: should ask Stripe#58;#58;find_charge_by_key"), "{declared}");
    assert!(!declared.contains("asks `Stripe") && !declared.contains("One external effect"), "{declared}");
    let keyed = Contract { reconcile: None, ..card() };
    let same = told(keyed.clone(), KeyState::Stable, Proofs::default());
    assert!(same.contains("dispatches with the same key, which stripe-v1 recognises"), "{same}");
    assert!(same.contains("handler->>provider: dispatch with the same key"));
    assert!(same.contains("handler->>provider: dispatch with the intent key"));
    let bare = told(keyed.clone(), KeyState::NotCarried, Proofs::default());
    assert!(bare.contains("handler->>provider: dispatch without a key"), "{bare}");
    let fresh = told(keyed, KeyState::PerAttempt, Proofs::default());
    assert!(fresh.contains("handler->>provider: dispatch with a key that is not shown to be the same"), "{fresh}");
    assert!(fresh.contains("may take that for a new effect: the key is another one for each attempt"), "{fresh}");
    assert!(!fresh.contains("same key") && !fresh.contains("One external effect"), "{fresh}");
}

#[test]
fn handlers_are_sorted_and_their_anchors_unique() {
    let named = |path: &str, name: &str| {
        let mut contract = handler(Contract { name: Some(name.into()), ..card() });
        contract.handler = path.into();
        contract
    };
    let text = rendered(&[named("shop::b", "second"), named("shop::a", "two"), named("shop::a", "one")]);
    let shape = shape(&text);
    assert_eq!(shape.sections, ["one", "two", "second"]);
    assert_eq!(shape.links, ["#shop-a", "#shop-a-2", "#shop-b"]);
}

#[test]
fn an_outbox_has_no_unknown_outcome() {
    let text = rendered(&[handler(Contract {
        provider: Some("outbox".into()),
        mechanism: Some(Mechanism::Transaction),
        provider_window: Some(Window::Forever),
        reconcile: None,
        ..card()
    })]);
    assert!(text.contains("its outcome is never unknown"), "{text}");
    assert!(text.contains("commit the state and the effect together"));
}

#[test]
fn what_cannot_be_asked_is_not_promised() {
    let text = rendered(&[handler(Contract {
        provider: Some("smtp".into()),
        mechanism: Some(Mechanism::None),
        provider_window: Some(Window::None),
        reconcile: Some(Remedy::None("a mail server cannot be asked".into())),
        delivery: Some(Delivery::AtMostOnce),
        ..card()
    })]);
    assert!(text.contains("\nsmtp neither recognises a repeat nor can be asked."), "{text}");
    assert!(text.contains("smtp cannot be asked: a mail server cannot be asked."));
    assert!(text.contains("the task is lost"));
}

#[test]
fn allows_findings_and_evidence_are_shown() {
    let contract = handler(card());
    let guarantee = guarantee(&contract);
    let document = document(
        vec![Input {
            allows: vec![AllowLine {
                rule: "missing-field".into(),
                reason: "agreed | with audit".into(),
                owner: Some("payments".into()),
                until: Some("2027-06-30".into()),
            }],
            findings: vec![FindingLine {
                level: "deny".into(),
                rule: "coarse-key".into(),
                message: "the key is `x`".into(),
                file: "src/a.rs".into(),
            }],
            evidence: vec![(FailureCase::DeliveredTwice, Evidence::Passing)],
            ..input(&contract, &guarantee)
        }],
        Vec::new(),
    );
    let text = built_in().document(&document).expect("a document");
    for part in [
        "| missing-field | agreed \\| with audit | payments | 2027-06-30 |",
        "| deny | coarse-key | the key is \\`x\\` | `src/a.rs` |",
        "| delivered-twice | passing |",
        "| payload-changed | not run |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_table_for_other_files_has_no_links() {
    let contract = handler(card());
    let guarantee = guarantee(&contract);
    let document = document(vec![input(&contract, &guarantee)], Vec::new());
    let table = built_in().table(&document).expect("a table");
    assert_eq!(table.lines().count(), 3);
    assert!(shape(&table).links.is_empty());
    assert!(table.contains("| `invoice/{invoice.id}/charge` | stripe-v1, by key | at least 24h | 7d |"));
}

#[test]
fn one_template_can_be_replaced() {
    let own = BTreeMap::from([("examples.md".to_owned(), "{{ handler.title }} {{ handler.claim }}".to_owned())]);
    let templates = Templates::new(own).expect("templates");
    let contract = handler(Contract { name: Some("a*b*".into()), ..card() });
    let guarantee = guarantee(&contract);
    let document = document(vec![input(&contract, &guarantee)], Vec::new());
    let text = templates.document(&document).expect("a document");
    assert!(text.contains("a\\*b\\* effectively once for the window"), "{text}");
    assert!(!text.contains("lost acknowledgement"));
}

#[test]
fn a_faulty_template_is_an_error_with_its_place() {
    let with = |name: &str, text: &str| {
        let own = BTreeMap::from([(name.to_owned(), text.to_owned())]);
        Templates::new(own).and_then(|it| it.document(&document(Vec::new(), Vec::new())))
    };
    let unknown = with("tabel.md", "").expect_err("an unknown name");
    assert!(unknown.starts_with("no template is named `tabel.md`"), "{unknown}");
    let syntax = with("document.md", "a\n{% if %}").expect_err("a fault");
    assert!(syntax.starts_with("template `document.md`, line 2: "), "{syntax}");
    let missing = with("document.md", "{{ nothing.here }}").expect_err("a fault");
    assert!(missing.starts_with("template `document.md`, line 1: "), "{missing}");
    let endless = with("document.md", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
    assert!(endless.is_err());
    let long = with(
        "document.md",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}",
    );
    assert!(long.is_err());
}

#[test]
fn the_built_in_templates_are_the_named_ones() {
    for name in TEMPLATE_NAMES {
        let own = BTreeMap::from([(name.to_owned(), String::new())]);
        assert!(Templates::new(own).is_ok(), "{name}");
    }
}

fn planned(settings: &crate::config::Docs, files: &[(&str, &str)]) -> Result<Vec<Planned>, String> {
    let first = handler(card());
    let mut second = handler(card());
    second.handler = "mail::receipt".into();
    let (one, two) = (guarantee(&first), guarantee(&second));
    let document = document(vec![input(&first, &one), Input { package: "mail", ..input(&second, &two) }], Vec::new());
    let folders = BTreeMap::from([("shop".to_owned(), String::new()), ("mail".to_owned(), "crates/mail".to_owned())]);
    plan(&document, &built_in(), settings, &folders, &|path| {
        let found = files.iter().find(|(name, _)| *name == path);
        Ok(found.map(|(_, text)| (*text).to_owned()))
    })
}

#[test]
fn a_run_plans_the_document_and_the_tables() {
    let settings = crate::config::Docs { tables: vec!["README.md".into()], ..Default::default() };
    let readme = "# Shop\r\n\r\n<!-- effects:table -->\r\n<!-- effects:end -->\r\n";
    let files = planned(&settings, &[("README.md", readme)]).expect("a plan");
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["README.md", "docs/guarantees.md"]);
    assert!(files.iter().all(Planned::is_stale));
    assert!(files[0].wanted.contains("| mail::receipt |"));
    assert!(files[0].difference().contains("+| mail::receipt |"));
    // what was written is up to date, also after a checkout with other line ends
    let written: Vec<(&str, String)> =
        files.iter().map(|file| (file.path.as_str(), file.wanted.replace("\r\n", "\n"))).collect();
    let written: Vec<(&str, &str)> = written.iter().map(|(a, b)| (*a, b.as_str())).collect();
    let again = planned(&settings, &written).expect("a plan");
    assert!(again.iter().all(|file| !file.is_stale() && file.difference().is_empty()));
}

#[test]
fn each_package_can_have_its_document() {
    let settings = crate::config::Docs { out: Some("GUARANTEES.md".into()), per_package: true, ..Default::default() };
    let files = planned(&settings, &[]).expect("a plan");
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["GUARANTEES.md", "crates/mail/GUARANTEES.md"]);
    assert!(files[1].wanted.contains("mail::receipt") && !files[1].wanted.contains("shop::charge"));
}

#[test]
fn a_file_that_cannot_be_filled_is_an_error() {
    let settings = crate::config::Docs { tables: vec!["README.md".into()], ..Default::default() };
    let error = |files: &[(&str, &str)]| planned(&settings, files).expect_err("no plan");
    assert!(error(&[]).contains("does not exist"));
    assert!(error(&[("README.md", "# Shop\n")]).contains("has no block to fill"));
    let open = error(&[("README.md", "# Shop\n\n<!-- effects:table -->\n")]);
    assert!(open.starts_with("`README.md`, line 3: "), "{open}");
    let both =
        crate::config::Docs { out: Some("README.md".into()), tables: vec!["README.md".into()], ..Default::default() };
    let block = "<!-- effects:table -->\n<!-- effects:end -->\n";
    assert!(planned(&both, &[("README.md", block)]).is_err());
}
