//! How a connection is made: to one server, to the master that sentinels name, or to a cluster.

use std::fmt;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind,
    IntoConnectionInfo, RedisConnectionInfo, RedisResult, Value,
};

use super::connection::Connection;
use super::tls::Certificates;
use crate::address::{Address, Mode};

/// What to connect to, and the certificates for it.
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) certificates: Certificates,
}

impl Target {
    pub(super) async fn connect(&self) -> RedisResult<Connection> {
        match &self.address.mode {
            Mode::Standalone => {
                let (host, port) = &self.address.nodes[0];
                self.open(host, *port).await.map(Connection::Server)
            }
            Mode::Sentinel { master } => self.open_master(master).await.map(Connection::Server),
            Mode::Cluster => self.open_cluster().await,
        }
    }

    async fn open(&self, host: &str, port: u16) -> RedisResult<MultiplexedConnection> {
        self.open_as(host, port, self.login(self.address.database))
            .await
    }

    async fn open_as(
        &self,
        host: &str,
        port: u16,
        login: RedisConnectionInfo,
    ) -> RedisResult<MultiplexedConnection> {
        // The calls have time-outs of their own, which also cover their wait for a connection.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let info = self.info(host, port, login)?;
        let client = if self.address.tls {
            self.certificates.client(info)?
        } else {
            Client::open(info)?
        };
        client
            .get_multiplexed_async_connection_with_config(&config)
            .await
    }

    /// Asks one sentinel after the other, and believes the server itself about its role.
    async fn open_master(&self, master: &str) -> RedisResult<MultiplexedConnection> {
        let mut trouble = None;
        for (host, port) in &self.address.nodes {
            let asked = tokio::time::timeout(SENTINEL_TIMEOUT, self.ask(host, *port, master)).await;
            match asked.unwrap_or_else(|_| Err(super::timed_out())) {
                Ok((host, port)) => {
                    let mut connection = self.open(&host, port).await?;
                    if is_master(&mut connection).await? {
                        return Ok(connection);
                    }
                    trouble = Some(
                        (
                            ErrorKind::Io,
                            "the sentinels name a server that is no master yet",
                        )
                            .into(),
                    );
                }
                Err(error) => trouble = Some(error),
            }
        }
        Err(trouble.unwrap_or_else(|| (ErrorKind::EmptySentinelList, "no sentinel").into()))
    }

    async fn ask(&self, host: &str, port: u16, master: &str) -> RedisResult<(String, u16)> {
        let mut sentinel = match self.open_as(host, port, self.login(0)).await {
            // Sentinels often ask for no password where the servers do.
            Err(error) if error.kind() == ErrorKind::AuthenticationFailed => {
                self.open_as(host, port, RedisConnectionInfo::default())
                    .await?
            }
            opened => opened?,
        };
        let mut command = Cmd::new();
        command
            .arg("SENTINEL")
            .arg("get-master-addr-by-name")
            .arg(master);
        let named: Option<(String, u16)> =
            redis::from_redis_value(sentinel.send_packed_command(&command).await?)?;
        named.ok_or_else(|| {
            (
                ErrorKind::MasterNameNotFoundBySentinel,
                "the sentinel does not know the master's name",
            )
                .into()
        })
    }

    #[cfg(feature = "cluster")]
    async fn open_cluster(&self) -> RedisResult<Connection> {
        let nodes = self
            .address
            .nodes
            .iter()
            .map(|(host, port)| self.info(host, *port, self.login(0)))
            .collect::<RedisResult<Vec<_>>>()?;
        #[cfg_attr(
            not(feature = "tls"),
            expect(unused_mut, reason = "certificates are added below")
        )]
        let mut builder = redis::cluster::ClusterClient::builder(nodes)
            .tcp_settings(tcp())
            .connection_timeout(NODE_CONNECT_TIMEOUT)
            .response_timeout(NODE_RESPONSE_TIMEOUT)
            .retries(3);
        #[cfg(feature = "tls")]
        if self.address.tls {
            builder = builder.certs(self.certificates.read()?);
        }
        let connection = builder.build()?.get_async_connection().await?;
        Ok(Connection::Cluster(connection))
    }

    #[cfg(not(feature = "cluster"))]
    async fn open_cluster(&self) -> RedisResult<Connection> {
        Err((
            ErrorKind::InvalidClientConfig,
            "redis+cluster:// needs the feature `cluster` of anvil-redis",
        )
            .into())
    }

    fn info(
        &self,
        host: &str,
        port: u16,
        login: RedisConnectionInfo,
    ) -> RedisResult<ConnectionInfo> {
        let host = host.to_owned();
        let address = if self.address.tls {
            ConnectionAddr::TcpTls {
                host,
                port,
                insecure: false,
                tls_params: None,
            }
        } else {
            ConnectionAddr::Tcp(host, port)
        };
        Ok(address
            .into_connection_info()?
            .set_tcp_settings(tcp())
            .set_redis_settings(login))
    }

    fn login(&self, database: i64) -> RedisConnectionInfo {
        let mut login = RedisConnectionInfo::default().set_db(database);
        if let Some(user) = &self.address.user {
            login = login.set_username(user);
        }
        if let Some(password) = &self.address.password {
            login = login.set_password(password);
        }
        login
    }
}

async fn is_master(connection: &mut MultiplexedConnection) -> RedisResult<bool> {
    let mut command = Cmd::new();
    command.arg("ROLE");
    let role = connection.send_packed_command(&command).await?;
    Ok(match role {
        Value::Array(items) => {
            matches!(items.first(), Some(Value::BulkString(role)) if role == b"master")
        }
        _ => false,
    })
}

fn tcp() -> TcpSettings {
    // A peer that went away without a word is noticed by the kernel, too.
    let settings = TcpSettings::default().set_nodelay(true);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(DEAD_PEER);
    settings
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.address, f)
    }
}

const SENTINEL_TIMEOUT: Duration = Duration::from_millis(500);
/// Far below the time for connecting to the whole cluster, which a silent node must not use up.
#[cfg(feature = "cluster")]
const NODE_CONNECT_TIMEOUT: Duration = Duration::from_millis(500);
/// Longer than the server holds a read of the bell. The calls have time-outs of their own.
#[cfg(feature = "cluster")]
const NODE_RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
#[cfg(target_os = "linux")]
const DEAD_PEER: Duration = Duration::from_secs(10);
