//! Brokers and job queues.

use super::{Pair, judge};

/// A text with the function that puts what came into a table.
macro_rules! storing {
    ($text:literal) => {
        concat!(
            $text,
            "
            async fn store(db: &sqlx::PgPool, payload: &[u8]) -> sqlx::Result<()> {
                sqlx::query(\"INSERT INTO readings (body) VALUES ($1)\").bind(payload).execute(db).await?;
                Ok(())
            }"
        )
    };
}

/// Acknowledged before the row is there, and behind it.
#[test]
fn a_message_that_is_acknowledged_first() {
    judge(&[
        Pair {
            of: "rumqttc",
            rule: "ack-before-persist",
            text: storing!("pub async fn readings(client: rumqttc::AsyncClient, mut events: rumqttc::EventLoop, db: sqlx::PgPool) -> anyhow::Result<()> {
                loop {
                    if let rumqttc::Event::Incoming(rumqttc::Packet::Publish(message)) = events.poll().await? {
                        @
                    }
                }
            }"),
            flagged: "client.ack(&message).await?; store(&db, &message.payload).await?;",
            silent: "store(&db, &message.payload).await?; client.ack(&message).await?;",
        },
        Pair {
            of: "iggy",
            rule: "ack-before-persist",
            text: storing!("pub async fn readings(mut consumer: iggy::prelude::IggyConsumer, db: sqlx::PgPool) -> anyhow::Result<()> {
                use futures::StreamExt;
                while let Some(message) = consumer.next().await {
                    let message = message?;
                    let payload = message.message.payload.to_vec();
                    @
                }
                Ok(())
            }"),
            flagged: "consumer.store_offset(message.current_offset, None).await?; store(&db, &payload).await?;",
            silent: "store(&db, &payload).await?; consumer.store_offset(message.current_offset, None).await?;",
        },
        Pair {
            of: "fe2o3-amqp",
            rule: "ack-before-persist",
            text: storing!("pub async fn readings(receiver: &mut fe2o3_amqp::Receiver, db: &sqlx::PgPool) -> anyhow::Result<()> {
                loop {
                    let delivery = receiver.recv::<Vec<u8>>().await?;
                    let payload = delivery.try_as_value()?.clone();
                    @
                }
            }"),
            flagged: "receiver.accept(&delivery).await?; store(db, &payload).await?;",
            silent: "store(db, &payload).await?; receiver.accept(&delivery).await?;",
        },
        Pair {
            of: "azure_messaging_servicebus",
            rule: "ack-before-persist",
            text: storing!("pub async fn readings(receiver: &azure_messaging_servicebus::Receiver, db: &sqlx::PgPool) -> anyhow::Result<()> {
                while let Some(message) = receiver.receive_message(None).await? {
                    let payload = message.body().to_vec();
                    @
                }
                Ok(())
            }"),
            flagged: "receiver.complete_message(&message, None).await?; store(db, &payload).await?;",
            silent: "store(db, &payload).await?; receiver.complete_message(&message, None).await?;",
        },
        Pair {
            of: "rsmq_async",
            rule: "ack-before-persist",
            text: "use rsmq_async::RsmqConnection;
            pub async fn readings(rsmq: &mut rsmq_async::Rsmq, db: &sqlx::PgPool) -> anyhow::Result<()> {
                @
            }
            async fn store(db: &sqlx::PgPool, payload: &str) -> sqlx::Result<()> {
                sqlx::query(\"INSERT INTO readings (body) VALUES ($1)\").bind(payload).execute(db).await?;
                Ok(())
            }",
            flagged: "while let Some(message) = rsmq.pop_message::<String>(\"readings\").await? { store(db, &message.message).await?; }
                Ok(())",
            silent: "while let Some(message) = rsmq.receive_message::<String>(\"readings\", None).await? {
                    store(db, &message.message).await?;
                    rsmq.delete_message(\"readings\", &message.id).await?;
                }
                Ok(())",
        },
        Pair {
            of: "fred",
            rule: "ack-before-persist",
            text: storing!("use fred::prelude::*;
            pub async fn reading(redis: &fred::prelude::Client, db: &sqlx::PgPool, id: String, payload: Vec<u8>) -> anyhow::Result<()> {
                @
                Ok(())
            }"),
            flagged: "let _: i64 = redis.xack(\"readings\", \"store\", id).await?; store(db, &payload).await?;",
            silent: "store(db, &payload).await?; let _: i64 = redis.xack(\"readings\", \"store\", id).await?;",
        },
        Pair {
            of: "broccoli_queue",
            rule: "ack-before-persist",
            text: storing!("pub async fn readings(queue: broccoli_queue::queue::BroccoliQueue, db: sqlx::PgPool) -> anyhow::Result<()> {
                loop {
                    let message = queue.consume::<Vec<u8>>(\"readings\", None).await?;
                    @
                }
            }"),
            flagged: "queue.acknowledge(\"readings\", message.clone()).await?; store(&db, &message.payload).await?;",
            silent: "store(&db, &message.payload).await?; queue.acknowledge(\"readings\", message).await?;",
        },
    ]);
}

/// Put into a queue again after a lost answer.
#[test]
fn a_message_that_is_sent_again() {
    let sends = |of, client, send| Pair {
        of,
        rule: "retry-without-key",
        text: client,
        flagged: send,
        silent: "client.ping().await",
    };
    judge(&[
        sends(
            "rskafka",
            "pub async fn tell(client: &rskafka::client::partition::PartitionClient, records: Vec<rskafka::record::Record>) -> anyhow::Result<()> {
                backoff::future::retry(backoff::ExponentialBackoff::default(), || async { @?; Ok(()) }).await
            }",
            "client.produce(records.clone(), rskafka::client::partition::Compression::NoCompression).await",
        ),
        sends(
            "worker",
            "pub async fn tell(env: &worker::Env, order: Order) -> worker::Result<()> {
                let client = env.queue(\"orders\")?;
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.send(&order).await",
        ),
        sends(
            "oxana",
            "pub async fn tell(client: &oxana::Storage, order: Order) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.enqueue(Mails, SendMail { order: order.id }).await",
        ),
        sends(
            "effectum",
            "pub async fn tell(client: &effectum::Queue, order: Order) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.add_job(effectum::Job::builder(\"mail\").build()).await",
        ),
        sends(
            "sidekiq",
            "pub async fn tell(client: &sidekiq::RedisPool, order: i64) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "sidekiq::perform_async(client, \"Mail\".into(), \"mails\".into(), order).await",
        ),
    ]);
}

/// What a runner runs again may not add up.
#[test]
fn a_job_that_adds_up() {
    let job = |of, text| Pair {
        of,
        rule: "relative-write",
        text,
        flagged: "SET balance = balance + $2",
        silent: "SET balance = $2",
    };
    judge(&[
        job(
            "sidekiq",
            "pub struct Credit { db: sqlx::PgPool }
            #[async_trait::async_trait]
            impl sidekiq::Worker<CreditArgs> for Credit {
                async fn perform(&self, args: CreditArgs) -> sidekiq::Result<()> {
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(args.id).bind(args.by).execute(&self.db).await?;
                    Ok(())
                }
            }
            #[derive(serde::Deserialize)] pub struct CreditArgs { id: i64, by: i64 }",
        ),
        job(
            "effectum",
            "pub async fn credit(job: effectum::RunningJob, db: std::sync::Arc<sqlx::PgPool>) -> anyhow::Result<()> {
                let args: CreditArgs = job.json_payload()?;
                sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(args.id).bind(args.by).execute(&*db).await?;
                Ok(())
            }
            #[derive(serde::Deserialize)] pub struct CreditArgs { id: i64, by: i64 }",
        ),
        job(
            "oxana",
            "#[derive(oxana::Worker)] pub struct Credit { db: sqlx::PgPool }
            impl Credit {
                async fn process(&self, args: CreditArgs, _ctx: &oxana::JobContext) -> Result<(), Failed> {
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(args.id).bind(args.by).execute(&self.db).await?;
                    Ok(())
                }
            }
            #[derive(serde::Deserialize)] pub struct CreditArgs { id: i64, by: i64 }",
        ),
        job(
            "pg_task",
            "#[derive(serde::Deserialize, serde::Serialize)] pub struct Credit { id: i64, by: i64 }
            #[async_trait::async_trait]
            impl pg_task::Step<Wallets> for Credit {
                async fn step(self, db: &sqlx::PgPool) -> pg_task::StepResult<Wallets> {
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(self.id).bind(self.by).execute(db).await?;
                    pg_task::NextStep::none()
                }
            }",
        ),
        job(
            "aide-de-camp",
            "pub struct Credit { db: sqlx::PgPool }
            #[async_trait::async_trait]
            impl aide_de_camp::prelude::JobProcessor for Credit {
                async fn handle(&self, _jid: Xid, args: CreditArgs, _stop: CancellationToken) -> Result<(), Self::Error> {
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(args.id).bind(args.by).execute(&self.db).await?;
                    Ok(())
                }
            }
            pub struct CreditArgs { id: i64, by: i64 }",
        ),
        job(
            "background-jobs",
            "#[derive(serde::Deserialize, serde::Serialize)] pub struct Credit { id: i64, by: i64 }
            impl background_jobs::Job for Credit {
                type State = sqlx::PgPool;
                async fn run(self, db: sqlx::PgPool) -> Result<(), anyhow::Error> {
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(self.id).bind(self.by).execute(&db).await?;
                    Ok(())
                }
            }",
        ),
        job(
            "worker",
            "pub async fn queue(batch: worker::MessageBatch<Credit>, env: worker::Env, db: sqlx::PgPool) -> worker::Result<()> {
                for message in batch.messages()? {
                    let args = message.body();
                    sqlx::query(\"UPDATE wallets @ WHERE id = $1\").bind(args.id).bind(args.by).execute(&db).await?;
                }
                Ok(())
            }
            pub struct Credit { id: i64, by: i64 }",
        ),
    ]);
}
