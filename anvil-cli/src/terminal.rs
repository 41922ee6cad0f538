use std::fmt;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::pin::Pin;

use crate::output::escape;

pub(crate) type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where a command writes, reads and hears of interruptions.
///
/// Data goes to the one side and words to the other, as a program's standard output and standard
/// error. Words that can't be written are lost; that ends nothing.
pub struct Terminal<'a> {
    data: Box<dyn Write + Send + 'a>,
    words: Box<dyn Write + Send + 'a>,
    input: Box<dyn BufRead + Send + 'a>,
    interrupt: Box<dyn FnMut() -> Signal + Send + 'a>,
    data_on_screen: bool,
    words_on_screen: bool,
    answers: bool,
}

impl<'a> Terminal<'a> {
    /// The terminal of this process.
    ///
    /// `interrupt` is called when a command that can be interrupted begins; its future ends when
    /// the command should end.
    pub fn standard(interrupt: impl FnMut() -> Signal + Send + 'a) -> Self {
        Self {
            data: Box::new(io::BufWriter::new(io::stdout())),
            words: Box::new(io::stderr()),
            input: Box::new(io::BufReader::new(io::stdin())),
            interrupt: Box::new(interrupt),
            data_on_screen: io::stdout().is_terminal(),
            words_on_screen: io::stderr().is_terminal(),
            answers: io::stdin().is_terminal() && io::stderr().is_terminal(),
        }
    }

    /// No terminal at all: both sides are written as into pipes, nobody answers or interrupts.
    pub fn piped(data: impl Write + Send + 'a, words: impl Write + Send + 'a) -> Self {
        Self {
            data: Box::new(data),
            words: Box::new(words),
            input: Box::new(io::empty()),
            interrupt: Box::new(|| Box::pin(std::future::pending())),
            data_on_screen: false,
            words_on_screen: false,
            answers: false,
        }
    }

    /// Puts a person in front of it, who sees both sides and types `input`.
    #[must_use]
    pub fn attended(mut self, input: impl BufRead + Send + 'a) -> Self {
        self.input = Box::new(input);
        self.data_on_screen = true;
        self.words_on_screen = true;
        self.answers = true;
        self
    }

    /// Replaces what tells of interruptions. Default: nothing does.
    #[must_use]
    pub fn interrupted_by(mut self, interrupt: impl FnMut() -> Signal + Send + 'a) -> Self {
        self.interrupt = Box::new(interrupt);
        self
    }

    /// Whether the data is read by a person.
    pub(crate) fn data_on_screen(&self) -> bool {
        self.data_on_screen
    }

    pub(crate) fn words_on_screen(&self) -> bool {
        self.words_on_screen
    }

    /// Whether somebody can be asked.
    pub(crate) fn answers(&self) -> bool {
        self.answers
    }

    pub(crate) fn interrupt(&mut self) -> Signal {
        (self.interrupt)()
    }

    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.data.write_all(line.as_bytes())?;
        self.data.write_all(b"\n")
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.data.write_all(bytes)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.data.flush()
    }

    /// All that can be read, up to this many bytes.
    pub(crate) fn read(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let mut read = Vec::new();
        self.input.as_mut().take(limit).read_to_end(&mut read)?;
        Ok(read)
    }

    /// One line of words; what could act on a terminal is escaped.
    pub(crate) fn say(&mut self, line: &str) {
        // Data and words may meet on one screen, and then their order matters.
        let _ = self.data.flush();
        let _ = writeln!(self.words, "{}", escape(line));
    }

    /// Rewrites the line the cursor is in.
    pub(crate) fn rewrite(&mut self, line: &str) {
        let _ = write!(self.words, "\r\x1b[K{}", escape(line));
        let _ = self.words.flush();
    }

    /// Asks a question; anything but a yes is a no.
    pub(crate) fn ask(&mut self, question: &str) -> bool {
        let _ = write!(self.words, "{} [y/N] ", escape(question));
        let _ = self.words.flush();
        let mut answer = String::new();
        let read = self.input.read_line(&mut answer);
        read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes" | "Yes" | "YES")
    }
}

impl fmt::Debug for Terminal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal")
            .field("data_on_screen", &self.data_on_screen)
            .field("words_on_screen", &self.words_on_screen)
            .field("answers", &self.answers)
            .finish_non_exhaustive()
    }
}
