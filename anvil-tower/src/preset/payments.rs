use std::time::Duration;

use http::StatusCode;

use super::facts::{days, hours};
use super::{Facts, Preset, Sample, Signing};
use crate::ConfigError;
use crate::enqueue::Success;
use crate::hmac::{Encoding, Headers, HmacScheme, SecretEncoding};

pub(super) const LIST: &[&Facts] = &[
    Preset::ADYEN,
    Preset::ADYEN_PLATFORM,
    Preset::COINBASE_CDP,
    Preset::COINBASE_COMMERCE,
    Preset::GOCARDLESS,
    Preset::HOOK0,
    Preset::LEMON_SQUEEZY,
    Preset::MOLLIE,
    Preset::PADDLE,
    Preset::RAZORPAY,
    Preset::SQUARE,
    Preset::STRIPE,
];

impl Preset {
    /// What is known of Adyen's platforms.
    pub const ADYEN_PLATFORM: &'static Facts = &Facts {
        name: "adyen-platform",
        title: "Adyen, platforms and balance",
        sources: &[
            "https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("adyen-platform", Headers::new("hmacsignature"))
                .encoding(Encoding::Base64)
                .secret_encoding(SecretEncoding::Hex)
                .kind_pointer("/type")
        }),
        retries_for: days(30),
        sample: Sample {
            event: "balancePlatform.transfer.created",
            headers: &[],
            body: r#"{"type":"{event}","environment":"test","data":{"id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Adyen's platform, balance and other webhooks that sign the body: HMAC-SHA-256, base64 in
    /// `HmacSignature`
    /// ([docs](https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures)).
    ///
    /// The secret is the HMAC key of the endpoint as shown, in hex, and is decoded. While a key is
    /// replaced, configure both. The signature covers the body alone and no timestamp. The body has
    /// no id of its own, so the recommended dedupe key is its digest. The kind is its `type`. Adyen
    /// tries again for 30 days. For standard notifications, which are signed in the body, see
    /// [`adyen`](Self::adyen).
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, not hex, under 16 bytes once decoded or has white
    /// space around it.
    pub fn adyen_platform(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::ADYEN_PLATFORM.builder().secret(secret).build()
    }

    /// What is known of Coinbase Commerce.
    pub const COINBASE_COMMERCE: &'static Facts = &Facts {
        name: "coinbase-commerce",
        title: "Coinbase Commerce",
        sources: &[
            "https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-security",
            "https://github.com/coinbase/coinbase-commerce-node/blob/master/lib/Webhook.js",
        ],
        unconfirmed: &["the id at the root of the body differs between attempts"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("coinbase-commerce", Headers::new("x-cc-webhook-signature"))
                .id_pointer("/event/id")
                .kind_pointer("/event/type")
        }),
        retries_for: days(3),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "charge:confirmed",
            headers: &[],
            body: r#"{"attempt_number":1,"event":{"id":"{id}","type":"{event}","data":{}}}"#,
        },
        ..Facts::COMMON
    };

    /// Coinbase Commerce: HMAC-SHA-256 over the body, in `X-CC-Webhook-Signature`
    /// ([docs](https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-security)).
    ///
    /// The secret is the shared secret of the account, as it stands. The signature covers the body
    /// alone and no timestamp. The recommended dedupe key is the `id` of the event within it; the
    /// `id` at the root is said to differ between attempts, which is unconfirmed. The kind is the
    /// `type` of the event. Coinbase wants a 200 and tries again for 3 days. For Coinbase Developer
    /// Platform see [`coinbase_cdp`](Self::coinbase_cdp).
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn coinbase_commerce(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::COINBASE_COMMERCE.builder().secret(secret).build()
    }

    /// What is known of GoCardless.
    pub const GOCARDLESS: &'static Facts = &Facts {
        name: "gocardless",
        title: "GoCardless",
        sources: &[
            "https://developer.gocardless.com/api-reference/#appendix-webhooks",
            "https://support.gocardless.com/hc/en-nz/articles/360000989989-Webhook-retries-failures",
            "https://github.com/gocardless/gocardless-pro-python/blob/master/gocardless_pro/webhooks.py",
        ],
        unconfirmed: &[
            "meta.webhook_id stays the same on a retry",
            "the eighth and last retry comes within 3 days",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("gocardless", Headers::new("webhook-signature"))
                .id_pointer("/meta/webhook_id")
                .kind_pointer("/events/0/resource_type")
        }),
        retries_for: days(3),
        is_batch: true,
        sample: Sample {
            event: "payments",
            headers: &[],
            body: r#"{"events":[{"id":"EV1","resource_type":"{event}","action":"confirmed"}],"meta":{"webhook_id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// GoCardless: HMAC-SHA-256 over the body, in `Webhook-Signature`
    /// ([docs](https://developer.gocardless.com/api-reference/#appendix-webhooks)).
    ///
    /// The secret is that of the webhook endpoint, as it stands. The signature covers the body
    /// alone and no timestamp. A request holds several events and is one job; the recommended
    /// dedupe key is its `meta.webhook_id`, read from the signed body. Tell a repeated event by its
    /// own `id` in the handler. The kind is the `resource_type` of the first event. GoCardless wants
    /// a 2xx within 10 s and tries again up to eight times. Unconfirmed is over how long, and that
    /// `meta.webhook_id` stays the same meanwhile.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn gocardless(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::GOCARDLESS.builder().secret(secret).build()
    }

    /// What is known of Lemon Squeezy.
    pub const LEMON_SQUEEZY: &'static Facts = &Facts {
        name: "lemon-squeezy",
        title: "Lemon Squeezy",
        sources: &[
            "https://docs.lemonsqueezy.com/help/webhooks/signing-requests",
            "https://docs.lemonsqueezy.com/help/webhooks/webhook-requests",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "lemon-squeezy",
                Headers::new("x-signature").kind("x-event-name"),
            )
        }),
        retries_for: Duration::from_secs(5 + 25 + 125),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "subscription_created",
            headers: &[("x-event-name", "{event}")],
            body: r#"{"meta":{"event_name":"{event}"},"data":{"type":"subscriptions","id":"{id}"}}"#,
        },
        ..Facts::COMMON
    };

    /// Lemon Squeezy: HMAC-SHA-256 over the body, in `X-Signature`
    /// ([docs](https://docs.lemonsqueezy.com/help/webhooks/signing-requests)).
    ///
    /// The secret is the one you chose for the webhook, as it stands. The signature covers the body
    /// alone: no timestamp, and not `X-Event-Name`, which is the kind. A delivery has no id, so the
    /// recommended dedupe key is the digest of the body. Lemon Squeezy wants a 200 and tries again
    /// three times within three minutes.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn lemon_squeezy(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::LEMON_SQUEEZY.builder().secret(secret).build()
    }

    /// What is known of Mollie's webhook subscriptions.
    pub const MOLLIE: &'static Facts = &Facts {
        name: "mollie",
        title: "Mollie",
        sources: &[
            "https://docs.mollie.com/reference/webhooks-new",
            "https://docs.mollie.com/reference/webhooks-best-practices",
            "https://github.com/mollie/mollie-api-php/blob/master/src/Webhooks/SignatureValidator.php",
        ],
        unconfirmed: &["a delivery is tried again ten times within 26 hours"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("mollie", Headers::new("x-mollie-signature"))
                .tag("sha256=")
                .tag_optional()
                .repeated_headers()
                .id_pointer("/id")
                .kind_pointer("/type")
        }),
        retries_for: hours(26),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "payment-link.paid",
            headers: &[],
            body: r#"{"resource":"event","id":"{id}","type":"{event}"}"#,
        },
        ..Facts::COMMON
    };

    /// Mollie's webhook subscriptions: HMAC-SHA-256 over the body, in `X-Mollie-Signature`
    /// ([docs](https://docs.mollie.com/reference/webhooks-new)).
    ///
    /// The secret is the signing secret of the subscription, as it stands. While it is replaced,
    /// the header comes once for each secret, and any of them may match. `sha256=` may stand before
    /// the digest. The signature covers the body alone and no timestamp. The recommended dedupe key
    /// is the event's `id`, read from the signed body; the kind is its `type`.
    ///
    /// The older webhooks of a payment, a form with an `id`, are not signed and not for this
    /// preset. Mollie is answered with 200. Unconfirmed is how long it tries again: 26 hours.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn mollie(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::MOLLIE.builder().secret(secret).build()
    }

    /// What is known of Paddle Billing.
    pub const PADDLE: &'static Facts = &Facts {
        name: "paddle",
        title: "Paddle Billing",
        sources: &[
            "https://developer.paddle.com/webhooks/signature-verification",
            "https://developer.paddle.com/webhooks/respond-to-webhooks",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("paddle", Headers::new("paddle-signature"))
                .separator(b';')
                .tag("h1=")
                .timestamp_tag("ts=")
                .signed_content("{timestamp}:{body}")
                .id_pointer("/event_id")
                .kind_pointer("/event_type")
        }),
        retries_for: days(3),
        success: Success::empty(StatusCode::OK),
        sample: Sample {
            event: "transaction.completed",
            headers: &[],
            body: r#"{"event_id":"{id}","event_type":"{event}","data":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Paddle Billing: HMAC-SHA-256 over `<ts>:<body>`, in `Paddle-Signature`
    /// ([docs](https://developer.paddle.com/webhooks/signature-verification)).
    ///
    /// The secret is that of the notification destination as shown, `pdl_ntfset_` included; it is
    /// not decoded. Several `h1` may be there while it is replaced, and any of them may match.
    /// A timestamp may lie 300 s away, either way; Paddle's own libraries refuse after 5 s, which
    /// clocks that differ a little don't survive. The recommended dedupe key is `event_id`, read
    /// from the signed body; the kind is `event_type`. Paddle takes nothing but a 200, within 5 s,
    /// and tries again for 3 days.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn paddle(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::PADDLE.builder().secret(secret).build()
    }

    /// What is known of Razorpay.
    pub const RAZORPAY: &'static Facts = &Facts {
        name: "razorpay",
        title: "Razorpay",
        sources: &[
            "https://razorpay.com/docs/webhooks/validate-test/",
            "https://github.com/razorpay/razorpay-node/blob/master/lib/utils/razorpay-utils.js",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder(
                "razorpay",
                Headers::new("x-razorpay-signature").id("x-razorpay-event-id"),
            )
            .kind_pointer("/event")
        }),
        retries_for: hours(24),
        sample: Sample {
            event: "payment.captured",
            headers: &[],
            body: r#"{"entity":"event","event":"{event}","payload":{"payment":{"entity":{"id":"{id}"}}}}"#,
        },
        ..Facts::COMMON
    };

    /// Razorpay: HMAC-SHA-256 over the body, in `X-Razorpay-Signature`
    /// ([docs](https://razorpay.com/docs/webhooks/validate-test/)).
    ///
    /// The secret is the one you chose for the webhook, as it stands, not the API's key. The
    /// signature covers the body alone: no timestamp, and not `X-Razorpay-Event-Id`. The recommended
    /// dedupe key is therefore the digest of the body. The kind is its `event`. Razorpay wants a 2xx
    /// within 5 s, tries again for 24 hours and then disables the webhook.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn razorpay(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::RAZORPAY.builder().secret(secret).build()
    }

    /// What is known of Square.
    pub const SQUARE: &'static Facts = &Facts {
        name: "square",
        title: "Square",
        sources: &[
            "https://developer.squareup.com/docs/webhooks/step3validate",
            "https://developer.squareup.com/docs/webhooks/overview",
        ],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("square", Headers::new("x-square-hmacsha256-signature"))
                .encoding(Encoding::Base64)
                .signed_content("{url}{body}")
                .id_pointer("/event_id")
                .kind_pointer("/type")
        }),
        retries_for: hours(24),
        sample: Sample {
            event: "payment.updated",
            headers: &[],
            body: r#"{"merchant_id":"M1","type":"{event}","event_id":"{id}","data":{}}"#,
        },
        ..Facts::COMMON
    };

    /// Square: HMAC-SHA-256 over the notification URL and the body, base64 in
    /// `x-square-hmacsha256-signature`
    /// ([docs](https://developer.squareup.com/docs/webhooks/step3validate)).
    ///
    /// The secret is the signature key of the webhook subscription, as it stands. `public_url` is
    /// the notification URL of the subscription, character for character; it is never rebuilt from
    /// the request, which behind a proxy has another one. No timestamp is signed. The recommended
    /// dedupe key is `event_id`, read from the signed body; the kind is its `type`. Square tries
    /// again for 24 hours and disables a subscription that fails for weeks. The SHA-1 signature of
    /// old is not accepted.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it, or
    /// where the URL is none.
    pub fn square(
        secret: impl AsRef<[u8]>,
        public_url: impl Into<String>,
    ) -> Result<Self, ConfigError> {
        Self::SQUARE
            .builder()
            .secret(secret)
            .public_url(public_url)
            .build()
    }

    /// What is known of Stripe.
    pub const STRIPE: &'static Facts = &Facts {
        name: "stripe",
        title: "Stripe",
        sources: &["https://docs.stripe.com/webhooks/signature"],
        signing: Signing::Hmac(|| {
            HmacScheme::builder("stripe", Headers::new("stripe-signature"))
                .separator(b',')
                .tag("v1=")
                .timestamp_tag("t=")
                .signed_content("{timestamp}.{body}")
                .id_pointer("/id")
                .kind_pointer("/type")
        }),
        ..Facts::COMMON
    };

    /// Stripe: HMAC-SHA-256 over `<t>.<body>`, in `Stripe-Signature`
    /// ([docs](https://docs.stripe.com/webhooks/signature)).
    ///
    /// The secret is the whole string, `whsec_` included, as shown; it is not decoded. Only `v1`
    /// signatures count, so the test-mode `v0` can't be used to get around them; there are several
    /// `v1` while a secret is rolled. Stripe renews timestamp and signature with each retry, so the
    /// recommended dedupe key is the event's `id`, read from the signed body. The kind is its
    /// `type`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, under 16 bytes or has white space around it.
    pub fn stripe(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::STRIPE.builder().secret(secret).build()
    }
}
