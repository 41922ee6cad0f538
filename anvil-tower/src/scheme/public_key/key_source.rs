use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

/// Gets the public keys that a sender names in its deliveries.
///
/// For PayPal and Amazon SNS a name is the URL of a certificate, which is wanted in PEM; its host
/// was found to be the sender's before the source is asked. For Plaid it is a key id, and wanted is
/// the JWK, or the answer of `/webhook_verification_key/get` that holds it.
///
/// A source must not follow redirects and must check the server's own certificate: that the
/// host is the sender's is all that makes a key the sender's. It should not read more than 64 KiB,
/// which is refused anyway.
///
/// ```
/// use anvil_tower::public_key::{KeySource, KeySourceError};
/// use async_trait::async_trait;
/// use bytes::Bytes;
///
/// /// Keys that somebody put into a folder.
/// struct Folder;
///
/// #[async_trait]
/// impl KeySource for Folder {
///     async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError> {
///         let file = name.rsplit('/').next().unwrap_or(name);
///         match std::fs::read(format!("/etc/hooks/{file}")) {
///             Ok(bytes) => Ok(Some(bytes.into())),
///             Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
///             Err(error) => Err(error.into()),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait KeySource: Send + Sync {
    /// The key with this name; `None` where there is none, such as after a 404.
    ///
    /// It has 5 s, and may be dropped at any time before. A delivery whose key does not exist is
    /// refused; one whose key can't be had at the moment is to be sent again.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is logged and not shown to the sender.
    async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError>;
}

#[async_trait]
impl<S: KeySource + ?Sized> KeySource for Arc<S> {
    async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError> {
        (**self).key(name).await
    }
}

/// What went wrong in a [`KeySource`].
pub type KeySourceError = Box<dyn Error + Send + Sync>;

const _: fn(Arc<dyn KeySource>) = |_| {};
