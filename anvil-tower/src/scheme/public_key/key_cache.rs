use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync;
use tokio::time::timeout;

use super::KeySource;
use crate::rejection::{KEY_UNAVAILABLE, UNKNOWN_KEY};
use crate::{ConfigError, Rejection};

/// The keys of a sender by name: those that were given, and those that a source had.
pub(crate) struct KeyCache<K> {
    given: Vec<(Box<str>, Arc<K>)>,
    source: Option<Arc<dyn KeySource>>,
    fetched: Mutex<HashMap<Box<str>, Entry<K>>>,
}

/// A key that can be read from what a source gives.
pub(crate) trait GivenKey: Sized {
    /// Reads the key with this name.
    fn read(name: &str, bytes: &[u8]) -> Result<Self, ConfigError>;

    /// When the key is to be asked for again, where that is known.
    fn ends(&self) -> Option<SystemTime>;
}

enum Entry<K> {
    /// Somebody asks the source, or waits for whoever does.
    Asked(Arc<sync::Mutex<()>>),
    Known(Arc<K>, SystemTime),
    Missing(Rejection, SystemTime),
}

impl<K: GivenKey> KeyCache<K> {
    /// No name may be there twice, and a source or a key has to be there.
    pub(crate) fn new(
        given: &[(String, Vec<u8>)],
        source: Option<&Arc<dyn KeySource>>,
    ) -> Result<Self, ConfigError> {
        let mut keys: Vec<(Box<str>, Arc<K>)> = Vec::with_capacity(given.len());
        for (name, bytes) in given {
            if keys.iter().any(|(other, _)| **other == **name) {
                return Err(ConfigError::new(format!("two keys are called {name:?}")));
            }
            keys.push((name.as_str().into(), Arc::new(K::read(name, bytes)?)));
        }
        if keys.is_empty() && source.is_none() {
            return Err(ConfigError::new(
                "there is neither a key nor a key source, so nothing could be verified",
            ));
        }
        Ok(Self {
            given: keys,
            source: source.map(Arc::clone),
            fetched: Mutex::default(),
        })
    }

    /// The key with this name, which was found to be one of the sender's.
    pub(crate) async fn get(&self, name: &str, now: SystemTime) -> Result<Arc<K>, Rejection> {
        if let Some((_, key)) = self.given.iter().find(|(given, _)| **given == *name) {
            return Ok(Arc::clone(key));
        }
        let source = self.source.as_ref().ok_or(UNKNOWN_KEY)?;
        let turn = match self.look(name, now) {
            Look::Settled(settled) => return settled,
            Look::Ask(lock) => Turn {
                cache: self,
                name,
                now,
                lock,
            },
        };
        let _mine = turn.lock.lock().await;
        // Whoever had the turn before may have the answer.
        if let Some(settled) = self.settled(name, now) {
            return settled;
        }
        let answer = match timeout(TIME_TO_ANSWER, source.key(name)).await {
            Ok(Ok(Some(bytes))) if bytes.len() > MAX_KEY_LEN => Err("the key is too long".into()),
            Ok(Ok(Some(bytes))) => K::read(name, &bytes).map(Some).map_err(Into::into),
            Ok(Ok(None)) => Ok(None),
            Ok(Err(error)) => Err(error),
            Err(elapsed) => Err(elapsed.into()),
        };
        let settled = match answer {
            Ok(Some(key)) => Ok(Arc::new(key)),
            Ok(None) => Err(UNKNOWN_KEY),
            Err(error) => {
                tracing::warn!(%error, key = name, "a public key can't be had");
                Err(KEY_UNAVAILABLE)
            }
        };
        self.settle(name, settled.clone(), now);
        settled
    }

    fn look(&self, name: &str, now: SystemTime) -> Look<K> {
        let mut fetched = self.lock();
        match fetched.get(name) {
            Some(Entry::Asked(lock)) => return Look::Ask(Arc::clone(lock)),
            Some(entry) => {
                if let Some(settled) = entry.settled(now) {
                    return Look::Settled(settled);
                }
            }
            None => {}
        }
        fetched.retain(|_, entry| entry.is_asked() || entry.settled(now).is_some());
        let unproven = fetched.values().filter(|entry| !entry.is_known()).count();
        if unproven >= MAX_UNPROVEN {
            return Look::Settled(Err(KEY_UNAVAILABLE));
        }
        let lock = Arc::default();
        fetched.insert(name.into(), Entry::Asked(Arc::clone(&lock)));
        Look::Ask(lock)
    }

