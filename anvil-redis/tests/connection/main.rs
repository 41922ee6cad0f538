//! Every way in which a connection to Redis dies, and what a backend makes of it.

#[path = "../harness/mod.rs"]
mod harness;

mod dropped;
mod full;
mod idle;
mod killed;
mod lost_replies;
mod read_only;
mod refused;
mod restart;
mod scripts;
mod silence;
mod start;
