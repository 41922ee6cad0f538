//! All behaviours on servers that one test shares.

use anvil_queue::conformance::Pointer;
use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Sentinels, Server};

use crate::harness::sentinel_url;
use crate::harness::shared::{BIG, FULL_AS_A_WHOLE, NOT_PARTITIONED, Shared, assert_all};

#[tokio::test(flavor = "multi_thread")]
async fn one_server_through_a_pointer() {
    let server = Server::start();
    let url = server.url();
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
    assert_all(Pointer::new(shared), &[&BIG]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_partitions() {
    let server = Server::start();
    let url = server.url();
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap().partitions(4));
    assert_all(shared, &[&BIG, &NOT_PARTITIONED, &FULL_AS_A_WHOLE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_sentinels() {
    let sentinels = Sentinels::start();
    let url = sentinel_url(&sentinels);
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
    assert_all(shared, &[&BIG]).await;
}

#[cfg(feature = "cluster")]
mod cluster {
    use anvil_redis_fixture::Cluster;

    use super::*;
    use crate::harness::cluster_url;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cluster() {
        let cluster = Cluster::start();
        let url = cluster_url(&cluster);
        let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
        assert_all(shared, &[&BIG]).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cluster_with_four_partitions() {
        let cluster = Cluster::start();
        let url = cluster_url(&cluster);
        let shared = Shared::new(move || RedisBackend::builder(&url).unwrap().partitions(4));
        assert_all(shared, &[&BIG, &NOT_PARTITIONED, &FULL_AS_A_WHOLE]).await;
    }
}

#[cfg(feature = "tls")]
#[tokio::test(flavor = "multi_thread")]
async fn over_tls_with_a_user_and_a_password() {
    crate::harness::install_crypto();
    let server = Server::builder()
        .user("anvil", "p@ss w:rd")
        .mutual_tls()
        .start();
    let url = server.tls_url();
    let authority = server.ca_pem().to_owned();
    let (certificate, key) = server.client_pem();
    let (certificate, key) = (certificate.to_owned(), key.to_owned());
    let shared = Shared::new(move || {
        RedisBackend::builder(&url)
            .unwrap()
            .authority(authority.as_str())
            .client_certificate(certificate.as_str(), key.as_str())
    });
    assert_all(shared, &[&BIG]).await;
}
