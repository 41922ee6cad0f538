//! What the proxy's threads and its owner share.

use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Fault;

/// The state of a proxy, changed by its owner at any time.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Notified when the mode or the listener changes.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    is_listening: bool,
    target: u16,
    delay: Duration,
    renaming: (String, String),
    rules: Vec<Rule>,
    open: Vec<(u64, [TcpStream; 2])>,
    next_connection: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    Closed,
    Pass,
    Refuse,
    Stall,
}

impl Mode {
    pub(super) fn listens(self) -> bool {
        matches!(self, Self::Pass | Self::Stall)
    }
}

/// A fault that waits for its command.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) command: String,
    pub(super) fault: Fault,
}

impl Shared {
    pub(super) fn new(target: u16) -> Self {
        Self {
            state: Mutex::new(State {
                mode: Mode::Pass,
                is_listening: true,
                target,
                delay: Duration::ZERO,
                renaming: (String::new(), String::new()),
                rules: Vec::new(),
                open: Vec::new(),
                next_connection: 0,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn set_mode(&self, mode: Mode) {
        self.state().mode = mode;
        self.changed.notify_all();
    }

    pub(super) fn set_listening(&self, is_listening: bool) {
        self.state().is_listening = is_listening;
        self.changed.notify_all();
    }

    pub(super) fn set_target(&self, target: u16) {
        self.state().target = target;
    }

    pub(super) fn set_delay(&self, delay: Duration) {
        self.state().delay = delay;
    }

    pub(super) fn set_renaming(&self, from: &str, to: &str) {
        self.state().renaming = (from.to_owned(), to.to_owned());
    }

    pub(super) fn add_rule(&self, rule: Rule) {
        self.state().rules.push(rule);
    }

    /// Uses the oldest fault for this command up, if there is one.
    pub(super) fn take_fault(&self, command: &[u8]) -> Option<Fault> {
        let mut state = self.state();
        let rule = state.rules.iter().position(|rule| {
            rule.command == "*" || rule.command.as_bytes().eq_ignore_ascii_case(command)
        })?;
        Some(state.rules.remove(rule).fault)
    }

    /// Notes a connection by its two sockets, so that it can be cut.
    pub(super) fn open(&self, sockets: [TcpStream; 2]) -> u64 {
        let mut state = self.state();
        if state.mode == Mode::Closed {
            shut(&sockets);
        }
        let id = state.next_connection;
        state.next_connection += 1;
        state.open.push((id, sockets));
        id
    }

    pub(super) fn close(&self, connection: u64) {
        let mut state = self.state();
        if let Some(at) = state.open.iter().position(|(id, _)| *id == connection) {
            let (_, sockets) = state.open.swap_remove(at);
            shut(&sockets);
        }
    }

    pub(super) fn cut(&self) {
        for (_, sockets) in self.state().open.drain(..) {
            shut(&sockets);
        }
    }

    /// Waits while the proxy stalls; `false` where it is closed.
    pub(super) fn may_pass(&self) -> bool {
        let state = self.wait_while(|state| state.mode == Mode::Stall);
        state.mode != Mode::Closed
    }

    /// Waits while the proxy refuses connections; `false` where it is closed.
    pub(super) fn may_listen(&self) -> bool {
        let state = self.wait_while(|state| state.mode == Mode::Refuse);
        state.mode != Mode::Closed
    }

    pub(super) fn wait_for_listener(&self) {
        drop(self.wait_while(|state| state.is_listening != state.mode.listens()));
    }

    pub(super) fn is_to_stop_listening(&self) -> bool {
        let state = self.state();
        state.is_listening && !state.mode.listens()
    }

    pub(super) fn mode(&self) -> Mode {
        self.state().mode
    }

    pub(super) fn target(&self) -> u16 {
        self.state().target
    }

    pub(super) fn delay(&self) -> Duration {
        self.state().delay
    }

    pub(super) fn renaming(&self) -> (String, String) {
        self.state().renaming.clone()
    }

    pub(super) fn rules_left(&self) -> usize {
        self.state().rules.len()
    }

    pub(super) fn connections(&self) -> usize {
        self.state().open.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed
            .wait_while(self.state(), |state| condition(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn shut(sockets: &[TcpStream; 2]) {
    for socket in sockets {
        // Fails only where the other side was faster.
        let _ = socket.shutdown(Shutdown::Both);
    }
}
