use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;

use super::facts::hours;
use super::{Described, Facts, Preset, Settings, Signing};
use crate::hmac::{TimestampRule, TimestampUnit};
use crate::public_key::KeySource;
use crate::rejection::{
    FOREIGN_KEY, FOREIGN_TOPIC, MALFORMED_BODY, MALFORMED_SIGNATURE, MISMATCH, MISSING_SIGNATURE,
    UNKNOWN_ALGORITHM,
};
use crate::scheme::public_key::{Certificate, KeyCache, KeyUrl, RsaHash, is_of_sns};
use crate::{Check, ConfigError, Identity, Proof, Rejection, Scheme};

impl Preset {
    /// What is known of Amazon SNS.
    pub const AWS_SNS: &'static Facts = &Facts {
        name: "aws-sns",
        title: "Amazon SNS",
        sources: &[
            "https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
            "https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html",
        ],
        unconfirmed: &[
            "a 4xx other than 429 makes SNS drop the message",
            "no field but Message has a line end in it",
        ],
        signing: Signing::NamedKeys(
            |settings| Ok(Box::new(AwsSns::new(settings)?)),
            || Described {
                algorithm: "RSA-SHA-1 or RSA-SHA-256, base64".into(),
                signature: "/Signature in the body".into(),
                signed_content: "name and value of fixed fields, a line each".into(),
                tolerance: None,
                id: "/MessageId in the body".into(),
                id_is_signed: true,
                kind: "/Type in the body".into(),
                needs_url: false,
            },
        ),
        retries_for: hours(1),
        refusal: Some(StatusCode::SERVICE_UNAVAILABLE),
        ..Facts::COMMON
    };

    /// Amazon SNS: RSA over fixed fields of the body, with SHA-1 or SHA-256 as
    /// `SignatureVersion` says
    /// ([docs](https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html)).
    ///
    /// `topic` is the ARN of the topic. Anybody can have Amazon sign a message, in a topic of
    /// their own, so no other topic's messages are accepted. `source` gets the certificate that
    /// `SigningCertURL` names, which has to be a `.pem` of `sns.<region>.amazonaws.com`; see
    /// [`public_key`](crate::public_key) for what is checked and kept. Certificates that are known
    /// already go to [`PresetBuilder::certificate`](super::PresetBuilder::certificate).
    ///
    /// What is signed: `Message`, `MessageId`, `Subject`, `Timestamp`, `TopicArn` and `Type`, or for
    /// a confirmation `SubscribeURL` and `Token` instead of the subject. Attributes and headers are
    /// not. The recommended dedupe key is the `MessageId`, the kind the `Type`. No age is refused
    /// unless a tolerance is set. Raw message delivery has no signature and is refused.
    ///
    /// A subscription has to be confirmed: the job of kind `SubscriptionConfirmation` holds the URL
    /// to get, which [`SubscriptionConfirmation`] reads.
    ///
    /// A delivery that is not authentic is answered with 503, since SNS is said to drop a message
    /// after a 4xx. Not confirmed by a source: that it does, and that only `Message` has line ends.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] where the topic is no ARN of SNS.
    pub fn aws_sns(
        topic: impl Into<String>,
        source: impl KeySource + 'static,
    ) -> Result<Self, ConfigError> {
        let builder = Self::AWS_SNS.builder().topic(topic);
        builder.key_source(source).build()
    }
}

/// What Amazon SNS asks for before it sends the messages of a topic, read from a verified body.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SubscriptionConfirmation {
    topic: String,
    subscribe_url: String,
}

impl SubscriptionConfirmation {
    /// Reads the body of a job whose kind is `SubscriptionConfirmation`; `None` where it is no such
    /// message, or where its URL is not on a host of Amazon SNS over https.
    ///
    /// ```
    /// use anvil_tower::preset::SubscriptionConfirmation;
    ///
    /// let body = br#"{"Type":"SubscriptionConfirmation","TopicArn":"arn:aws:sns:eu-west-1:1:a",
    ///     "SubscribeURL":"https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"}"#;
    /// let confirmation = SubscriptionConfirmation::read(body).unwrap();
    /// assert_eq!(confirmation.topic(), "arn:aws:sns:eu-west-1:1:a");
    /// ```
    #[must_use]
    pub fn read(body: &[u8]) -> Option<Self> {
        let message: Message = serde_json::from_slice(body).ok()?;
        if message.kind? != "SubscriptionConfirmation" {
            return None;
        }
        let url = message.subscribe_url.filter(|url| is_of_sns(url))?;
        Some(Self {
            topic: message.topic?,
            subscribe_url: url,
        })
    }

    /// The ARN of the topic.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// The URL to get, which confirms the subscription.
    #[must_use]
    pub fn subscribe_url(&self) -> &str {
        &self.subscribe_url
    }
}

/// A field that is there twice makes the whole unreadable.
#[derive(Deserialize)]
struct Message {
    #[serde(rename = "Type")]
    kind: Option<String>,
    #[serde(rename = "Message")]
    message: Option<String>,
    #[serde(rename = "MessageId")]
    id: Option<String>,
    #[serde(rename = "Subject")]
    subject: Option<String>,
    #[serde(rename = "SubscribeURL")]
    subscribe_url: Option<String>,
    #[serde(rename = "Timestamp")]
    timestamp: Option<String>,
    #[serde(rename = "Token")]
    token: Option<String>,
    #[serde(rename = "TopicArn")]
    topic: Option<String>,
    #[serde(rename = "SignatureVersion")]
    version: Option<String>,
    #[serde(rename = "Signature")]
    signature: Option<String>,
    #[serde(rename = "SigningCertURL")]
    certificate: Option<String>,
}

