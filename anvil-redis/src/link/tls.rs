//! TLS: which certificates are trusted and shown.

use redis::{Client, ConnectionInfo, ErrorKind, RedisResult};
#[cfg(feature = "tls")]
use redis::{ClientTlsConfig, TlsCertificates};

/// PEM texts for TLS; without an authority the system's are trusted.
#[derive(Clone, Default)]
pub(crate) struct Certificates {
    pub(crate) authority: Option<Vec<u8>>,
    pub(crate) client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Certificates {
    #[cfg(feature = "tls")]
    pub(super) fn client(&self, info: ConnectionInfo) -> RedisResult<Client> {
        Client::build_with_tls(info, self.read()?)
    }

    #[cfg(feature = "tls")]
    pub(super) fn read(&self) -> RedisResult<TlsCertificates> {
        // Which cryptography is used is the program's choice; where it made none, rustls panics.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            return Err((ErrorKind::InvalidClientConfig, NO_PROVIDER).into());
        }
        Ok(TlsCertificates {
            client_tls: self
                .client
                .clone()
                .map(|(client_cert, client_key)| ClientTlsConfig {
                    client_cert,
                    client_key,
                }),
            root_cert: self.authority.clone(),
        })
    }

    #[cfg(not(feature = "tls"))]
    pub(super) fn client(&self, _: ConnectionInfo) -> RedisResult<Client> {
        let what = "rediss:// needs the feature `tls` of anvil-redis";
        Err((ErrorKind::InvalidClientConfig, what).into())
    }
}

#[cfg(feature = "tls")]
const NO_PROVIDER: &str = "rediss:// needs a crypto provider for rustls: let the program call rustls::crypto::ring::default_provider().install_default() first";

#[cfg(all(test, feature = "tls"))]
mod tests {
    use redis::IntoConnectionInfo;

    use super::*;

    #[test]
    fn a_missing_crypto_provider_is_an_error_and_no_panic() {
        // No test of this crate's own installs one.
        let info = "rediss://localhost:1".into_connection_info().unwrap();
        let error = Certificates::default().client(info).unwrap_err();
        assert!(error.to_string().contains("install_default"), "{error}");
    }
}
