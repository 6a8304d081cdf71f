//! Stores of documents and pairs, and pools of connections.

use super::{Pair, judge};

/// A counter that is tried again, and the same as an absolute value.
#[test]
fn a_counter_that_is_tried_again() {
    let retried = |of, text, flagged, silent| Pair { of, rule: "relative-write", text, flagged, silent };
    judge(&[
        retried(
            "memcache",
            "pub fn spend(client: &memcache::Client, tenant: &str, tokens: u64) -> Result<(), memcache::MemcacheError> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.decrement(&format!(\"quota:{tenant}\"), tokens)",
            "client.set(&format!(\"quota:{tenant}\"), tokens, 0)",
        ),
        retried(
            "fred",
            "use fred::interfaces::KeysInterface;
            pub async fn spend(client: &fred::clients::Client, tenant: &str, tokens: i64) -> anyhow::Result<()> {
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
                    let _: i64 = @.await?;
                    Ok(())
                }).await
            }",
            "client.decr_by(format!(\"quota:{tenant}\"), tokens)",
            "client.set(format!(\"quota:{tenant}\"), tokens, None, None, false)",
        ),
        retried(
            "bb8 over Redis",
            "use bb8_redis::redis::AsyncCommands;
            pub async fn spend(pool: &bb8::Pool<bb8_redis::RedisConnectionManager>, tenant: &str, tokens: i64) -> anyhow::Result<()> {
                let mut client = pool.get().await?;
                for _ in 0..3 { if @.await.is_ok() { break; } }
                Ok(())
            }",
            "client.decr::<_, _, i64>(format!(\"quota:{tenant}\"), tokens)",
            "client.set::<_, _, ()>(format!(\"quota:{tenant}\"), tokens)",
        ),
    ]);
}

