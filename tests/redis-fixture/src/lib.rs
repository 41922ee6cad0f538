#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod builder;
mod claim;
mod client;
mod cluster;
mod credentials;
mod process;
mod proxy;
mod reply;
mod sentinels;
mod server;
#[cfg(feature = "tls")]
mod tls;
mod wait;

pub use builder::{Builder, Fsync};
pub use client::Client;
pub use cluster::{Cluster, Migration};
pub use proxy::{Fault, Proxy};
pub use reply::Reply;
pub use sentinels::Sentinels;
pub use server::Server;
pub use wait::until;
