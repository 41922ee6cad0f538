use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{Coalescer, DedupeKey, Job, NewJob, QueueError};
use anvil_tests::{Sender, hooks, memory, now};
use anvil_tower::preset::PresetBuilder;
use anvil_tower::verify::RecentRejections;
use anvil_tower::{
    ConfigError, DedupeLayer, EnqueueService, Preset, VerifiedBody, VerifyLayer, ingress,
    signature_and_payload,
};
use http::{Request, Response};
use tower::{Layer, Service, ServiceExt, service_fn};

use super::delivery;

/// What can be shown before there is a delivery: builders, schemes, layers, errors.
pub(crate) fn of_configuration(sender: Sender) -> Vec<String> {
    let mut shown = Vec::new();
    match sender {
        Sender::GitHub => builder(Preset::GITHUB.builder(), sender, &mut shown),
        Sender::Shopify => builder(Preset::SHOPIFY.builder(), sender, &mut shown),
        Sender::Slack => builder(Preset::SLACK.builder(), sender, &mut shown),
        Sender::StandardWebhooks => {
            builder(Preset::STANDARD_WEBHOOKS.builder(), sender, &mut shown)
        }
        Sender::Stripe => builder(Preset::STRIPE.builder(), sender, &mut shown),
        other => panic!("{other:?} is new"),
    }
    let verify = VerifyLayer::new(sender.name(), sender.scheme());
    let dedupe = DedupeLayer::signature_and_payload();
    let enqueue = EnqueueService::new(MemoryBackend::new(), anvil_tests::queue("hooks"));
    show(&sender.scheme(), &mut shown);
    show(&verify, &mut shown);
    show(&dedupe, &mut shown);
    show(&enqueue, &mut shown);
    show(&dedupe.clone().require_key(), &mut shown);
    show(&verify.layer(dedupe.layer(enqueue.clone())), &mut shown);
    let verify = verify.recent_rejections(&RecentRejections::default());
    show(&verify, &mut shown);
    let handshakes = verify.answer_handshakes();
    show(&handshakes, &mut shown);
    show(&handshakes.layer(dedupe.layer(enqueue)), &mut shown);
    shown
}

/// What can be shown of a delivery on its way: check, futures, record, body, job, key.
pub(crate) async fn of_verified_parts(sender: Sender, shown: &mut Vec<String>) {
    let (backend, queue) = memory();
    let delivery = delivery(sender, "evt_1");
    let (head, body) = delivery.request().into_parts();
    let scheme = sender.scheme();
    let mut check = scheme.begin(&head, now()).unwrap();
    show(&check, shown);
    check.update(delivery.body());
    show(&check, shown);
    show(&check.finish(delivery.body()), shown);
    show(&scheme.identify(&head, delivery.body()), shown);

    let inner = service_fn(|request: Request<VerifiedBody>| async {
        Ok::<_, Infallible>(Response::new(Some(request.into_body())))
    });
    let verify = VerifyLayer::new(sender.name(), scheme)
        .clock(now)
        .layer(inner);
    let Ok(response) = verify.oneshot(Request::from_parts(head, body)).await;
    let body = response.into_body().expect("a verified body");
    show(&body, shown);
    show(body.verified(), shown);

    let mut hooks = hooks(sender, &backend, &queue);
    show(&hooks.call(delivery.request()), shown);
    let mut paved = ingress(
        sender.scheme(),
        sender.name(),
        Arc::clone(&backend),
        queue.clone(),
    );
    show(&paved, shown);
    show(&paved.call(delivery.request()), shown);
    let part = body.verified().recommended_part(delivery.body());
    let key = DedupeKey::derive(sender.name(), &part);
    show(&key, shown);
    let signature = delivery.request().headers()[sender.signature_header()].clone();
    let part = signature_and_payload(signature.as_bytes(), delivery.body());
    show(&DedupeKey::derive(sender.name(), &part), shown);

    let job = NewJob::new(delivery.body().clone()).dedupe_key(key);
    show(&job, shown);
    let data = job.clone().into_data();
    show(
        &Job::new(data, Default::default(), now(), Duration::ZERO),
        shown,
    );
    let line = Coalescer::new(Arc::clone(&backend), queue);
    let mut storing = line.enqueue(job);
    show(&line, shown);
    show(&storing, shown);
    show(&(&mut storing).await, shown);
    show(&storing, shown);
    show(&backend, shown);
    let kind = anvil_queue::QueueErrorKind::Unavailable;
    show(&QueueError::new(kind, "the store is down"), shown);
}

fn builder(builder: PresetBuilder, sender: Sender, shown: &mut Vec<String>) {
    let secret = sender.secret();
    let end = now() + Duration::from_secs(3600);
    let full = builder
        .secret(secret)
        .named_secret("old", secret)
        .expiring_secret("older", secret, end);
    show(&full, shown);
    // Nine secrets are too many, and the last ones can't be right.
    let too_many = (0..6).fold(full, |builder, _| builder.secret(secret));
    refused(too_many.build().err(), shown);
    for wrong in [
        &secret[..10],
        &format!("v1,{secret}"),
        &format!("whpk_{secret}"),
    ] {
        refused(Preset::stripe(&wrong[..8]).err(), shown);
        refused(Preset::standard_webhooks(wrong).err(), shown);
    }
}

fn refused(error: Option<ConfigError>, shown: &mut Vec<String>) {
    let error = error.expect("a configuration that can't work");
    show(&error, shown);
    shown.push(error.to_string());
}

fn show(value: &impl Debug, shown: &mut Vec<String>) {
    shown.push(format!("{value:?}"));
    shown.push(format!("{value:#?}"));
}
