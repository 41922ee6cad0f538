//! All behaviours on servers that one test shares.

use anvil_redis::RedisBackend;
use anvil_redis_fixture::{Sentinels, Server};

use crate::harness::shared::{BIG, Shared, assert_all};
use crate::harness::standalone::Pointer;

#[tokio::test(flavor = "multi_thread")]
async fn one_server_through_a_pointer() {
    let server = Server::start();
    let url = server.url();
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
    assert_all(Pointer(shared), &BIG).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_partitions() {
    let server = Server::start();
    let url = server.url();
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap().partitions(4));
    assert_all(shared, &BIG).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_sentinels() {
    let sentinels = Sentinels::start();
    let url = sentinel_url(&sentinels);
    let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
    assert_all(shared, &BIG).await;
}

fn sentinel_url(sentinels: &Sentinels) -> String {
    let hosts: Vec<_> = sentinels
        .sentinels()
        .iter()
        .map(|sentinel| format!("127.0.0.1:{}", sentinel.port()))
        .collect();
    let name = sentinels.master_name();
    format!("redis+sentinel://{}/{name}", hosts.join(","))
}

#[cfg(feature = "cluster")]
mod cluster {
    use anvil_redis_fixture::Cluster;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cluster() {
        let cluster = Cluster::start();
        let url = cluster_url(&cluster);
        let shared = Shared::new(move || RedisBackend::builder(&url).unwrap());
        assert_all(shared, &BIG).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_cluster_with_four_partitions() {
        let cluster = Cluster::start();
        let url = cluster_url(&cluster);
        let shared = Shared::new(move || RedisBackend::builder(&url).unwrap().partitions(4));
        assert_all(shared, &BIG).await;
    }

    fn cluster_url(cluster: &Cluster) -> String {
        let hosts: Vec<_> = cluster
            .nodes()
            .iter()
            .map(|node| format!("127.0.0.1:{}", node.port()))
            .collect();
        format!("redis+cluster://{}", hosts.join(","))
    }
}

#[cfg(feature = "tls")]
#[tokio::test(flavor = "multi_thread")]
async fn over_tls_with_a_user_and_a_password() {
    crate::harness::install_crypto();
    let server = Server::builder().user("anvil", "p@ss w:rd").mutual_tls().start();
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
    assert_all(shared, &BIG).await;
}
