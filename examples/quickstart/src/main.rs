//! A webhook receiver in one process that plays signed deliveries at itself.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

use tokio::net::TcpListener;

mod accounting;
mod app;
mod arguments;
mod deliveries;
mod handler;
mod left_behind;
mod play;
mod sender;
mod store;

use app::App;
use arguments::{Arguments, USAGE};
use deliveries::Delivery;
use left_behind::LeftBehind;
use store::Store;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => return exit_after(io::stdout().write_all(USAGE.as_bytes())),
        Err(problem) => {
            eprintln!("error: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => match error.downcast::<io::Error>() {
            Ok(error) => exit_after(Err(*error)),
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

/// Plays the deliveries, and keeps serving where it is not asked to end. Whether the accounting is
/// what it should be.
async fn run(arguments: &Arguments) -> Result<bool, BoxError> {
    let listener = listen(arguments.port).await?;
    let store = match &arguments.redis {
        Some(url) => Store::redis(url, |finding| eprintln!("warning: {finding}")).await?,
        None => Store::memory()?,
    };
    let mut app = App::start(listener, store)?;
    let mut out = io::stdout();
    let right = play::play(&mut app, &mut out).await?;
    if let Some(left) = LeftBehind::of(app.store(), !arguments.once).await? {
        writeln!(out, "{left}")?;
    }
    if !arguments.once {
        serve(&mut app, &mut out).await?;
    }
    let report = app.stop().await?;
    writeln!(out, "Stopped. The worker's report: {report}.")?;
    Ok(right)
}

async fn listen(port: u16) -> Result<TcpListener, BoxError> {
    TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| {
            match error.kind() {
                io::ErrorKind::AddrInUse => {
                    format!("port {port} of 127.0.0.1 is taken; choose another one with --port")
                }
                _ => format!("can't listen on port {port} of 127.0.0.1: {error}"),
            }
            .into()
        })
}

/// Invites, and tells of every run until Ctrl-C.
async fn serve(app: &mut App, out: &mut impl Write) -> Result<(), BoxError> {
    let mut interrupt = std::pin::pin!(tokio::signal::ctrl_c());
    // The first poll is what listens for Ctrl-C: before anybody is told to press it.
    tokio::select! {
        biased;
        interrupted = &mut interrupt => return Ok(interrupted?),
        () = std::future::ready(()) => write!(out, "{}", invitation(app))?,
    }
    loop {
        tokio::select! {
            interrupted = &mut interrupt => return Ok(interrupted?),
            run = app.next_run() => writeln!(out, "   {run}")?,
        }
    }
}

/// A command that works as it stands: the delivery is signed with the secret of this program.
fn invitation(app: &App) -> String {
    let Delivery {
        path,
        headers,
        body,
    } = Delivery::github("ping", r#"{"zen":"Keep it logically awesome."}"#);
    let mut command = format!("curl -i http://{}{path}", app.address());
    for (name, value) in headers {
        // Writing to a string does not fail.
        let _ = write!(command, " \\\n     -H '{name}: {value}'");
    }
    format!(
        "Now it's your turn. This delivery is signed, so it is accepted:\n\n   \
         {command} \\\n     -d '{body}'\n\n\
         Send it twice, and the second answer has the id of the first. Change a letter of the body, \
         and it is refused.\nCtrl-C ends.\n\n"
    )
}

/// A reader that closed the pipe has seen enough; any other failure to write is one.
fn exit_after(written: io::Result<()>) -> ExitCode {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

type BoxError = Box<dyn Error + Send + Sync>;