/// The connection that a pool gives is that of the crate inside it.
#[test]
fn a_difference_through_a_pool() {
    let retried = |of, text| Pair {
        of,
        rule: "relative-write",
        text,
        flagged: "SET balance = balance + $1",
        silent: "SET balance = $1",
    };
    judge(&[
        retried(
            "bb8 over Postgres",
            "pub async fn credit(pool: &bb8::Pool<bb8_postgres::PostgresConnectionManager<tokio_postgres::NoTls>>, id: i64, by: i64) -> anyhow::Result<()> {
                for _ in 0..3 {
                    if pool.get().await?.execute(\"UPDATE wallets @ WHERE id = $2\", &[&by, &id]).await.is_ok() { break; }
                }
                Ok(())
            }",
        ),
        retried(
            "r2d2 over SQLite",
            "pub fn credit(pool: &r2d2::Pool<r2d2_sqlite::SqliteConnectionManager>, id: i64, by: i64) -> anyhow::Result<()> {
                let conn = pool.get()?;
                for _ in 0..3 {
                    if conn.execute(\"UPDATE wallets @ WHERE id = $2\", rusqlite::params![by, id]).is_ok() { break; }
                }
                Ok(())
            }",
        ),
        retried(
            "r2d2 over Postgres",
            "pub fn credit(pool: &r2d2::Pool<r2d2_postgres::PostgresConnectionManager<postgres::NoTls>>, id: i64, by: i64) -> anyhow::Result<()> {
                let mut conn = pool.get()?;
                for _ in 0..3 {
                    if conn.execute(\"UPDATE wallets @ WHERE id = $2\", &[&by, &id]).is_ok() { break; }
                }
                Ok(())
            }",
        ),
        retried(
            "deadpool over SQLite",
            "pub async fn credit(pool: &deadpool_sqlite::Pool, id: i64, by: i64) -> anyhow::Result<()> {
                for _ in 0..3 {
                    let conn = pool.get().await?;
                    let done = conn.interact(move |conn| conn.execute(\"UPDATE wallets @ WHERE id = $2\", rusqlite::params![by, id])).await?;
                    if done.is_ok() { break; }
                }
                Ok(())
            }",
        ),
    ]);
    let diesel = |of, text| Pair {
        of,
        rule: "relative-write",
        text,
        flagged: "wallets::balance.eq(wallets::balance + by)",
        silent: "wallets::balance.eq(by)",
    };
    judge(&[
        diesel(
            "r2d2 over diesel",
            "use diesel::prelude::*;
            use crate::schema::wallets;
            pub fn credit(pool: &diesel::r2d2::Pool<diesel::r2d2::ConnectionManager<PgConnection>>, id: i64, by: i64) -> anyhow::Result<()> {
                let mut conn = pool.get()?;
                for _ in 0..3 {
                    if diesel::update(wallets::table.find(id)).set(@).execute(&mut conn).is_ok() { break; }
                }
                Ok(())
            }",
        ),
        diesel(
            "deadpool over diesel",
            "use diesel::prelude::*;
            use crate::schema::wallets;
            pub async fn credit(pool: &deadpool_diesel::postgres::Pool, id: i64, by: i64) -> anyhow::Result<()> {
                for _ in 0..3 {
                    let conn = pool.get().await?;
                    let done = conn.interact(move |conn| diesel::update(wallets::table.find(id)).set(@).execute(conn)).await?;
                    if done.is_ok() { break; }
                }
                Ok(())
            }",
        ),
        diesel(
            "a pool of diesel-async",
            "use diesel::prelude::*;
            use diesel_async::RunQueryDsl;
            use crate::schema::wallets;
            pub async fn credit(pool: &diesel_async::pooled_connection::deadpool::Pool<diesel_async::AsyncPgConnection>, id: i64, by: i64) -> anyhow::Result<()> {
                let mut conn = pool.get().await?;
                for _ in 0..3 {
                    if diesel::update(wallets::table.find(id)).set(@).execute(&mut conn).await.is_ok() { break; }
                }
                Ok(())
            }",
        ),
    ]);
}

/// Acknowledged before it is there, and behind it.
#[test]
fn a_delivery_that_is_acknowledged_first() {
    const TEXT: &str = "pub async fn readings(mut consumer: lapin::Consumer, store: Store) -> anyhow::Result<()> {
        use futures::StreamExt;
        while let Some(delivery) = consumer.next().await {
            let delivery = delivery?;
            let reading: Reading = serde_json::from_slice(&delivery.data)?;
            @
        }
        Ok(())
    }
    #[derive(serde::Deserialize)] pub struct Reading { meter: String, kwh: f64 }
    ";
    const ACK: &str = "delivery.ack(lapin::options::BasicAckOptions::default()).await?;";
    let stores = [
        ("sled", "type Store = sled::Db;", "store.insert(&reading.meter, &reading.kwh.to_be_bytes())?;"),
        (
            "redb",
            "type Store = redb::Database;",
            "let tx = store.begin_write()?; { let mut table = tx.open_table(READINGS)?; table.insert(&*reading.meter, reading.kwh)?; } tx.commit()?;",
        ),
        (
            "rocksdb",
            "type Store = std::sync::Arc<rocksdb::DB>;",
            "store.put(&reading.meter, &reading.kwh.to_be_bytes())?;",
        ),
        (
            "tikv_client",
            "type Store = tikv_client::TransactionClient;",
            "let mut tx = store.begin_optimistic().await?; tx.put(reading.meter.clone(), vec![1]).await?; tx.commit().await?;",
        ),
        (
            "firestore",
            "type Store = firestore::FirestoreDb;",
            "store.fluent().insert().into(\"readings\").document_id(&reading.meter).object(&reading).execute::<()>().await?;",
        ),
        (
            "elasticsearch",
            "type Store = elasticsearch::Elasticsearch;",
            "store.index(elasticsearch::IndexParts::Index(\"readings\")).body(&reading).send().await?;",
        ),
        (
            "azure_data_cosmos",
            "type Store = azure_data_cosmos::clients::ContainerClient;",
            "store.upsert_item(\"meters\", &reading.meter, &reading, None).await?;",
        ),
        (
            "etcd-client",
            "type Store = etcd_client::KvClient;",
            "store.clone().put(&*reading.meter, \"1\", None).await?;",
        ),
    ];
    for (of, ty, write) in stores {
        let (text, first, last) = (format!("{TEXT}{ty}"), format!("{ACK} {write}"), format!("{write} {ACK}"));
        let leak = |text: String| -> &'static str { text.leak() };
        let pair = Pair { of, rule: "ack-before-persist", text: leak(text), flagged: leak(first), silent: leak(last) };
        judge(&[pair]);
    }
}
