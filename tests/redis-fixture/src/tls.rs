//! Certificates for a server that speaks TLS.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

use crate::claim::Claim;

/// An authority made for one server, a certificate of the server and one for a client.
///
/// The server's certificate is for `localhost` and 127.0.0.1.
#[derive(Debug)]
pub(crate) struct Tls {
    claim: Claim,
    authority: String,
    server: Pair,
    client: Pair,
}

/// A certificate and its key, both in PEM.
#[derive(Debug)]
struct Pair {
    certificate: String,
    key: String,
}

impl Tls {
    pub(crate) fn new() -> Self {
        let key = new_key();
        let mut params = named("Anvil test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key).expect("an authority signs itself");
        let issuer = Issuer::new(params, key);
        Self {
            claim: Claim::take(),
            authority: certificate.pem(),
            server: Pair::issued("Anvil test server", &issuer),
            client: Pair::issued("Anvil test client", &issuer),
        }
    }

    /// Writes what the server reads into its directory; returns the lines for its configuration.
    pub(crate) fn install(&self, directory: &Path, asks_clients: bool) -> Vec<String> {
        for (name, content) in [
            ("ca.pem", &self.authority),
            ("server.pem", &self.server.certificate),
            ("server.key", &self.server.key),
        ] {
            fs::write(directory.join(name), content)
                .expect("the directory of a server is writable");
        }
        let asks = if asks_clients { "yes" } else { "no" };
        vec![
            format!("tls-port {}", self.claim.port()),
            "tls-ca-cert-file ca.pem".into(),
            "tls-cert-file server.pem".into(),
            "tls-key-file server.key".into(),
            format!("tls-auth-clients {asks}"),
        ]
    }

    pub(crate) fn port(&self) -> u16 {
        self.claim.port()
    }

    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn client(&self) -> (&str, &str) {
        (&self.client.certificate, &self.client.key)
    }
}

impl Pair {
    fn issued(name: &str, issuer: &Issuer<'_, KeyPair>) -> Self {
        let key = new_key();
        let certificate = named(name)
            .signed_by(&key, issuer)
            .expect("an authority signs what it is given");
        Self {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

fn named(name: &str) -> CertificateParams {
    let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut params = CertificateParams::new(hosts).expect("both are valid names");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("the system has random bytes")
}
