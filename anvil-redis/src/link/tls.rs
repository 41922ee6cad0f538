//! TLS: which certificates are trusted and shown.

use redis::{Client, ConnectionInfo, RedisResult};
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
        Client::build_with_tls(info, self.read())
    }

    #[cfg(feature = "tls")]
    pub(super) fn read(&self) -> TlsCertificates {
        TlsCertificates {
            client_tls: self
                .client
                .clone()
                .map(|(client_cert, client_key)| ClientTlsConfig {
                    client_cert,
                    client_key,
                }),
            root_cert: self.authority.clone(),
        }
    }

    #[cfg(not(feature = "tls"))]
    pub(super) fn client(&self, _: ConnectionInfo) -> RedisResult<Client> {
        let what = "rediss:// needs the feature `tls` of anvil-redis";
        Err((redis::ErrorKind::InvalidClientConfig, what).into())
    }
}
