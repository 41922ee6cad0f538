#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod builder;
mod claim;
mod client;
mod process;
mod proxy;
mod reply;
mod server;
mod wait;

pub use builder::{Builder, Fsync};
pub use client::Client;
pub use proxy::{Fault, Proxy};
pub use reply::Reply;
pub use server::Server;
pub use wait::until;
