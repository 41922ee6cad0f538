use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use http::request::Parts;
use sha2::{Digest, Sha256};

use crate::{Rejection, RejectionKind};

/// The newest rejections of one or more [`VerifyLayer`](crate::VerifyLayer)s, in memory, for an
/// application to show: why a delivery was refused is not in the answer to its sender.
///
/// A handle: clones share one record. The record is bounded in the number of its entries and each
/// entry in its size, so a flood of junk drives older entries out and costs no more memory. An entry
/// holds names, numbers and a digest, never a value of a header nor a byte of a body. The digest is
/// there to tell two attempts of one delivery from two deliveries, and takes hashing the body of
/// each refused delivery once more.
///
/// ```
/// use anvil_tower::verify::RecentRejections;
/// use anvil_tower::{DedupeLayer, EnqueueService, Preset, VerifyLayer};
/// # use anvil_memory::MemoryBackend;
/// # use anvil_queue::QueueName;
/// # use http::Request;
/// # use tower::{ServiceBuilder, ServiceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rejections = RecentRejections::default();
/// let github = Preset::github("a secret of 16 bytes or more")?;
/// let hooks = ServiceBuilder::new()
///     .layer(VerifyLayer::new("github", github).recent_rejections(&rejections))
///     .layer(DedupeLayer::recommended())
/// #   .service(EnqueueService::new(MemoryBackend::new(), QueueName::new("webhooks")?));
/// # /*
///     .service(enqueue);
/// # */
///
/// let request = Request::post("/hooks/github").header("x-github-event", "push");
/// hooks.oneshot(request.body(String::from("{}"))?).await?;
/// let newest = &rejections.list()[0];
/// assert_eq!((newest.source(), newest.cause()), ("github", "missing_signature"));
/// assert_eq!(newest.header_names().collect::<Vec<_>>(), ["x-github-event"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RecentRejections(Arc<Record>);

struct Record {
    entries: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// Oldest first.
    list: VecDeque<Arc<RejectedDelivery>>,
    total: u64,
}

impl RecentRejections {
    /// An empty record that keeps this many rejections, one at least. The default keeps 256.
    #[must_use]
    pub fn new(entries: usize) -> Self {
        Self(Arc::new(Record {
            entries: entries.max(1),
            kept: Mutex::default(),
        }))
    }

    /// What is kept, newest first.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<RejectedDelivery>> {
        self.with(|kept| kept.list.iter().rev().cloned().collect())
    }

    /// How many deliveries were refused since the record was made, those no longer kept included.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.with(|kept| kept.total)
    }

    /// Forgets what is kept. The total goes on.
    pub fn clear(&self) {
        let forgotten = self.with(|kept| std::mem::take(&mut kept.list));
        drop(forgotten);
    }

    /// Everything that takes time is done before and after the lock is held.
    pub(super) fn add(&self, delivery: RejectedDelivery) {
        let delivery = Arc::new(delivery);
        let entries = self.0.entries;
        let forgotten = self.with(|kept| {
            kept.total += 1;
            let oldest = (kept.list.len() >= entries).then(|| kept.list.pop_front());
            kept.list.push_back(delivery);
            oldest
        });
        drop(forgotten);
    }

    fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.0.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for RecentRejections {
    fn default() -> Self {
        Self::new(DEFAULT_ENTRIES)
    }
}

impl fmt::Debug for RecentRejections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecentRejections")
            .field("entries", &self.0.entries)
            .field("total", &self.total())
            .finish_non_exhaustive()
    }
}

/// One refused delivery, in a [`RecentRejections`].
#[derive(Debug)]
pub struct RejectedDelivery {
    rejection: Rejection,
    source: Arc<str>,
    scheme: &'static str,
    at: SystemTime,
    /// Each ends in a line end, which no name of a header contains.
    header_names: Box<str>,
    headers_left_out: usize,
    body: Option<SeenBody>,
}

#[derive(Debug)]
struct SeenBody {
    len: usize,
    sha256: [u8; 32],
}

