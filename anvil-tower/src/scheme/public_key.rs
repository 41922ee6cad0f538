//! Senders that sign with a private key, and where their public keys come from.
//!
//! This crate never opens a connection. Where a sender names the key of a delivery, as PayPal and
//! Amazon SNS do by the URL of a certificate and Plaid by an id, the key is one that was given when
//! the preset was built, or is asked of a [`KeySource`] of yours.
//!
//! A name is put to the source only after it was found to be one of the sender's: a certificate
//! has to be on the sender's own host, over https, without a port, user, query or fragment. What
//! the source gives is kept for 24 hours, or until the certificate ends; that it has nothing, or
//! failed, for 60 s. One name is asked once at a time, however many deliveries wait for it. No more
//! than 32 names are asked or remembered as missing at a time, so that made-up names can't cause a
//! storm of requests; from then on until one is forgotten, deliveries with a new name get a 503.

#[cfg(feature = "rsa")]
mod certificate;
#[cfg(feature = "jwt")]
mod jwt;
#[cfg(any(feature = "jwt", feature = "rsa"))]
mod key_cache;
#[cfg(any(feature = "jwt", feature = "rsa"))]
mod key_source;
#[cfg(feature = "rsa")]
mod key_url;
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
mod signed_head;

#[cfg(feature = "rsa")]
pub(crate) use certificate::{Certificate, RsaHash};
#[cfg(feature = "jwt")]
pub(crate) use jwt::{Jwk, Token};
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub(crate) use key_cache::{GivenKey, KeyCache};
#[cfg(any(feature = "jwt", feature = "rsa"))]
pub use key_source::{KeySource, KeySourceError};
#[cfg(feature = "rsa")]
pub(crate) use key_url::{KeyUrl, is_of_sns};
#[cfg(any(feature = "ecdsa", feature = "ed25519"))]
pub(crate) use signed_head::{PublicKeyAlgorithm, PublicKeyScheme};
