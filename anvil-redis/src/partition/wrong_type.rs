use std::error::Error;

use anvil_queue::{QueueError, QueueErrorKind};
use redis::{Cmd, RedisError, Value};

use super::Partition;
use super::fields::bytes;
use crate::link::Repeat;

impl Partition {
    /// Says which key it is where a call failed because one holds something of another type: the
    /// server's own words name neither the key nor the queue.
    pub(super) async fn named(
        &self,
        answer: Result<Value, QueueError>,
    ) -> Result<Value, QueueError> {
        match answer {
            Err(error) if is_wrong_type(&error) => Err(self.name_wrong_key(error).await),
            answer => answer,
        }
    }

    async fn name_wrong_key(&self, error: QueueError) -> QueueError {
        let link = &self.connections.shared;
        for (key, kept) in self.keys.types() {
            let mut command = Cmd::new();
            command.arg("TYPE").arg(key);
            let answer = link.command(&command, self.settings.timeout, Repeat::Harmless);
            let Some(found) = answer.await.ok().and_then(bytes) else {
                return error;
            };
            let found = String::from_utf8_lossy(&found).into_owned();
            if found != kept && found != "none" {
                let server = link.server();
                let what = format!(
                    "the key {key} of redis at {server} holds a {found} where the queue keeps a {kept}"
                );
                return QueueError::new(QueueErrorKind::Internal, what).with_source(error);
            }
        }
        error
    }
}

fn is_wrong_type(error: &QueueError) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    cause.is_some_and(|cause: &RedisError| cause.code() == Some("WRONGTYPE"))
}
