//! Every rule's page is run: marked lines must be flagged, silent examples must stay silent.

mod breadth;
mod page;

use std::collections::BTreeSet;

use super::{RULES, Rule, order};
use crate::findings::Finding;
use crate::pipeline;
use page::{Example, Mark, Page};

#[test]
fn registry_is_sorted_and_named_as_in_the_order_of_rules() {
    assert!(RULES.is_sorted_by_key(|rule| rule.name), "RULES is sorted by name");
    for rule in RULES {
        assert!(order::ORDER.contains(&rule.name), "{} is missing in order.rs", rule.name);
    }
    let unique: BTreeSet<_> = order::ORDER.iter().collect();
    assert_eq!(unique.len(), order::ORDER.len());
}

#[test]
fn summaries_and_messages_have_one_form() {
    for rule in RULES {
        assert_form(rule, rule.summary);
    }
}

#[test]
fn pages_have_their_headings_and_enough_examples() {
    for rule in RULES {
        let page = Page::parse(rule.doc);
        assert_eq!(page.title, rule.name, "title of the page");
        let headings = ["What it flags", "Why it matters", "What to do", "Flagged", "Silent"];
        assert_eq!(page.headings, headings, "headings of {}", rule.name);
        assert!(page.flagged.len() >= 3, "{}: at least three flagged examples", rule.name);
        assert!(page.silent.len() >= 3, "{}: at least three silent examples", rule.name);
    }
}