impl RejectedDelivery {
    pub(super) fn new(
        rejection: Rejection,
        source: Arc<str>,
        scheme: &'static str,
        at: SystemTime,
        head: &Parts,
        body: Option<&[u8]>,
    ) -> Self {
        // Copied: a name shares the buffer of the connection that it came by.
        let mut header_names = String::new();
        let mut headers_left_out = 0;
        for (index, name) in head.headers.keys().enumerate() {
            let name = name.as_str();
            if index < MAX_HEADER_NAMES && header_names.len() + name.len() < MAX_NAME_BYTES {
                header_names.push_str(name);
                header_names.push('\n');
            } else {
                headers_left_out += 1;
            }
        }
        Self {
            rejection,
            source,
            scheme,
            at,
            header_names: header_names.into(),
            headers_left_out,
            body: body.map(|body| SeenBody {
                len: body.len(),
                sha256: Sha256::digest(body).into(),
            }),
        }
    }

    /// A short, stable name of what was wrong.
    #[must_use]
    pub fn cause(&self) -> &'static str {
        self.rejection.cause()
    }

    /// What was wrong, for code.
    #[must_use]
    pub fn kind(&self) -> RejectionKind {
        self.rejection.kind()
    }

    /// The configured name of the route it came in by.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of the scheme that refused it.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// When it was refused, by the clock of the layer.
    #[must_use]
    pub fn at(&self) -> SystemTime {
        self.at
    }

    /// The names of its headers, each once, in no particular order: at most 32, and 1 KiB together.
    pub fn header_names(&self) -> impl Iterator<Item = &str> {
        self.header_names.lines()
    }

    /// How many more names of headers there were.
    #[must_use]
    pub fn headers_left_out(&self) -> usize {
        self.headers_left_out
    }

    /// The length of the body, where the whole was read.
    #[must_use]
    pub fn body_len(&self) -> Option<usize> {
        self.body.as_ref().map(|body| body.len)
    }

    /// The SHA-256 of the body, where the whole was read.
    #[must_use]
    pub fn body_sha256(&self) -> Option<&[u8; 32]> {
        self.body.as_ref().map(|body| &body.sha256)
    }
}

const DEFAULT_ENTRIES: usize = 256;
const MAX_HEADER_NAMES: usize = 32;
const MAX_NAME_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rejection::{MISMATCH, STALE};
    use crate::testing::{head, signed_at};

    fn refused(rejection: Rejection, headers: &[(&str, &str)]) -> RejectedDelivery {
        let source = Arc::from("source");
        RejectedDelivery::new(rejection, source, "acme", signed_at(), &head(headers), None)
    }

    #[test]
    fn the_newest_are_kept_and_all_are_counted() {
        let record = RecentRejections::new(2);
        let other_handle = record.clone();
        for rejection in [MISMATCH, STALE, MISMATCH] {
            other_handle.add(refused(rejection, &[]));
        }
        let causes: Vec<_> = record.list().iter().map(|entry| entry.cause()).collect();
        assert_eq!(causes, ["mismatch", "stale"]);
        assert_eq!(record.total(), 3);
        record.clear();
        assert!(record.list().is_empty());
        assert_eq!(record.total(), 3);
    }

    #[test]
    fn by_default_256_are_kept_and_one_at_least() {
        let (default, none) = (RecentRejections::default(), RecentRejections::new(0));
        for _ in 0..300 {
            default.add(refused(MISMATCH, &[]));
            none.add(refused(MISMATCH, &[]));
        }
        assert_eq!((default.list().len(), none.list().len()), (256, 1));
    }

    #[test]
    fn a_flood_of_headers_is_cut_by_number_and_by_length() {
        let names: Vec<_> = (0..40).map(|n| format!("x-{n}")).collect();
        let many: Vec<_> = names.iter().map(|name| (name.as_str(), "v")).collect();
        let entry = refused(MISMATCH, &many);
        assert_eq!(
            (entry.header_names().count(), entry.headers_left_out()),
            (32, 8)
        );

        let long = "x".repeat(1000);
        let entry = refused(MISMATCH, &[(&long, "v"), (&long[1..], "v"), ("x", "v")]);
        assert_eq!(
            (entry.header_names().count(), entry.headers_left_out()),
            (2, 1)
        );
    }

    #[test]
    fn a_name_that_comes_twice_is_there_once() {
        let entry = refused(MISMATCH, &[("x-a", "1"), ("x-a", "2"), ("x-b", "3")]);
        assert_eq!(entry.header_names().collect::<Vec<_>>(), ["x-a", "x-b"]);
    }
}
