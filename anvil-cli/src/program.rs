use std::process::ExitCode;
use std::sync::Arc;

use anvil_queue::{QueueError, QueueErrorKind, Store};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::exit::with_causes;
use crate::terminal::Signal;
use crate::{Cli, Exit, Terminal, run};

/// The whole program: reads the arguments of this process, connects, runs the command.
///
/// The first interruption (SIGINT or SIGTERM) of a command that can be interrupted ends it after the
/// call under way; the second ends the process at once.
pub fn program<C, F>(connect: C) -> ExitCode
where
    C: FnOnce(Cli) -> F,
    F: Future<Output = Result<(Cli, Arc<dyn Store>), QueueError>>,
{
    let cli = match Cli::try_parse_args(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Whoever asked for the help may have gone.
            let _ = error.print();
            let code = u8::try_from(error.exit_code());
            return code.unwrap_or(Exit::Usage.code()).into();
        }
    };
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
        match connect(cli).await {
            Ok((cli, store)) => run(&cli, store, &mut terminal).await,
            Err(error) => {
                terminal.say(&format!("error: {}", with_causes(&error)));
                match error.kind() {
                    QueueErrorKind::Rejected => Exit::Usage,
                    _ => Exit::Store,
                }
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
