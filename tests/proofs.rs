//! What the code around a declared effect proves, and what that makes of its guarantee.

use cargo_effects::guarantee::{Claim, Guarantee};
use cargo_effects::pipeline;

/// The guarantee of the one effect that is declared in a file.
fn guarantee(code: &str) -> Guarantee {
    let texts = vec![("src/lib.rs".to_owned(), code.to_owned())];
    let analysis = pipeline::analyse_texts(texts).expect("it can be analysed");
    let [guarantee] = &analysis.guarantees[..] else { panic!("{} effects", analysis.guarantees.len()) };
    guarantee.clone()
}

/// A handler that orders a label under a key, by what it does before.
fn order(before: &str) -> Guarantee {
    guarantee(&ORDER.replace("BEFORE", before))
}

const ORDER: &str = r#"
use effect_contracts::effect;
use sqlx::PgPool;

pub struct Order { pub id: i64, pub city: String }
pub struct Label { pub number: String }
pub enum Failure { Store(sqlx::Error), Carrier(reqwest::Error), Unknown }
impl From<sqlx::Error> for Failure { fn from(error: sqlx::Error) -> Self { Self::Store(error) } }
impl From<reqwest::Error> for Failure { fn from(error: reqwest::Error) -> Self { Self::Carrier(error) } }

pub struct Carrier { http: reqwest::Client }

impl Carrier {
    pub async fn find_label(&self, key: &str) -> Result<Option<Label>, reqwest::Error> {
        let answer = self.http.get("https://labels.example/v1/labels").query(&[("reference", key)]).send().await?;
        if answer.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let number = answer.error_for_status()?.text().await?;
        Ok(Some(Label { number }))
    }
}

async fn settle(db: &PgPool, order: i64, label: &str) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE labels SET state = 'bought', number = $2 WHERE order_id = $1").bind(order).bind(label).execute(db).await?;
    Ok(())
}

#[effect(
    intent_key = "label/{order.id}",
    provider = "labels",
    provider_window = at_least("24h"),
    mechanism = key,
    terminal = [confirmed = "bought"],
    replay_horizon = "7d",
    reconcile = Carrier::find_label,
    operator = "runbooks/labels.md",
    bind = key,
)]
pub async fn buy_label(carrier: &Carrier, db: &PgPool, order: &Order) -> Result<(), Failure> {
    BEFORE
    let answer = carrier
        .http
        .post("https://labels.example/v1/labels")
        .header("Idempotency-Key", key.as_str())
        .body(order.city.clone())
        .send()
        .await?;
    let number = answer.error_for_status()?.text().await?;
    settle(db, order.id, &number).await?;
    Ok(())
}
"#;

const CLAIM: &str = r#"
    let won = sqlx::query("INSERT INTO labels (order_id, state) VALUES ($1, 'asked') ON CONFLICT (order_id) DO NOTHING")
        .bind(order.id).execute(db).await?.rows_affected() == 1;
"#;

#[test]
fn a_lookup_on_every_way_is_asked_first() {
    let asked = order(
        "if let Some(label) = carrier.find_label(key.as_str()).await? { settle(db, order.id, &label.number).await?; return Ok(()); }",
    );
    assert!(asked.proofs.lookup, "{}", asked.sentence.plain());
    assert_eq!(asked.claim, Claim::WindowThenLookup);
    let told = order(
        "match carrier.find_label(key.as_str()).await {
            Ok(Some(label)) => { settle(db, order.id, &label.number).await?; return Ok(()); }
            Ok(None) => {}
            Err(_) => return Err(Failure::Unknown),
        }",
    );
    assert_eq!(told.claim, Claim::WindowThenLookup);
}

#[test]
fn a_lookup_that_is_not_heeded_proves_nothing() {
    for before in [
        // never asked
        "",
        // an error counts as nothing found
        "match carrier.find_label(key.as_str()).await {
            Ok(Some(label)) => { settle(db, order.id, &label.number).await?; return Ok(()); }
            _ => {}
        }",
        "if let Ok(Some(label)) = carrier.find_label(key.as_str()).await { settle(db, order.id, &label.number).await?; return Ok(()); }",
        "if let Some(label) = carrier.find_label(key.as_str()).await.unwrap_or_default() { settle(db, order.id, &label.number).await?; return Ok(()); }",
        // what was found is stored, and bought again
        "if let Some(label) = carrier.find_label(key.as_str()).await? { settle(db, order.id, &label.number).await?; }",
        "let _ = carrier.find_label(key.as_str()).await?;",
        // by something else than the key
        "if let Some(label) = carrier.find_label(&order.city).await? { settle(db, order.id, &label.number).await?; return Ok(()); }",
        // on some ways only
        "if order.city == \"Bern\" { if let Some(label) = carrier.find_label(key.as_str()).await? { settle(db, order.id, &label.number).await?; return Ok(()); } }",
    ] {
        let claim = order(before).claim;
        assert_eq!(claim, Claim::WindowThenRepeat, "{before}");
    }
}

