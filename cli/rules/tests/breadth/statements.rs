//! Databases that are told what to do by a text.

use super::{Pair, judge};

/// A change by a difference that is tried again, and the same as an absolute value.
#[test]
fn a_difference_that_is_tried_again() {
    judge(&[
        Pair {
            of: "scylla",
            rule: "relative-write",
            text: "pub async fn count(session: &scylla::client::session::Session, shop: i64, by: i64) -> anyhow::Result<()> {
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    session.query_unpaged(\"UPDATE sales @ WHERE shop = ?\", (by, shop)).await?;
                    Ok(())
                }).await
            }",
            flagged: "SET quantity = quantity + ?",
            silent: "SET quantity = ?",
        },
        Pair {
            of: "scylla, prepared",
            rule: "relative-write",
            text: "pub async fn count(session: &scylla::Session, shop: i64, by: i64) -> anyhow::Result<()> {
                let add = session.prepare(\"UPDATE sales @ WHERE shop = ?\").await?;
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    session.execute_unpaged(&add, (by, shop)).await?;
                    Ok(())
                }).await
            }",
            flagged: "SET quantity = quantity + ?",
            silent: "SET quantity = ?",
        },
        Pair {
            of: "libsql",
            rule: "relative-write",
            text: "pub async fn credit(db: &libsql::Database, member: i64, by: i64) -> anyhow::Result<()> {
                let conn = db.connect()?;
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    conn.execute(\"UPDATE wallets @ WHERE member = ?2\", libsql::params![by, member]).await?;
                    Ok(())
                }).await
            }",
            flagged: "SET balance = balance + ?1",
            silent: "SET balance = ?1",
        },
        Pair {
            of: "turso",
            rule: "relative-write",
            text: "pub async fn credit(db: &turso::Database, member: i64, by: i64) -> anyhow::Result<()> {
                let mut conn = db.connect()?;
                for _ in 0..3 {
                    let done = conn.execute(\"UPDATE wallets @ WHERE member = ?2\", (by, member)).await;
                    if done.is_ok() { break; }
                }
                Ok(())
            }",
            flagged: "SET balance = balance + ?1",
            silent: "SET balance = ?1",
        },
        Pair {
            of: "tiberius",
            rule: "relative-write",
            text: "pub async fn take(client: &mut tiberius::Client<Stream>, delivery: &lapin::message::Delivery) -> anyhow::Result<()> {
                let sale: Sale = serde_json::from_slice(&delivery.data)?;
                let mut query = tiberius::Query::new(\"UPDATE articles @ WHERE id = @P2\");
                query.bind(sale.pieces);
                query.bind(sale.article);
                query.execute(client).await?;
                delivery.ack(lapin::options::BasicAckOptions::default()).await?;
                Ok(())
            }
            #[derive(serde::Deserialize)] pub struct Sale { pieces: i32, article: i64 }",
            flagged: "SET stock -= @P1",
            silent: "SET stock = @P1",
        },
        Pair {
            of: "surrealdb",
            rule: "relative-write",
            text: "pub async fn credit(db: &surrealdb::Surreal<surrealdb::engine::remote::ws::Client>, by: i64) -> anyhow::Result<()> {
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    db.query(\"UPDATE wallet @ WHERE owner = $owner\").bind((\"by\", by)).await?;
                    Ok(())
                }).await
            }",
            flagged: "SET balance += $by",
            silent: "SET balance = $by",
        },
        Pair {
            of: "rbatis",
            rule: "relative-write",
            text: "pub async fn credit(rb: &rbatis::RBatis, member: i64, by: i64) -> anyhow::Result<()> {
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    rb.exec(\"update wallets @ where member = ?\", vec![rbs::value!(by), rbs::value!(member)]).await?;
                    Ok(())
                }).await
            }",
            flagged: "set balance = balance + ?",
            silent: "set balance = ?",
        },
        Pair {
            of: "D1",
            rule: "relative-write",
            text: "pub async fn credit(env: &worker::Env, member: i64, by: i64) -> worker::Result<()> {
                let db = env.d1(\"DB\")?;
                for _ in 0..3 {
                    let change = db.prepare(\"UPDATE wallets @ WHERE member = ?2\");
                    if change.bind(&[by.into(), member.into()])?.run().await.is_ok() { break; }
                }
                Ok(())
            }",
            flagged: "SET balance = balance + ?1",
            silent: "SET balance = ?1",
        },
        Pair {
            of: "gcloud-spanner",
            rule: "relative-write",
            text: "use gcloud_spanner::statement::Statement;
            use gcloud_spanner::transaction_rw::ReadWriteTransaction;
            pub async fn on_sale(tx: &mut ReadWriteTransaction, delivery: &lapin::message::Delivery) -> anyhow::Result<()> {
                let sale: Sale = serde_json::from_slice(&delivery.data)?;
                let mut change = Statement::new(\"UPDATE articles @ WHERE id = @id\");
                change.add_param(\"by\", &sale.pieces);
                tx.update(change).await?;
                delivery.ack(lapin::options::BasicAckOptions::default()).await?;
                Ok(())
            }
            #[derive(serde::Deserialize)] pub struct Sale { pieces: i32, article: i64 }",
            flagged: "SET stock = stock - @by",
            silent: "SET stock = @by",
        },
    ]);
}

/// Acknowledged before the row is there, and behind it.
#[test]
fn a_delivery_that_is_acknowledged_first() {
    judge(&[Pair {
        of: "clickhouse",
        rule: "ack-before-persist",
        text: "pub async fn readings(mut consumer: lapin::Consumer, table: &clickhouse::Client) -> anyhow::Result<()> {
            use futures::StreamExt;
            while let Some(delivery) = consumer.next().await {
                let delivery = delivery?;
                let reading: Reading = serde_json::from_slice(&delivery.data)?;
                @
            }
            Ok(())
        }
        #[derive(serde::Deserialize)] pub struct Reading { kwh: f64 }",
        flagged: "delivery.ack(lapin::options::BasicAckOptions::default()).await?;
            let mut rows = table.insert::<Reading>(\"readings\").await?;
            rows.write(&reading).await?;
            rows.end().await?;",
        silent: "let mut rows = table.insert::<Reading>(\"readings\").await?;
            rows.write(&reading).await?;
            rows.end().await?;
            delivery.ack(lapin::options::BasicAckOptions::default()).await?;",
    }]);
}

/// A lightweight transaction is a claim, and its answer says who has it.
#[test]
fn a_claim_whose_answer_nobody_reads() {
    judge(&[Pair {
        of: "scylla",
        rule: "ignored-claim",
        text: "pub async fn on_order(session: &scylla::Session, smtp: &lettre::AsyncSmtpTransport<lettre::Tokio1Executor>, order: uuid::Uuid) -> anyhow::Result<()> {
            let claim = session.query_unpaged(\"INSERT INTO mailed (id) VALUES (?) IF NOT EXISTS\", (order,)).await?;
            @
            lettre::AsyncTransport::send(smtp, mail(order)).await?;
            Ok(())
        }",
        flagged: "",
        silent: "let (applied,): (bool,) = claim.into_rows_result()?.first_row()?;
            if !applied { return Ok(()); }",
    }]);
}
