#![doc = include_str!("../README.md")]
//!
//! # As a library
//!
//! What the program does between its arguments and its exit code is a function of a store and a
//! terminal, so that tests run commands in their own process:
//!
//! ```
//! use std::sync::Arc;
//!
//! use anvil_cli::{Cli, Exit, Terminal, run};
//! use anvil_memory::MemoryBackend;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let cli = Cli::try_parse_args(["anvil", "--queue", "webhooks", "stats", "--output", "json"]);
//! let mut shown = Vec::new();
//! let mut terminal = Terminal::piped(&mut shown, std::io::sink());
//! let exit = run(&cli.unwrap(), Arc::new(MemoryBackend::new()), &mut terminal).await;
//! drop(terminal);
//! assert_eq!(exit, Exit::Done);
//! assert!(String::from_utf8(shown).unwrap().contains("\"ready\":0"));
//! # }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod args;
mod client;
mod command;
mod connect;
mod exit;
mod explain;
mod output;
mod program;
mod request;
mod terminal;

pub use args::Cli;
pub use command::run;
pub use exit::Exit;
pub use program::program;
pub use terminal::Terminal;
