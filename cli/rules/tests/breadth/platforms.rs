//! Platforms that a service acts upon.

use super::{Pair, judge};

/// Asked for again after a lost answer, and by something that states a result or carries a key.
#[test]
fn what_is_asked_for_again() {
    let retried = |of, text, flagged, silent| Pair { of, rule: "retry-without-key", text, flagged, silent };
    judge(&[
        retried(
            "twilight",
            "pub async fn tell(client: &twilight_http::Client, channel: Channel, text: &str) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.create_message(channel.id).content(text).await",
            "client.update_message(channel.id, channel.pinned).content(Some(text)).await",
        ),
        retried(
            "slack_morphism",
            "pub async fn tell(client: &slack_morphism::hyper_tokio::SlackHyperClient, hook: &url::Url, text: Message) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.post_webhook_message(hook, &text.request()).await",
            "client.chat_update(&text.update()).await",
        ),
        retried(
            "mailgun-rs",
            "pub async fn tell(client: &mailgun_rs::Mailgun, from: &mailgun_rs::EmailAddress) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.async_send(mailgun_rs::MailgunRegion::US, from, mail(), None).await",
            "client.ping().await",
        ),
        retried(
            "expo_push_notification_client",
            "pub async fn tell(client: &expo_push_notification_client::Expo, text: Text) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.send_push_notifications(text.message()).await",
            "client.get_push_notification_receipts(text.receipts()).await",
        ),
        retried(
            "fcm-service",
            "pub async fn tell(client: &fcm_service::FcmService, text: Text) -> anyhow::Result<()> {
                for _ in 0..3 { if @.is_ok() { break; } }
                Ok(())
            }",
            "client.send_notification(text.message()).await",
            "client.ping().await",
        ),
        retried(
            "aws-sdk-pinpointsmsvoicev2",
            "pub async fn tell(client: &aws_sdk_pinpointsmsvoicev2::Client, to: &str, text: &str) -> anyhow::Result<()> {
                for _ in 0..3 { if @.send().await.is_ok() { break; } }
                Ok(())
            }",
            "client.send_text_message().destination_phone_number(to).message_body(text)",
            "client.describe_opt_out_lists()",
        ),
        retried(
            "paypal-rs",
            "use paypal_rs::api::orders::CaptureOrder;
            pub async fn capture(client: &paypal_rs::Client, order: &str) -> anyhow::Result<()> {
                for _ in 0..3 { if @.await.is_ok() { break; } }
                Ok(())
            }",
            "client.execute(&CaptureOrder::new(order))",
            "client.execute_ext(&CaptureOrder::new(order), paypal_rs::HeaderParams { request_id: Some(format!(\"capture/{order}\")), ..Default::default() })",
        ),
        retried(
            "kube",
            "use kube::api::{Api, PostParams};
            pub async fn start(client: &reqwest::Client, pods: &Api<Pod>, pod: Pod) -> anyhow::Result<()> {
                for _ in 0..3 { if @.await.is_ok() { break; } }
                Ok(())
            }",
            "client.post(\"https://hooks.example/started\").json(&pod).send()",
            "pods.create(&PostParams::default(), &pod)",
        ),
    ]);
}