    fn settled(&self, name: &str, now: SystemTime) -> Option<Result<Arc<K>, Rejection>> {
        self.lock().get(name)?.settled(now)
    }

    fn settle(&self, name: &str, settled: Result<Arc<K>, Rejection>, now: SystemTime) {
        let after = |span| now.checked_add(span).unwrap_or(now);
        let mut fetched = self.lock();
        let entry = match settled {
            Ok(key) => {
                let ends = key.ends().unwrap_or_else(|| after(KEEP_KNOWN));
                // A key that has ended is asked for again, but not by every delivery.
                let until = ends.min(after(KEEP_KNOWN)).max(after(KEEP_MISSING));
                Entry::Known(key, until)
            }
            Err(rejection) => Entry::Missing(rejection, after(KEEP_MISSING)),
        };
        if entry.is_known() {
            let known = fetched.iter().filter_map(|(name, entry)| match entry {
                Entry::Known(_, until) => Some((*until, name.clone())),
                _ => None,
            });
            let known: Vec<_> = known.collect();
            if known.len() >= MAX_KNOWN
                && let Some((_, first)) = known.into_iter().min()
            {
                fetched.remove(&first);
            }
        }
        fetched.insert(name.into(), entry);
    }
}

impl<K> KeyCache<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Entry<K>>> {
        // Nothing panics while it is held, and a cache is right in any state.
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Entry<K> {
    fn settled(&self, now: SystemTime) -> Option<Result<Arc<K>, Rejection>> {
        match self {
            Self::Known(key, until) if now < *until => Some(Ok(Arc::clone(key))),
            Self::Missing(rejection, until) if now < *until => Some(Err(*rejection)),
            _ => None,
        }
    }

    fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_))
    }

    fn is_known(&self) -> bool {
        matches!(self, Self::Known(..))
    }
}

enum Look<K> {
    Ask(Arc<sync::Mutex<()>>),
    Settled(Result<Arc<K>, Rejection>),
}

/// One of those who ask for a key or wait for it. The last one to give up leaves a short-lived
/// refusal, so that deliveries that are broken off can't cause a storm either.
struct Turn<'c, K> {
    cache: &'c KeyCache<K>,
    name: &'c str,
    now: SystemTime,
    lock: Arc<sync::Mutex<()>>,
}

impl<K> Drop for Turn<'_, K> {
    fn drop(&mut self) {
        let mut fetched = self.cache.lock();
        if let Some(entry) = fetched.get_mut(self.name)
            && let Entry::Asked(lock) = entry
            && Arc::ptr_eq(lock, &self.lock)
            && Arc::strong_count(lock) == 2
        {
            let until = self.now.checked_add(KEEP_GIVEN_UP).unwrap_or(self.now);
            *entry = Entry::Missing(KEY_UNAVAILABLE, until);
        }
    }
}

impl<K> fmt::Debug for KeyCache<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.given.iter().map(|(name, _)| name).collect();
        f.debug_struct("KeyCache")
            .field("given", &names)
            .field("source", &self.source.is_some())
            .finish_non_exhaustive()
    }
}

