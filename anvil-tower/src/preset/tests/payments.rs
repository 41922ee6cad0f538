use std::time::Duration;

use http::StatusCode;

use crate::preset::Facts;
use crate::testing::{SECRET, check_at, signed_at};
use crate::{Preset, Scheme, Verified};

/// Checks a sample of the sender under `secret`; gives kind, id, and whether the id is signed.
pub(super) fn sampled(facts: &'static Facts, secret: &str) -> (String, Option<(String, bool)>) {
    let mut builder = facts.builder().secret(secret);
    if facts.described().needs_url {
        builder = builder.public_url("https://example.com/hooks");
    }
    let scheme = builder.build().unwrap();
    let request = scheme
        .sample(facts.sample_event(), "id-1", signed_at())
        .unwrap();
    let (head, body) = request.into_parts();
    assert!(
        check_at(&scheme, &head, &body, signed_at()).is_ok(),
        "{facts:?}"
    );
    let changed = [&body[..], b" "].concat();
    assert_eq!(
        check_at(&scheme, &head, &changed, signed_at()),
        Err("mismatch"),
        "{facts:?}"
    );
    let verified = Verified::assumed("source", scheme.identify(&head, &body));
    let id = verified
        .delivery_id()
        .map(|id| (id.to_string(), id.is_signed()));
    (verified.kind().to_owned(), id)
}

#[test]
fn a_payment_is_named_by_its_kind_and_by_an_id_that_is_in_the_body() {
    let id = |signed| Some(("id-1".to_owned(), signed));
    for (facts, secret, kind, expected) in [
        (
            Preset::ADYEN_PLATFORM,
            HEX,
            "balancePlatform.transfer.created",
            None,
        ),
        (
            Preset::COINBASE_COMMERCE,
            SECRET,
            "charge:confirmed",
            id(true),
        ),
        (Preset::GOCARDLESS, SECRET, "payments", id(true)),
        (Preset::LEMON_SQUEEZY, SECRET, "subscription_created", None),
        (Preset::MOLLIE, SECRET, "payment-link.paid", id(true)),
        (Preset::PADDLE, SECRET, "transaction.completed", id(true)),
        (Preset::RAZORPAY, SECRET, "payment.captured", id(false)),
        (Preset::SQUARE, SECRET, "payment.updated", id(true)),
    ] {
        assert_eq!(
            sampled(facts, secret),
            (kind.to_owned(), expected),
            "{facts:?}"
        );
    }
}

#[test]
fn who_takes_nothing_but_a_200_gets_it() {
    for facts in [
        Preset::COINBASE_COMMERCE,
        Preset::LEMON_SQUEEZY,
        Preset::PADDLE,
    ] {
        assert_eq!(facts.success().status(), StatusCode::OK, "{facts:?}");
    }
}

#[test]
fn square_needs_its_url_and_paddle_has_no_use_for_one() {
    assert!(Preset::SQUARE.builder().secret(SECRET).build().is_err());
    assert!(Preset::square(SECRET, "example.com").is_err());
    let paddle = || Preset::PADDLE.builder().secret(SECRET);
    assert!(paddle().public_url("https://example.com/").build().is_err());
    assert!(
        paddle()
            .tolerate_past(Duration::from_secs(5))
            .build()
            .is_ok()
    );
    let razorpay = Preset::RAZORPAY.builder().secret(SECRET);
    let message = razorpay
        .tolerate_future(Duration::ZERO)
        .build()
        .unwrap_err()
        .to_string();
    assert!(message.contains("timestamp"), "{message}");
}

const HEX: &str = "000102030405060708090a0b0c0d0e0f";
