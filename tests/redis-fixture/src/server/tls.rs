//! The side of a server that speaks TLS.

use super::Server;
use crate::tls::Tls;

impl Server {
    /// The address for a client that speaks TLS: `rediss://[user[:password]@]localhost:port`.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[must_use]
    pub fn tls_url(&self) -> String {
        format!("rediss://{}localhost:{}", self.login(), self.tls_port())
    }

    /// The port on 127.0.0.1 where the server speaks TLS; a restart keeps it.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[must_use]
    pub fn tls_port(&self) -> u16 {
        self.tls().port()
    }

    /// The certificate, in PEM, of the authority that a client has to trust.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[must_use]
    pub fn ca_pem(&self) -> &str {
        self.tls().authority()
    }

    /// The certificate that a client may show, and its key, both in PEM.
    ///
    /// # Panics
    ///
    /// Panics where the server was built without TLS.
    #[must_use]
    pub fn client_pem(&self) -> (&str, &str) {
        self.tls().client()
    }

    fn tls(&self) -> &Tls {
        let tls = self.tls.as_ref();
        tls.expect("the server was built with `tls` or `mutual_tls`")
    }
}
