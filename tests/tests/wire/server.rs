use std::net::SocketAddr;

use anvil_tests::Hooks;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// HTTP/1 and HTTP/2 on a port of the loopback, until the runtime ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    ended: watch::Receiver<usize>,
}

impl Server {
    pub(crate) async fn start(service: Hooks) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, ended) = watch::channel(0);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (service, sender) = (TowerToHyperService::new(service.clone()), sender.clone());
                tokio::spawn(async move {
                    let mut builder = Builder::new(TokioExecutor::new());
                    builder.http1().timer(TokioTimer::new());
                    // How a connection ends is the client's affair.
                    let _ = builder
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                    sender.send_modify(|ended| *ended += 1);
                });
            }
        });
        Self { address, ended }
    }

    /// Waits until so many connections have ended.
    pub(crate) async fn ended(&self, connections: usize) {
        let mut ended = self.ended.clone();
        ended.wait_for(|ended| *ended >= connections).await.unwrap();
    }
}
