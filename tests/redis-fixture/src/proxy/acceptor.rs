//! The thread that takes connections.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::connection;
use super::shared::Shared;

pub(super) fn start(port: u16, shared: Arc<Shared>) -> io::Result<JoinHandle<()>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    Ok(thread::spawn(move || run(listener, port, &shared)))
}

/// Makes the thread look at the mode; it may be waiting for a connection.
pub(super) fn wake(port: u16) {
    let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
}

fn run(first: TcpListener, port: u16, shared: &Arc<Shared>) {
    let mut listener = Some(first);
    loop {
        if let Some(listener) = listener.take() {
            shared.set_listening(true);
            serve(&listener, shared);
        }
        // The socket is closed by now: the kernel refuses connections from here on.
        shared.set_listening(false);
        if !shared.may_listen() {
            return;
        }
        listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
        if listener.is_none() {
            // Somebody who knows nothing of the claim has the port for a moment.
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Takes connections until the mode is one that takes none.
fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    while shared.mode().listens() {
        let Ok((client, _)) = listener.accept() else {
            continue;
        };
        // It may be the one that wakes this thread.
        if !shared.mode().listens() {
            return;
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // An error here is a connection that ended, which is what its client sees too.
            let _ = connection::serve(client, &shared);
        });
    }
}
