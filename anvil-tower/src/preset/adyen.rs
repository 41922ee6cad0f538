use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;

use super::facts::days;
use super::{Described, Facts, Preset, Sample, Settings, Signing};
use crate::enqueue::Success;
use crate::hmac::{
    Algorithm, Encoding, Keys, SecretEncoding, SignatureForm, Signatures, Verdict, prove,
};
use crate::rejection::{MALFORMED_BODY, MISMATCH, MISSING_SIGNATURE};
use crate::{Check, ConfigError, Identity, Proof, Rejection, Scheme};

impl Preset {
    /// What is known of Adyen's standard notifications.
    pub const ADYEN: &'static Facts = &Facts {
        name: "adyen",
        title: "Adyen, standard notifications",
        sources: &[
            "https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures",
            "https://github.com/Adyen/adyen-node-api-library/blob/main/src/utils/hmacValidator.ts",
        ],
        unconfirmed: &["a retry repeats the signed fields as they were"],
        signing: Signing::Custom(
            |settings| Ok(Box::new(Adyen::new(settings)?)),
            || {
                Described {
                algorithm: "HMAC-SHA-256, base64".into(),
                signature: "additionalData.hmacSignature of each item in the body".into(),
                signed_content: "pspReference:originalReference:merchantAccountCode:merchantReference:amount.value:amount.currency:eventCode:success".into(),
                kind: "eventCode of the first item in the body".into(),
                ..Described::default()
            }
            },
        ),
        retries_for: days(30),
        success: Success::text(StatusCode::OK, "[accepted]"),
        is_batch: true,
        sample: Sample {
            event: "AUTHORISATION",
            ..Sample::JSON
        },
        ..Facts::COMMON
    };

    /// Adyen's standard notifications in JSON: HMAC-SHA-256 over eight fields of each item, base64
    /// in the item's `additionalData.hmacSignature`
    /// ([docs](https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures)).
    ///
    /// The secret is the HMAC key of the endpoint as shown, in hex, and is decoded. While a key is
    /// replaced, configure both. The body has to hold an item at least, and every item has to be
    /// signed.
    ///
    /// Signed are `pspReference`, `originalReference`, `merchantAccountCode`, `merchantReference`,
    /// `amount.value`, `amount.currency`, `eventCode` and `success`, with colons between that are
    /// not escaped. A colon in another field than `merchantReference` is refused, since it could
    /// have come from the field beside. All else in an item is not signed, among it `eventDate`,
    /// `reason`, `paymentMethod` and the rest of `additionalData`: don't act on it without asking
    /// Adyen's API. There is no timestamp, so an old delivery can be sent again for ever.
    ///
    /// The recommended dedupe key is the digest of what was signed. A later notification that
    /// differs in unsigned fields only is therefore a duplicate. The kind is the `eventCode` of the
    /// first item. A request may hold several items and is one job; tell a repeated item by its
    /// `pspReference`, `eventCode` and `success`.
    ///
    /// Adyen is answered with 200 and `[accepted]`, and tries again for 30 days until it is. For
    /// the webhooks of its platforms, which sign the body, see
    /// [`adyen_platform`](Self::adyen_platform).
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the secret is empty, not hex, under 16 bytes once decoded or has white
    /// space around it.
    pub fn adyen(secret: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::ADYEN.builder().secret(secret).build()
    }
}

/// A signature per item, each over fields of its item.
struct Adyen {
    keys: Arc<Keys>,
}

impl Adyen {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        let encoding = settings.secret_encoding.unwrap_or(SecretEncoding::Hex);
        let secrets = settings.secrets.decode(encoding)?;
        let keys = Keys::new(Algorithm::Sha256, &secrets).ok_or_else(|| {
            ConfigError::new("there is no secret; set the HMAC key that Adyen shows")
        })?;
        Ok(Self {
            keys: Arc::new(keys),
        })
    }
}

