//! Signed requests, good and bad, with the verdict each has to get, and the schemes that judge them.
//!
//! The requests lie beside this crate, one JSON file for each sender; its README says what each
//! field means.
//!
//! ```
//! let files = anvil_vectors::own().unwrap();
//! let github = files.iter().find(|file| file.name == "github").unwrap();
//! let record = github.records.iter().find(|record| record.is_valid()).unwrap();
//! let scheme = record.scheme().unwrap();
//! let (head, _) = record.request().into_parts();
//! assert!(scheme.begin(&head, record.now()).is_ok());
//! ```

mod file;
mod record;
mod scheme;

pub use file::{File, load, own};
pub use record::{Expect, Record};
pub use scheme::Unbuilt;
