use std::fmt;
use std::sync::Arc;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueBackend;

use crate::logged::Logged;

/// The backend that `text` names: `memory`, `memory:<capacity>`, or `logged:` and another one.
///
/// A store of another kind is one more arm. What it needs to connect, it finds in its text.
pub(crate) fn backend(text: &str) -> Result<Arc<dyn QueueBackend>, UnknownBackend> {
    let unknown = || UnknownBackend(text.to_owned());
    match text.split_once(':') {
        None if text == "memory" => Ok(Arc::new(MemoryBackend::new())),
        Some(("memory", capacity)) => {
            let jobs = capacity.parse().map_err(|_| unknown())?;
            Ok(Arc::new(MemoryBackend::new().capacity(jobs)))
        }
        Some(("logged", inner)) => Ok(Arc::new(Logged::new(backend(inner)?))),
        _ => Err(unknown()),
    }
}

/// A text names no backend.
#[derive(Debug)]
pub(crate) struct UnknownBackend(String);

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        write!(
            f,
            "{text:?} is no queue backend: use memory, memory:<capacity> or logged:<another one>"
        )
    }
}

impl std::error::Error for UnknownBackend {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_names_no_backend_is_told_what_would() {
        for text in ["", "memry", "memory:", "memory:many", "logged", "logged:"] {
            let error = backend(text).unwrap_err().to_string();
            assert!(error.contains("memory:<capacity>"), "{text:?}: {error}");
        }
    }

    #[test]
    fn wrappers_nest() {
        let backend = backend("logged:logged:memory:5").unwrap();
        assert!(format!("{backend:?}").starts_with("Logged(Logged(MemoryBackend"));
    }
}
