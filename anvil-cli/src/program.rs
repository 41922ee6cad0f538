use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::command::{run_alone, run_on_redis};
use crate::connect::connect;
use crate::terminal::Signal;
use crate::{Cli, Exit, Terminal};

/// The whole program: reads the arguments of this process, connects to Redis where the command needs
/// it, runs the command.
///
/// The first interruption (SIGINT or SIGTERM) of a command that can be interrupted ends it after the
/// call under way; the second ends the process at once.
#[must_use]
pub fn program() -> ExitCode {
    let cli = match Cli::try_parse_args(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Whoever asked for the help may have gone.
            let _ = error.print();
            let code = u8::try_from(error.exit_code());
            return code.map_or_else(|_| Exit::Usage.code().into(), ExitCode::from);
        }
    };
    #[cfg(feature = "tls")]
    // It fails only where there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: no thread of work: {error}");
            return Exit::Store.code().into();
        }
    };
    let exit = runtime.block_on(async {
        let mut terminal = Terminal::standard(interrupted);
        if !cli.command.needs_store() {
            return run_alone(&cli, &mut terminal).await;
        }
        match connect(&cli).await {
            Ok(redis) => run_on_redis(&cli, redis, &mut terminal).await,
            Err((exit, message)) => {
                terminal.say(&format!("error: {message}"));
                exit
            }
        }
    });
    exit.code().into()
}

/// Listens from now on, in a task of its own, so that a second signal is heard while a call hangs.
fn interrupted() -> Signal {
    let signals = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    );
    let (Ok(mut interrupts), Ok(mut terminations)) = signals else {
        return Box::pin(std::future::pending());
    };
    let (first, heard) = oneshot::channel();
    tokio::spawn(async move {
        let mut first = Some(first);
        loop {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = terminations.recv() => {}
            }
            match first.take() {
                Some(first) => drop(first.send(())),
                None => std::process::exit(Exit::Interrupted.code().into()),
            }
        }
    });
    Box::pin(async move { drop(heard.await) })
}