#[test]
fn a_new_intent_need_not_be_asked_for() {
    let lost = |lookup: &str| order(&format!("{CLAIM} if !won {{ {lookup} }}"));
    let asks = "if let Some(label) = carrier.find_label(key.as_str()).await? { settle(db, order.id, &label.number).await?; return Ok(()); }";
    assert_eq!(lost(asks).claim, Claim::WindowThenLookup);
    // who has won asks, and who comes later buys again
    assert_eq!(order(&format!("{CLAIM} if won {{ {asks} }}")).claim, Claim::WindowThenRepeat);
    let read = |insert: &str, rest: &str| {
        order(&format!(
            "let row = sqlx::query(\"SELECT state FROM labels WHERE order_id = $1\").bind(order.id).fetch_optional(db).await?;
             match row {{ Some(_) => {{ {asks} }} None => {{ {insert} }} }} {rest}"
        ))
    };
    let insert =
        "sqlx::query(\"INSERT INTO labels (order_id, state) VALUES ($1, 'asked')\").bind(order.id).execute(db).await?;";
    // a run that has crashed has left no row
    assert_eq!(read("", "").claim, Claim::WindowThenRepeat);
    assert_eq!(read("", insert).claim, Claim::WindowThenLookup);
}

#[test]
fn an_intent_is_persisted_before_the_dispatch() {
    let persisted = |before: &str| order(before).proofs.intent_persisted;
    assert!(!persisted(""));
    assert!(persisted(CLAIM));
    let insert = |executor: &str| {
        format!("sqlx::query(\"INSERT INTO labels (order_id) VALUES ($1)\").bind(order.id).execute({executor}).await?;")
    };
    assert!(persisted(&insert("db")));
    assert!(persisted(&format!("let mut tx = db.begin().await?; {} tx.commit().await?;", insert("&mut *tx"))));
    // nothing is there until the transaction ends, and on some ways nothing is written
    assert!(!persisted(&format!("let mut tx = db.begin().await?; {}", insert("&mut *tx"))));
    assert!(!persisted(&format!("if order.city.is_empty() {{ {} }}", insert("db"))));
    // another row
    assert!(!persisted("sqlx::query(\"INSERT INTO cities (name) VALUES ($1)\").bind(&order.city).execute(db).await?;"));
}

#[test]
fn an_update_under_the_token_is_fenced() {
    let work = |update: &str| {
        guarantee(&format!(
            r#"
            use effect_contracts::effect;
            pub struct Lease {{ pub row: i64, pub token: uuid::Uuid }}
            #[effect(
                intent_key = "page/{{lease.row}}",
                provider = "pages",
                provider_window = none,
                mechanism = absolute_write,
                terminal = [confirmed = "done"],
                fence = "lease.token",
                reconcile = none("a page is replaced whole"),
            )]
            pub async fn publish(db: &sqlx::PgPool, http: &reqwest::Client, lease: &Lease, page: String) -> anyhow::Result<()> {{
                http.put(format!("https://pages.example/{{}}", lease.row)).body(page).send().await?.error_for_status()?;
                {update}
                Ok(())
            }}
            "#
        ))
    };
    let fenced = work(
        "let done = sqlx::query(\"UPDATE pages SET state = 'done' WHERE id = $1 AND token = $2\")
            .bind(lease.row).bind(lease.token).execute(db).await?;
         anyhow::ensure!(done.rows_affected() == 1, \"lost\");",
    );
    assert!(fenced.proofs.fence && fenced.proofs.absolute_write, "{:?}", fenced.proofs);
    assert_eq!(fenced.claim, Claim::Harmless);
    assert_eq!(fenced.questions.commit_twice.plain(), "no: the commit checks the fence `lease.token`");
    for update in [
        "",
        // nobody looks whether a row was changed
        "sqlx::query(\"UPDATE pages SET state = 'done' WHERE id = $1 AND token = $2\").bind(lease.row).bind(lease.token).execute(db).await?;",
        // the token is written, and not asked for
        "let done = sqlx::query(\"UPDATE pages SET state = 'done', token = $2 WHERE id = $1\")
            .bind(lease.row).bind(lease.token).execute(db).await?;
         anyhow::ensure!(done.rows_affected() == 1, \"lost\");",
    ] {
        assert!(!work(update).proofs.fence, "{update}");
    }
}

#[test]
fn an_absolute_write_adds_nothing() {
    let write = |statement: &str| {
        guarantee(&format!(
            r#"
            use effect_contracts::effect;
            pub struct Plan {{ pub account: i64, pub seats: i64 }}
            #[effect(
                intent_key = "plan/{{plan.account}}",
                provider = "postgres",
                provider_window = none,
                mechanism = absolute_write,
                terminal = [confirmed],
                reconcile = none("the row says it"),
            )]
            pub async fn grant(db: &sqlx::PgPool, plan: &Plan) -> sqlx::Result<()> {{
                sqlx::query("{statement}").bind(plan.account).bind(plan.seats).execute(db).await?;
                Ok(())
            }}
            "#
        ))
        .claim
    };
    assert_eq!(write("UPDATE plans SET seats = $2 WHERE account = $1"), Claim::Harmless);
    assert_eq!(
        write(
            "INSERT INTO plans (account, seats) VALUES ($1, $2) ON CONFLICT (account) DO UPDATE SET seats = EXCLUDED.seats"
        ),
        Claim::Harmless
    );
    assert_eq!(write("UPDATE plans SET seats = seats + $2 WHERE account = $1"), Claim::AtLeastOnce);
    assert_eq!(write("INSERT INTO grants (account, seats) VALUES ($1, $2)"), Claim::AtLeastOnce);
}