const TIME_TO_ANSWER: Duration = Duration::from_secs(5);
const KEEP_KNOWN: Duration = Duration::from_secs(24 * 60 * 60);
const KEEP_MISSING: Duration = Duration::from_secs(60);
const KEEP_GIVEN_UP: Duration = Duration::from_secs(5);
const MAX_KEY_LEN: usize = 64 * 1024;
const MAX_KNOWN: usize = 64;
const MAX_UNPROVEN: usize = 32;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::UNIX_EPOCH;

    use async_trait::async_trait;
    use bytes::Bytes;

    use super::*;
    use crate::public_key::KeySourceError;

    #[derive(Debug)]
    struct Text(Vec<u8>);

    impl GivenKey for Text {
        fn read(_name: &str, bytes: &[u8]) -> Result<Self, ConfigError> {
            match bytes {
                b"bad" => Err(ConfigError::new("bad")),
                _ => Ok(Self(bytes.to_vec())),
            }
        }

        fn ends(&self) -> Option<SystemTime> {
            (self.0 == b"short").then_some(UNIX_EPOCH)
        }
    }

    #[derive(Default)]
    struct Counted {
        asked: AtomicUsize,
    }

    #[async_trait]
    impl KeySource for Counted {
        async fn key(&self, name: &str) -> Result<Option<Bytes>, KeySourceError> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(10)).await;
            match name {
                "fails" => Err("broken".into()),
                "hangs" => std::future::pending().await,
                "none" => Ok(None),
                name if name.starts_with("forged") => Ok(None),
                name => Ok(Some(Bytes::copy_from_slice(name.as_bytes()))),
            }
        }
    }

    fn cache() -> (Arc<KeyCache<Text>>, Arc<Counted>) {
        let source = Arc::new(Counted::default());
        let dynamic: Arc<dyn KeySource> = Arc::<Counted>::clone(&source);
        let given = [("given".to_owned(), b"given".to_vec())];
        let cache = KeyCache::new(&given, Some(&dynamic)).unwrap();
        (Arc::new(cache), source)
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    async fn cause(cache: &KeyCache<Text>, name: &str, now: SystemTime) -> &'static str {
        match cache.get(name, now).await {
            Ok(_) => "found",
            Err(rejection) => rejection.cause(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_asked_for_once_and_kept_for_a_day() {
        let (cache, source) = cache();
        assert_eq!(cause(&cache, "given", at(0)).await, "found");
        assert_eq!(source.asked.load(Ordering::SeqCst), 0);
        let waiting = (0..20).map(|_| {
            let cache = Arc::clone(&cache);
            tokio::spawn(async move { cause(&cache, "a", at(0)).await })
        });
        for task in waiting.collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap(), "found");
        }
        assert_eq!(cause(&cache, "a", at(86_399)).await, "found");
        assert_eq!(source.asked.load(Ordering::SeqCst), 1);
        assert_eq!(cause(&cache, "a", at(86_400)).await, "found");
        assert_eq!(source.asked.load(Ordering::SeqCst), 2);
        for now in [0, 59, 60] {
            assert_eq!(cause(&cache, "short", at(now)).await, "found");
        }
        assert_eq!(source.asked.load(Ordering::SeqCst), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_there_is_not_asked_for_again_for_a_minute() {
        for (name, expected) in [
            ("none", "unknown_key"),
            ("fails", "key_unavailable"),
            ("hangs", "key_unavailable"),
            ("bad", "key_unavailable"),
        ] {
            let (cache, source) = cache();
            for now in [0, 30, 59] {
                assert_eq!(cause(&cache, name, at(now)).await, expected, "{name}");
            }
            assert_eq!(source.asked.load(Ordering::SeqCst), 1, "{name}");
            assert_eq!(cause(&cache, name, at(60)).await, expected, "{name}");
            assert_eq!(source.asked.load(Ordering::SeqCst), 2, "{name}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn forged_names_cause_few_requests_and_push_no_key_out() {
        let (cache, source) = cache();
        assert_eq!(cause(&cache, "a", at(0)).await, "found");
        for number in 0..1000 {
            let name = format!("forged {number}");
            let expected = if number < MAX_UNPROVEN {
                "unknown_key"
            } else {
                "key_unavailable"
            };
            assert_eq!(cause(&cache, &name, at(1)).await, expected);
        }
        assert_eq!(source.asked.load(Ordering::SeqCst), 1 + MAX_UNPROVEN);
        assert_eq!(cause(&cache, "a", at(2)).await, "found");
        assert_eq!(cause(&cache, "b", at(2)).await, "key_unavailable");
        assert_eq!(cause(&cache, "b", at(61)).await, "found");
    }

    #[tokio::test(start_paused = true)]
    async fn known_keys_are_bounded() {
        let (cache, _) = cache();
        for number in 0..200 {
            let name = format!("key {number}");
            assert_eq!(cause(&cache, &name, at(number)).await, "found");
        }
        assert_eq!(cache.lock().len(), MAX_KNOWN);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_takes_over_and_the_last_to_give_up_leaves_a_refusal() {
        let (cache, source) = cache();
        let spawn = |millis| {
            let cache = Arc::clone(&cache);
            let limit = Duration::from_millis(millis);
            tokio::spawn(async move { timeout(limit, cause(&cache, "a", at(0))).await.ok() })
        };
        let (first, second) = (spawn(5), spawn(1000));
        assert_eq!(first.await.unwrap(), None);
        assert_eq!(second.await.unwrap(), Some("found"));
        assert_eq!(source.asked.load(Ordering::SeqCst), 2);

        let (cache, source) = self::cache();
        let gone = timeout(Duration::from_millis(5), cause(&cache, "a", at(0))).await;
        assert!(gone.is_err());
        assert_eq!(cause(&cache, "a", at(4)).await, "key_unavailable");
        assert_eq!(source.asked.load(Ordering::SeqCst), 1);
        assert_eq!(cause(&cache, "a", at(5)).await, "found");
    }
}
