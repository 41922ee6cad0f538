//! What 200 senders cost that each send all but the last byte of a 1 MiB body and stall.
//!
//! Prints `rss_mib=`, the resident memory of the server while all of them wait, and
//! `answered_408=`, how many were answered 408 at the deadline. The senders are threads of another
//! process, so that their buffers are not counted.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::QueueName;
use anvil_tower::verify::VerifyLayer;
use anvil_tower::{DedupeLayer, EnqueueService, Preset};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower::ServiceBuilder;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure(),
        ["serve"] => serve(),
        _ => {
            eprintln!("usage: bench-body");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-body: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> io::Result<()> {
    let mut server = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdout(Stdio::piped())
        .spawn()?;
    let measured = against(&mut server);
    server.kill()?;
    server.wait()?;
    let (rss_mib, answered) = measured?;
    println!("rss_mib={rss_mib:.1} answered_408={answered}");
    Ok(())
}

fn against(server: &mut std::process::Child) -> io::Result<(f64, usize)> {
    let stdout = server
        .stdout
        .take()
        .ok_or_else(|| io::Error::other("no output"))?;
    let mut address = String::new();
    BufReader::new(stdout).read_line(&mut address)?;
    let address: SocketAddr = address.trim().parse().map_err(io::Error::other)?;

    let mut senders = Vec::with_capacity(SENDERS);
    for _ in 0..SENDERS {
        senders.push(send_all_but_one_byte(address)?);
    }
    // The kernel may still hold what was sent; the server has it once nothing changes any more.
    let mut resident = resident_mib(server.id())?;
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let now = resident_mib(server.id())?;
        if now <= resident {
            break;
        }
        resident = now;
    }
    let mut answered = 0;
    for mut sender in senders {
        let mut answer = Vec::new();
        sender.set_read_timeout(Some(2 * DEADLINE))?;
        // The server may close the connection without reading the last byte.
        let _ = sender.read_to_end(&mut answer);
        answered += usize::from(answer.starts_with(b"HTTP/1.1 408"));
    }
    let peak = peak_mib(server.id())?;
    Ok((peak.max(resident), answered))
}

fn send_all_but_one_byte(address: SocketAddr) -> io::Result<TcpStream> {
    let mut sender = TcpStream::connect(address)?;
    write!(
        sender,
        "POST /hooks HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\
         x-hub-signature-256: sha256={}\r\ncontent-length: {BODY}\r\n\r\n",
        "0".repeat(64)
    )?;
    sender.write_all(&vec![b'x'; BODY - 1])?;
    Ok(sender)
}

fn resident_mib(process: u32) -> io::Result<f64> {
    status_mib(process, "VmRSS:")
}

/// The most the server ever held, so that no moment is missed.
fn peak_mib(process: u32) -> io::Result<f64> {
    status_mib(process, "VmHWM:")
}

fn status_mib(process: u32, field: &str) -> io::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0)
        .ok_or_else(|| io::Error::other(format!("no {field} for process {process}")))
}

#[tokio::main]
async fn serve() -> io::Result<()> {
    let backend = Arc::new(MemoryBackend::new());
    let queue = QueueName::new("bench").expect("a valid name");
    let scheme = Preset::github("a plain secret of some length").expect("a valid secret");
    let verify = VerifyLayer::new("github", scheme)
        .body_limit(BODY)
        .read_timeout(DEADLINE);
    let hooks = ServiceBuilder::new()
        .layer(verify)
        .layer(DedupeLayer::recommended())
        .service(EnqueueService::new(backend, queue));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (connection, _) = listener.accept().await?;
        let hooks = TowerToHyperService::new(hooks.clone());
        tokio::spawn(async move {
            // By default a connection that brings a large body buffers 400 KiB of it beside ours.
            let mut server = Builder::new(TokioExecutor::new());
            server.http1().max_buf_size(64 * 1024);
            // A sender that goes away is what is being measured.
            let _ = server
                .serve_connection(TokioIo::new(connection), hooks)
                .await;
        });
    }
}

const SENDERS: usize = 200;
const BODY: usize = 1024 * 1024;
const DEADLINE: Duration = Duration::from_secs(10);