impl Message {
    /// What is signed; `None` where a part is missing or ambiguous.
    ///
    /// Only the first field may have line ends in it: with one of them in another field, the same
    /// text could be cut into other fields.
    fn signed(&self) -> Option<String> {
        let is_notification = match self.kind.as_deref()? {
            "Notification" => true,
            "SubscriptionConfirmation" | "UnsubscribeConfirmation" => false,
            _ => return None,
        };
        let (subject, token) = (("Subject", &self.subject), ("Token", &self.token));
        let url = ("SubscribeURL", &self.subscribe_url);
        let id = ("MessageId", &self.id);
        let timestamp = ("Timestamp", &self.timestamp);
        let topic = ("TopicArn", &self.topic);
        let fields: &[_] = match (is_notification, &self.subject) {
            (true, None) => &[id, timestamp, topic],
            (true, Some(_)) => &[id, subject, timestamp, topic],
            (false, _) => &[id, url, timestamp, token, topic],
        };
        let mut text = format!("Message\n{}\n", self.message.as_deref()?);
        for (name, value) in fields.iter().chain([&("Type", &self.kind)]) {
            let value = value.as_deref().filter(|value| !value.contains('\n'))?;
            for part in [name, "\n", value, "\n"] {
                text.push_str(part);
            }
        }
        Some(text)
    }
}

#[derive(Debug)]
struct AwsSns(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Empty: any.
    topics: Vec<String>,
    timestamp: TimestampRule,
    keys: KeyCache<Certificate>,
}

impl AwsSns {
    fn new(settings: &Settings) -> Result<Self, ConfigError> {
        if settings.has_webhook_id() {
            return Err(ConfigError::new(
                "aws-sns has no use for a webhook id; leave it out",
            ));
        }
        if settings.any_topic != settings.topics.is_empty() {
            return Err(ConfigError::new(
                "set the topic whose messages are accepted, by its ARN, or insecure_any_topic(): anybody can have Amazon sign a message in a topic of their own",
            ));
        }
        let is_arn = |topic: &String| topic.starts_with("arn:aws") && topic.contains(":sns:");
        if !settings.topics.iter().all(is_arn) {
            return Err(ConfigError::new(
                "a topic is given by its ARN, such as arn:aws:sns:eu-central-1:123456789012:name",
            ));
        }
        for (url, _) in &settings.keys {
            if !KeyUrl::parse(url).is_some_and(|url| url.is_of_sns()) {
                return Err(ConfigError::new(format!(
                    "{url:?} is no https URL of a .pem on a host of SNS"
                )));
            }
        }
        Ok(Self(Arc::new(Inner {
            topics: settings.topics.clone(),
            timestamp: TimestampRule {
                unit: TimestampUnit::Rfc3339,
                past: settings.past.unwrap_or(Duration::MAX),
                future: settings.future.unwrap_or(Duration::MAX),
            },
            keys: KeyCache::new(&settings.keys, settings.key_source.as_ref())?,
        })))
    }
}

impl Inner {
    async fn decide(&self, body: &[u8], now: SystemTime) -> Result<Proof, Rejection> {
        let message: Message = serde_json::from_slice(body).map_err(|_| MALFORMED_BODY)?;
        let signature = message.signature.as_deref().filter(|text| !text.is_empty());
        let signature = signature.ok_or(MISSING_SIGNATURE)?;
        let hash = match message.version.as_deref() {
            Some("1") => RsaHash::Sha1,
            Some("2") => RsaHash::Sha256,
            _ => return Err(UNKNOWN_ALGORITHM),
        };
        let url = message.certificate.as_deref().and_then(KeyUrl::parse);
        let url = url.filter(KeyUrl::is_of_sns).ok_or(FOREIGN_KEY)?;
        let signed = message.signed().ok_or(MALFORMED_BODY)?;
        let topic = message.topic.as_deref().unwrap_or_default();
        if !self.topics.is_empty() && !self.topics.iter().any(|known| known == topic) {
            return Err(FOREIGN_TOPIC);
        }
        if signature.len() > MAX_SIGNATURE_TEXT {
            return Err(MALFORMED_SIGNATURE);
        }
        let signature = STANDARD
            .decode(signature)
            .map_err(|_| MALFORMED_SIGNATURE)?;
        let timestamp = message.timestamp.as_deref().unwrap_or_default();
        let stamp = self.timestamp.judge(timestamp.as_bytes(), now)?;
        let certificate = self.keys.get(url.as_str(), now).await?;
        if !certificate.verify(hash, signed.as_bytes(), &signature) {
            return Err(MISMATCH);
        }
        certificate.check_dates(now)?;
        stamp.verdict()?;
        Ok(Proof::new(0).timestamp(stamp.at))
    }
}

impl Scheme for AwsSns {
    fn name(&self) -> &'static str {
        "aws-sns"
    }

    fn begin(&self, _head: &Parts, now: SystemTime) -> Result<Check, Rejection> {
        let inner = Arc::clone(&self.0);
        Ok(Check::later(move |body| {
            Box::pin(async move { inner.decide(&body, now).await })
        }))
    }

    fn identify(&self, _head: &Parts, body: &[u8]) -> Identity {
        let identity = Identity::new();
        let Ok(message) = serde_json::from_slice::<Message>(body) else {
            return identity;
        };
        let identity = match &message.kind {
            Some(kind) => identity.kind(kind.clone()),
            None => identity,
        };
        let identity = match &message.id {
            Some(id) => identity.delivery_id(id.as_str(), true),
            None => identity,
        };
        identity.signed_instead(message.signed().unwrap_or_default().into_bytes())
    }

    fn key_id(&self, _key: u32) -> Arc<str> {
        "certificate".into()
    }
}

/// Base64 of 4096 bits, and a little more.
const MAX_SIGNATURE_TEXT: usize = 700;