impl Scheme for Adyen {
    fn name(&self) -> &'static str {
        Preset::ADYEN.name
    }

    fn begin(&self, _head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let keys = Arc::clone(&self.keys);
        Ok(Check::whole_body(move |body| decide(&keys, body, now)))
    }

    fn identify(&self, _head: &Parts, body: &[u8]) -> Identity {
        let items = items(body).unwrap_or_default();
        let mut signed = Vec::new();
        for item in &items {
            let text = item.signed().unwrap_or_default();
            // With the length in front, so that no two lists of items make one text.
            signed.extend_from_slice(&(text.len() as u64).to_be_bytes());
            signed.extend_from_slice(text.as_bytes());
        }
        let identity = Identity::new().signed_instead(signed);
        match items.into_iter().next().and_then(|item| item.event_code) {
            Some(code) => identity.kind(code),
            None => identity,
        }
    }

    fn key_id(&self, key: u32) -> Arc<str> {
        self.keys.id(key)
    }

    fn key_is_named(&self, key: u32) -> bool {
        self.keys.is_named(key)
    }
}

impl fmt::Debug for Adyen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { keys } = self;
        f.debug_struct("Adyen").field("keys", keys).finish()
    }
}

/// Checks every item; the proof is the first one's.
fn decide(keys: &Keys, body: &[u8], now: SystemTime) -> Result<Proof, Rejection> {
    let form = SignatureForm {
        encoding: Encoding::Base64,
        ..SignatureForm::default()
    };
    let mut first = None;
    for item in items(body).ok_or(MALFORMED_BODY)? {
        let signature = item
            .additional_data
            .as_ref()
            .and_then(|data| data.hmac_signature.as_deref())
            .ok_or(MISSING_SIGNATURE)?;
        let mut signatures = Signatures::none();
        form.read([signature.as_bytes()], keys.algorithm(), &mut signatures)?;
        signatures.check()?;
        let signed = item.signed().ok_or(MALFORMED_BODY)?;
        let mut verdict = Verdict::new(&signatures);
        for key in 0..keys.len() {
            verdict.compare(&keys.sign(key, signed.as_bytes()), key);
        }
        let key = verdict.key().ok_or(MISMATCH)?;
        let proof = prove(key, keys.expired(now), None)?;
        first.get_or_insert(proof);
    }
    first.ok_or(MISSING_SIGNATURE)
}

/// The items of a notification. A field that is there twice makes it unreadable: readers disagree
/// about which one counts.
fn items(body: &[u8]) -> Option<Vec<Item>> {
    let notification: Notification = serde_json::from_slice(body).ok()?;
    let wrappers = notification.items.into_iter();
    Some(wrappers.map(|wrapper| wrapper.item).collect())
}

#[derive(Deserialize)]
struct Notification {
    #[serde(rename = "notificationItems")]
    items: Vec<Wrapper>,
}

#[derive(Deserialize)]
struct Wrapper {
    #[serde(rename = "NotificationRequestItem")]
    item: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    psp_reference: Option<String>,
    original_reference: Option<String>,
    merchant_account_code: Option<String>,
    merchant_reference: Option<String>,
    amount: Option<Amount>,
    event_code: Option<String>,
    success: Option<String>,
    additional_data: Option<AdditionalData>,
}

#[derive(Deserialize)]
struct Amount {
    value: Option<i64>,
    currency: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AdditionalData {
    hmac_signature: Option<String>,
}

impl Item {
    /// What is signed, where it can be read in one way only. A field that is missing counts as
    /// empty, as with Adyen.
    fn signed(&self) -> Option<String> {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let amount = self.amount.as_ref();
        let value = amount.and_then(|amount| amount.value);
        let before = [
            text(&self.psp_reference),
            text(&self.original_reference),
            text(&self.merchant_account_code),
        ];
        let after = [
            value.map(|value| value.to_string()).unwrap_or_default(),
            amount
                .map(|amount| text(&amount.currency))
                .unwrap_or_default(),
            text(&self.event_code),
            text(&self.success),
        ];
        let is_plain = |field: &String| !field.contains(':');
        if !before.iter().chain(&after).all(is_plain) {
            return None;
        }
        let reference = text(&self.merchant_reference);
        Some([before.join(":"), reference, after.join(":")].join(":"))
    }
}
