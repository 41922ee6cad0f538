//! What a backend says about the Redis it is given, and what it waits for.

#[path = "../harness/mod.rs"]
mod harness;

mod check;
mod durability;