/// All pages in one test, so that one run shows all that is wrong.
#[test]
fn examples_are_judged_as_their_pages_say() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let page = Page::parse(rule.doc);
        for (flagged, example) in page.flagged.iter().map(|e| (true, e)).chain(page.silent.iter().map(|e| (false, e))) {
            if flagged == example.marks.is_empty() {
                wrong.push(format!(
                    "{} / {}: a flagged example marks lines, a silent one does not",
                    rule.name, example.title
                ));
                continue;
            }
            wrong.extend(judge(rule, example));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A client that takes a key among the options of a call leaves it to its caller whether repeats are told apart.
#[test]
fn a_key_among_options_is_left_to_the_caller() {
    let level = |name: &str| {
        let text = format!(
            "pub struct Sending {{ pub request_id: Option<String> }}
            pub async fn send(http: &reqwest::Client, {name}: Sending) -> anyhow::Result<()> {{
                let key = {name}.request_id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
                http.post(\"https://wire.example\").header(\"Idempotency-Key\", key).send().await?.error_for_status()?;
                Ok(())
            }}"
        );
        found(text, "random-key-fallback").map(|(level, _)| level)
    };
    assert_eq!(level("options").as_deref(), Some("note"));
    assert!(matches!(level("order").as_deref(), Some("warn" | "deny")));
}

/// A line of a history that may be missing is hardly what a message tells of; a row that must be there is.
#[test]
fn a_message_behind_a_row_that_nobody_misses_is_only_possible() {
    let level = |end: &str| {
        let text = format!(
            "pub async fn start(db: &sqlx::PgPool, nats: &async_nats::jetstream::Context, id: i64) -> anyhow::Result<()> {{
                sqlx::query(\"INSERT INTO history (machine) VALUES ($1)\").bind(id).execute(db).await{end};
                nats.publish(\"started\", id.to_string().into()).await?.await?;
                Ok(())
            }}"
        );
        found(text, "dual-write").map(|(level, _)| level)
    };
    assert_eq!(level("?").as_deref(), Some("warn"));
    assert_eq!(level(".ok()").as_deref(), Some("note"));
}

/// Far below, one of several functions acts that a call may mean: it is likely only where all of them do.
#[test]
fn what_one_of_several_does_far_below_is_likely_where_all_of_them_act() {
    let level = |other: &str| {
        let text = format!(
            "use lettre::AsyncTransport;
            pub trait Sink: Send + Sync {{ fn publish(&self, text: &str) -> anyhow::Result<()>; }}
            pub struct Mails {{ smtp: lettre::SmtpTransport }}
            impl Sink for Mails {{
                fn publish(&self, text: &str) -> anyhow::Result<()> {{
                    lettre::Transport::send(&self.smtp, &mail(text))?; Ok(())
                }}
            }}
            pub struct Other {{ smtp: lettre::SmtpTransport, kept: std::sync::Mutex<Vec<String>> }}
            impl Sink for Other {{ fn publish(&self, text: &str) -> anyhow::Result<()> {{ {other} }} }}
            pub struct Shop {{ sink: std::sync::Arc<dyn Sink> }}
            impl Shop {{
                pub async fn close(&self, db: &sqlx::PgPool) -> anyhow::Result<()> {{
                    let mut tx = db.begin().await?;
                    sqlx::query(\"DELETE FROM shops\").execute(&mut *tx).await?;
                    self.first()?;
                    tx.commit().await?;
                    Ok(())
                }}
                fn first(&self) -> anyhow::Result<()> {{ self.second() }}
                fn second(&self) -> anyhow::Result<()> {{ self.third() }}
                fn third(&self) -> anyhow::Result<()> {{ self.sink.publish(\"closed\") }}
            }}"
        );
        found(text, "dispatch-in-transaction").map(|(level, _)| level)
    };
    assert_eq!(level("lettre::Transport::send(&self.smtp, &mail(text))?; Ok(())").as_deref(), Some("warn"));
    assert_eq!(level("self.kept.lock().unwrap().push(text.to_owned()); Ok(())").as_deref(), Some("note"));
}

/// A delivery that comes again after a crash stores the same once more, and then comes to the message, unless it stops before.
#[test]
fn a_message_behind_a_write_that_is_run_again_with_it_is_only_possible() {
    let level = |given: &str, asked: &str| {
        let text = format!(
            "pub async fn start(db: &sqlx::PgPool, nats: &async_nats::jetstream::Context, {given}, id: i64) -> anyhow::Result<()> {{
                {asked}
                sqlx::query(\"UPDATE machines SET state = 'on' WHERE id = $1\").bind(id).execute(db).await?;
                nats.publish(\"started\", id.to_string().into()).await?.await?;
                Ok(())
            }}"
        );
        found(text, "dual-write").map(|(level, _)| level)
    };
    let delivery = "delivery: lapin::message::Delivery";
    let asked = "if sqlx::query(\"SELECT 1 FROM machines WHERE id = $1 AND state = 'on'\").bind(id).fetch_optional(db).await?.is_some() {
        return Ok(());
    }";
    assert_eq!(level("by: i64", "").as_deref(), Some("warn"));
    assert_eq!(level(delivery, asked).as_deref(), Some("warn"));
    assert_eq!(level(delivery, "").as_deref(), Some("note"));
}

/// A message that is put together below the round for another one comes back with the key that it was given.
#[test]
fn a_key_of_a_message_put_together_below_a_round_is_only_possible() {
    let text = "#[derive(serde::Serialize)]
        pub struct PaymentAsked { pub invoice: uuid::Uuid, pub idempotency_key: Option<String> }
        impl PaymentAsked {
            pub fn new(invoice: uuid::Uuid) -> Self {
                Self { invoice, idempotency_key: Some(uuid::Uuid::new_v4().to_string()) }
            }
        }
        async fn ask(pool: &sqlx::PgPool, invoice: uuid::Uuid) -> anyhow::Result<()> {
            let message = serde_json::to_value(PaymentAsked::new(invoice))?;
            sqlx::query(\"SELECT pgmq.send('payments', $1)\").bind(message).execute(pool).await?;
            Ok(())
        }
        pub async fn round(pool: &sqlx::PgPool, due: Vec<(i64, uuid::Uuid)>) -> anyhow::Result<()> {
            for (id, invoice) in due {
                ask(pool, invoice).await?;
                sqlx::query(\"SELECT pgmq.delete('due', $1)\").bind(id).execute(pool).await?;
            }
            Ok(())
        }";
    let level = found(text.to_owned(), "per-attempt-key").map(|(level, _)| level);
    assert_eq!(level.as_deref(), Some("note"));
}

/// What puts a content in its place may be said again, though nobody knows whom it asks.
#[test]
fn a_repeat_that_puts_a_content_in_its_place_is_only_possible_harm() {
    let level = |name: &str| {
        let text = format!(
            "pub async fn {name}(http: &reqwest::Client, id: i64) -> reqwest::Result<()> {{
                for _ in 0..3 {{
                    let sent = http.post(\"https://films.example/parts\").json(&id).send().await;
                    if sent.and_then(|answer| answer.error_for_status()).is_ok() {{
                        break;
                    }}
                }}
                Ok(())
            }}"
        );
        found(text, "retry-without-key").map(|(level, _)| level)
    };
    assert_eq!(level("order").as_deref(), Some("warn"));
    assert_eq!(level("upload_part").as_deref(), Some("note"));
}

/// Whoever reads a message that bears an id of its own can take it once, however often it comes; and a standard queue, which
/// knows no key, is missing none.
#[test]
fn a_message_that_says_which_one_it_is_may_come_again() {
    let message = |id: &str| {
        format!("#[derive(serde::Serialize)] pub struct UsageEvent {{ pub {id}: uuid::Uuid, pub tokens: i64 }}")
    };
    let retried = |id: &str| {
        let text = format!(
            "{} pub async fn report(sqs: &aws_sdk_sqs::Client, event: UsageEvent) -> anyhow::Result<()> {{
                let body = serde_json::to_string(&event)?;
                for _ in 0..3 {{
                    if sqs.send_message().queue_url(\"usage\").message_body(body.clone()).send().await.is_ok() {{
                        return Ok(());
                    }}
                }}
                anyhow::bail!(\"not reported\")
            }}",
            message(id)
        );
        found(text, "retry-without-key").map(|(level, _)| level)
    };
    assert_eq!(retried("event_id").as_deref(), Some("note"));
    assert_eq!(retried("user_id").as_deref(), Some("warn"));
    let batch = |id: &str| {
        let text = format!(
            "{} pub async fn reload(db: &sqlx::PgPool, bus: &mut pulsar::Producer<pulsar::TokioExecutor>) -> anyhow::Result<()> {{
                let rows: Vec<(uuid::Uuid, i64)> = sqlx::query_as(\"SELECT id, tokens FROM waiting\").fetch_all(db).await?;
                for (id, tokens) in rows {{
                    let event = UsageEvent {{ {id}: id, tokens }};
                    bus.create_message().with_content(event).send_non_blocking().await?;
                }}
                Ok(())
            }}",
            message(id)
        );
        found(text, "whole-batch-retried").map(|(level, _)| level)
    };
    assert_eq!(batch("event_id").as_deref(), Some("note"));
    assert_eq!(batch("user_id").as_deref(), Some("warn"));
}

/// Whoever has an address called with a content by a method that a row names wants something done; one that is called without
/// any may as well be looked at.
#[test]
fn a_method_that_a_row_names_acts_with_a_content() {
    let level = |content: &str| {
        let text = format!(
            "pub async fn look(db: &sqlx::PgPool, http: &reqwest::Client) -> anyhow::Result<()> {{
                let mut tx = db.begin().await?;
                let row: (String, String) = sqlx::query_as(\"SELECT method, url FROM calls FOR UPDATE\").fetch_one(&mut *tx).await?;
                let method = row.0.parse::<reqwest::Method>()?;
                http.request(method, row.1){content}.send().await?;
                sqlx::query(\"UPDATE calls SET seen_at = now()\").execute(&mut *tx).await?;
                tx.commit().await?;
                Ok(())
            }}"
        );
        found(text, "dispatch-in-transaction").map(|(level, _)| level)
    };
    assert_eq!(level(".body(\"hello\")").as_deref(), Some("warn"));
    assert_eq!(level("").as_deref(), Some("note"));
}

/// Of a client that only names show, one error among others may be an answer; the arm for all of them is none.
#[test]
fn one_error_among_others_is_only_possibly_in_doubt() {
    let level = |arm: &str| {
        let text = format!(
            "pub enum Error {{ Closed, Chain }}
            pub struct Auction<P> {{ house: crate::bindings::AuctionHouse<P>, db: sqlx::PgPool }}
            impl<P> Auction<P> {{
                async fn close(&self, lot: i64) -> Result<(), Error> {{
                    let pending = self.house.close(lot).send().await.map_err(|_| Error::Chain)?;
                    pending.get_receipt().await.map_err(|_| Error::Closed)?;
                    Ok(())
                }}
                pub async fn run(&self, lot: i64) -> anyhow::Result<()> {{
                    match self.close(lot).await {{
                        Ok(()) => {{}}
                        {arm} => {{
                            sqlx::query(\"DELETE FROM lots WHERE id = $1\").bind(lot).execute(&self.db).await?;
                        }}
                        Err(error) => anyhow::bail!(\"not closed\"),
                    }}
                    Ok(())
                }}
            }}"
        );
        found(text, "unknown-as-failure").map(|(level, _)| level)
    };
    assert_eq!(level("Err(Error::Closed)").as_deref(), Some("note"));
    assert_eq!(level("Err(_)").as_deref(), Some("warn"));
}

/// A call that stands alone, of which nobody sees what it gives, may well give nothing; whoever writes `let _` drops a result.
#[test]
fn an_error_of_what_may_give_nothing_is_only_possibly_swallowed() {
    let level = |before: &str| {
        let text = format!(
            "pub async fn perform(job: u64, bell: &crate::tower::Bell) -> Result<u64, Closed> {{
                {before}bell.toll(job).await;
                if job > 12 {{
                    return Err(Closed);
                }}
                Ok(job)
            }}
            pub struct Closed;"
        );
        let config = "version = 1\n[[handler]]\nfunction = \"a::perform\"\nkind = \"job\"\nagain = [\"Err\"]\n\
            [[dispatch]]\ncall = \"crate::tower::Bell::toll\"\nprovider = \"tower\"\nkey = \"none\"\n\
            [[provider]]\nid = \"tower\"\nmechanism = \"none\"\nwindow_kind = \"none\"";
        let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"";
        let files = [("Cargo.toml", manifest), ("effects.toml", config), ("src/lib.rs", text.as_str())];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec();
        let report = pipeline::check_texts(files, Some("2026-01-01")).expect("a report");
        let found = report.findings.into_iter().find(|finding| finding.rule.name == "unknown-as-success");
        found.map(|finding| finding.level.as_str().to_owned())
    };
    assert_eq!(level("").as_deref(), Some("note"));
    assert_eq!(level("let _ = ").as_deref(), Some("warn"));
}

/// A key that is handed through is missing for those callers alone that leave it out.
#[test]
fn a_key_that_one_caller_leaves_out_is_only_possibly_missing() {
    let level = |callers: &str| {
        let text = format!(
            "use worker_api::{{Client, Error, Invoke}};
            async fn invoke(client: &Client, name: String, key: Option<String>) -> Result<(), Error> {{
                let mut left = 5;
                loop {{
                    let request = Invoke {{ name: name.clone(), idempotency_key: key.clone() }};
                    match client.invoke_agent(request).await {{
                        Ok(_) => return Ok(()),
                        Err(error) if left == 0 => return Err(error),
                        Err(_) => left -= 1,
                    }}
                }}
            }}
            {callers}"
        );
        found(text, "retry-without-key").map(|(level, message)| {
            assert!(!message.contains("carries this key"), "{message}");
            level
        })
    };
    let without = "pub async fn start(client: &Client) -> Result<(), Error> {
        invoke(client, String::from(\"start\"), None).await
    }";
    let with = "pub async fn pay(client: &Client, order: String) -> Result<(), Error> {
        invoke(client, String::from(\"pay\"), Some(order)).await
    }";
    assert_eq!(level(without).as_deref(), Some("warn"));
    assert_eq!(level(&format!("{without} {with}")).as_deref(), Some("note"));
    assert_eq!(level(with), None);
}

/// A commit that fails takes nothing back where the transaction only reads.
#[test]
fn an_effect_in_a_transaction_that_only_reads_is_a_note() {
    let level = |statement: &str| {
        let text = format!(
            "pub async fn ring(pool: &sqlx::PgPool, http: &reqwest::Client, bell: i64) -> anyhow::Result<()> {{
                let mut tx = pool.begin().await?;
                sqlx::query(\"{statement}\").bind(bell).execute(&mut *tx).await?;
                http.post(\"https://bells.example/rings\").json(&bell).send().await?.error_for_status()?;
                tx.commit().await?;
                Ok(())
            }}"
        );
        found(text, "dispatch-in-transaction").map(|(level, _)| level)
    };
    assert_eq!(level("SELECT name FROM bells WHERE id = $1").as_deref(), Some("note"));
    assert_eq!(level("UPDATE bells SET rung = true WHERE id = $1").as_deref(), Some("warn"));
}

/// What only tests use is judged like them.
#[test]
fn a_package_for_tests_alone_is_not_linted() {
    let rig = "pub async fn send(http: &reqwest::Client, id: i64) -> reqwest::Result<()> {
        for _ in 0..3 {
            if http.post(\"https://a.example/send\").json(&id).send().await.is_ok() {
                break;
            }
        }
        Ok(())
    }";
    let files = |section: &str| {
        let app = format!("[package]\nname = \"app\"\nversion = \"0.1.0\"\n[{section}]\nrig = {{ path = \"rig\" }}");
        vec![
            ("Cargo.toml".to_owned(), format!("{app}\n[workspace]\nmembers = [\"rig\"]")),
            ("src/lib.rs".to_owned(), String::new()),
            ("rig/Cargo.toml".to_owned(), "[package]\nname = \"rig\"\nversion = \"0.1.0\"\npublish = false".to_owned()),
            ("rig/src/lib.rs".to_owned(), rig.to_owned()),
        ]
    };
    let count = |section: &str| findings_in("rig/src/lib.rs", files(section));
    assert_ne!(count("dependencies"), 0);
    assert_eq!(count("dev-dependencies"), 0);
    // A name may say so as well, where nobody has thought of publishing.
    let named = |name: &str| {
        let files =
            files("dev-dependencies").into_iter().map(|(path, text)| (path, text.replace("\npublish = false", "")));
        let files = files.map(|(path, text)| (path, text.replace("name = \"rig\"", &format!("name = \"{name}\""))));
        let files = files.map(|(path, text)| (path, text.replace("rig = {", &format!("{name} = {{"))));
        findings_in("rig/src/lib.rs", files.collect())
    };
    assert_ne!(named("rig"), 0);
    assert_eq!(named("shop-test-rig"), 0);
}

/// How much is found in one file of a workspace.
fn findings_in(file: &str, files: Vec<(String, String)>) -> usize {
    let report = pipeline::check_texts(files, Some("2026-01-01")).expect("a report");
    report.findings.iter().filter(|finding| finding.at.file == file).count()
}

/// What automates the work on a workspace is no part of what it ships, though it is a program and may be published.
#[test]
fn the_package_that_automates_a_workspace_is_not_linted() {
    let count = |name: &str| {
        let root = "[workspace]\nmembers = [\"tool\"]\n[package]\nname = \"app\"\nversion = \"0.1.0\"";
        let bench = "fn main() {}
            pub fn report(http: reqwest::Client) {
                tokio::spawn(async move {
                    let _ = http.post(\"https://boards.example/runs\").send().await;
                });
            }";
        let files = vec![
            ("Cargo.toml".to_owned(), root.to_owned()),
            ("src/lib.rs".to_owned(), String::new()),
            ("tool/Cargo.toml".to_owned(), format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"")),
            ("tool/src/main.rs".to_owned(), bench.to_owned()),
        ];
        findings_in("tool/src/main.rs", files)
    };
    assert_ne!(count("uploader"), 0);
    assert_eq!(count("xtask"), 0);
}

/// What is lost with a question, an answer or a count is little beside what is lost with an order.
#[test]
fn what_is_asked_answered_or_counted_in_a_detached_task_is_only_possible() {
    let level = |name: &str| {
        let text = format!(
            "async fn {name}(http: &reqwest::Client, id: i64) {{
                let _ = http.post(\"https://peer.example/messages\").json(&id).send().await;
            }}
            pub fn start(http: reqwest::Client, id: i64) {{
                tokio::spawn(async move {{ {name}(&http, id).await }});
            }}"
        );
        found(text, "detached-effect").map(|(level, _)| level)
    };
    assert_eq!(level("place_order").as_deref(), Some("warn"));
    for name in ["start_ans", "send_reply", "prefetch_tiles", "fetch_tiles", "send_heartbeat"] {
        assert_eq!(level(name).as_deref(), Some("note"), "{name}");
    }
    let telemetry = "pub mod telemetry {
            pub fn capture(http: reqwest::Client, event: String) {
                tokio::spawn(async move {
                    let _ = http.post(\"https://stats.example/events\").body(event).send().await;
                });
            }
        }";
    assert_eq!(found(telemetry.to_owned(), "detached-effect").map(|(level, _)| level).as_deref(), Some("note"));
}

/// Level and message of what a rule says of one source file.
fn found(text: String, rule: &str) -> Option<(String, String)> {
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"";
    let files = vec![("Cargo.toml".to_owned(), manifest.to_owned()), ("src/lib.rs".to_owned(), text)];
    let report = pipeline::check_texts(files, Some("2026-01-01")).expect("a report");
    let found = report.findings.into_iter().find(|finding| finding.rule.name == rule);
    found.map(|finding| (finding.level.as_str().to_owned(), finding.message))
}

fn judge(rule: &Rule, example: &Example) -> Vec<String> {
    let report = match pipeline::check_texts(example.files.clone(), Some("2026-01-01")) {
        Ok(report) => report,
        Err(problem) => return vec![format!("{} / {}: {problem}", rule.name, example.title)],
    };
    let findings: Vec<&Finding> = report.findings.iter().filter(|finding| finding.rule.name == rule.name).collect();
    for finding in &findings {
        assert_form(rule, &finding.message);
        assert_form(rule, &finding.help);
        for step in &finding.path {
            assert_form(rule, &step.note);
        }
    }
    let mut expected: Vec<(String, u32)> = Vec::new();
    let mut wrong = Vec::new();
    for Mark { file, line, what } in &example.marks {
        if what == "path" {
            let has = findings
                .iter()
                .flat_map(|finding| &finding.path)
                .any(|step| step.at.file == *file && step.at.start.line == *line);
            if !has {
                wrong.push(format!("{} / {}: no way leads over {file}:{line}", rule.name, example.title));
            }
        } else if what == rule.name {
            expected.push((file.clone(), *line));
        }
    }
    let mut found: Vec<(String, u32)> =
        findings.iter().map(|finding| (finding.at.file.clone(), finding.at.start.line)).collect();
    expected.sort();
    found.sort();
    if expected != found {
        let others: Vec<String> = report
            .findings
            .iter()
            .map(|f| {
                format!("    {}:{} {} {}: {}", f.at.file, f.at.start.line, f.level.as_str(), f.rule.name, f.message)
            })
            .collect();
        wrong.push(format!(
            "{} / {}: expected {expected:?}, found {found:?}; all findings:\n{}",
            rule.name,
            example.title,
            others.join("\n")
        ));
    }
    wrong
}

/// Lower case at the start (a quoted name may stand there), no full stop at the end.
fn assert_form(rule: &Rule, text: &str) {
    let first = text.chars().next();
    assert!(first.is_some(), "{}: an empty text", rule.name);
    assert!(!first.is_some_and(char::is_uppercase), "{}: lower case: {text}", rule.name);
    assert!(!text.ends_with('.'), "{}: no full stop: {text}", rule.name);
}
