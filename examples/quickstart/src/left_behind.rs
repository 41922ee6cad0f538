use std::fmt;

use anvil_queue::{DeadQuery, JobId, QueueName};

use crate::BoxError;
use crate::store::Store;

/// What a run leaves in Redis, and how to look at it.
pub(crate) struct LeftBehind {
    url: String,
    queue: QueueName,
    dead: Vec<JobId>,
    /// Whether there is a worker that takes what is replayed.
    serving: bool,
}

impl LeftBehind {
    /// What is in the store; nothing where it goes with the process.
    pub(crate) async fn of(store: &Store, serving: bool) -> Result<Option<Self>, BoxError> {
        let Some(url) = store.redis.clone() else {
            return Ok(None);
        };
        let page = store
            .backend
            .list_dead(&store.queue, DeadQuery::new())
            .await?;
        Ok(Some(Self {
            url,
            queue: store.queue.clone(),
            dead: page.letters.iter().map(|letter| letter.id()).collect(),
            serving,
        }))
    }
}

impl fmt::Display for LeftBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url,
            queue,
            dead,
            serving,
        } = self;
        writeln!(
            f,
            "Redis keeps the queue \"{queue}\": its counts, its dedupe records, its dead letter.\n\
             From another terminal, with the program of anvil-cli:\n"
        )?;
        writeln!(f, "   cargo install --locked --path anvil-cli")?;
        if url.contains('@') {
            // A password is not for a screen.
            writeln!(f, "   export ANVIL_REDIS=…       # the URL you gave")?;
        } else {
            writeln!(f, "   export ANVIL_REDIS={url}")?;
        }
        writeln!(f, "   export ANVIL_QUEUE={queue}")?;
        writeln!(f, "   anvil stats")?;
        writeln!(f, "   anvil dead list")?;
        for id in dead {
            writeln!(f, "   anvil dead replay {id}")?;
        }
        f.write_str(if *serving {
            "\nThe bank is open again, so what you replay succeeds, here.\n"
        } else {
            "\nNo worker is left, so what you replay waits.\n"
        })
    }
}
