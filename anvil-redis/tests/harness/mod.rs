//! What the tests of this crate share.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use anvil_redis_fixture::{Cluster, Sentinels};

pub(crate) mod shared;
pub(crate) mod verbs;

/// Lets `rediss://` work; once for each process.
#[cfg(feature = "tls")]
pub(crate) fn install_crypto() {
    // The second call of a process finds the first one's.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The address of the master that the sentinels name.
pub(crate) fn sentinel_url(sentinels: &Sentinels) -> String {
    let hosts: Vec<_> = sentinels
        .sentinels()
        .iter()
        .map(|sentinel| format!("127.0.0.1:{}", sentinel.port()))
        .collect();
    let name = sentinels.master_name();
    format!("redis+sentinel://{}/{name}", hosts.join(","))
}

/// The address of a cluster.
pub(crate) fn cluster_url(cluster: &Cluster) -> String {
    let hosts: Vec<_> = cluster
        .nodes()
        .iter()
        .map(|node| format!("127.0.0.1:{}", node.port()))
        .collect();
    format!("redis+cluster://{}", hosts.join(","))
}
