use redis::aio::MultiplexedConnection;
use redis::{Cmd, RedisResult, Value};
#[cfg(feature = "cluster")]
use redis::{aio::ConnectionLike, cluster_async::ClusterConnection};

/// An open connection; clones share it.
#[derive(Clone)]
pub(super) enum Connection {
    #[cfg(feature = "cluster")]
    Cluster(ClusterConnection),
    Server(MultiplexedConnection),
}

impl Connection {
    pub(super) fn is_cluster(&self) -> bool {
        match self {
            #[cfg(feature = "cluster")]
            Self::Cluster(_) => true,
            Self::Server(_) => false,
        }
    }

    pub(super) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let answer = match self {
            #[cfg(feature = "cluster")]
            Self::Cluster(connection) => connection.req_packed_command(command).await,
            Self::Server(connection) => connection.send_packed_command(command).await,
        };
        match answer? {
            Value::ServerError(error) => Err(error.into()),
            value => Ok(value),
        }
    }
}
