//! What the tests of this crate share.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod shared;
pub(crate) mod standalone;

/// Lets `rediss://` work; once for each process.
#[cfg(feature = "tls")]
pub(crate) fn install_crypto() {
    // The second call of a process finds the first one's.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
