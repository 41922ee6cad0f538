//! Tower layers that verify, name and enqueue webhook deliveries.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod config_error;
pub mod dedupe;
mod json;
mod rejection;
mod scheme;
mod verified;
pub mod verify;

pub use config_error::ConfigError;
pub use dedupe::{DedupeLayer, SignatureAndPayload, signature_and_payload};
pub use rejection::{Rejection, RejectionKind};
pub use scheme::{
    BodyCheck, Check, DeliveryId, GitHub, Identity, Proof, Scheme, Shopify, Slack,
    StandardWebhooks, Stripe, Unsigned, hmac,
};
pub use verified::Verified;
pub use verify::{VerifiedBody, VerifiedRequestBody, Verify, VerifyLayer};
