use std::io::Write;
use std::time::Duration;

use anvil_queue::{DeadLetters, DeadQuery, QueueStats, ReplayOptions};
use futures_util::future::try_join_all;

use crate::BoxError;
use crate::accounting::Accounting;
use crate::app::App;
use crate::deliveries::Delivery;
use crate::sender::{Answer, Sender};

/// Plays every kind of delivery at the app and tells what comes of it. Whether the accounting is
/// what it should be.
pub(crate) async fn play(app: &mut App, out: &mut impl Write) -> Result<bool, BoxError> {
    let address = app.address();
    let store = app.store();
    writeln!(
        out,
        "Receiving on http://{address}, queueing in {store}, one worker.\n"
    )?;
    let sender = Sender::new(address);
    Stage { app, out, sender }.play().await
}

struct Stage<'a, W> {
    app: &'a mut App,
    out: &'a mut W,
    sender: Sender,
}

impl<W: Write> Stage<'_, W> {
    async fn play(mut self) -> Result<bool, BoxError> {
        let push = Delivery::github("push", r#"{"ref":"refs/heads/main","after":"9fceb02"}"#);
        self.a_good_one(&push).await?;
        self.the_same_five_times(&push).await?;
        self.the_same_event_signed_again().await?;
        self.a_tampered_one().await?;
        self.an_unsigned_one().await?;
        self.one_that_fails_until_it_is_dead().await?;
        self.its_replay().await?;
        let right = self.the_accounting().await?;
        if self.app.store().redis.is_some() {
            self.one_to_leave().await?;
        }
        Ok(right)
    }

    async fn a_good_one(&mut self, push: &Delivery) -> Result<(), BoxError> {
        self.say("1. GitHub delivers a push.")?;
        self.send(push).await?;
        self.tell_next_run().await?;
        self.until("the push is done", |stats| stats.totals.completed == 1)
            .await?;
        self.say("")
    }

    async fn the_same_five_times(&mut self, push: &Delivery) -> Result<(), BoxError> {
        self.say("2. GitHub delivers the same push five more times, all at once.")?;
        let mut answers: Vec<Answer> = try_join_all((0..5).map(|_| self.sender.send(push))).await?;
        let same = answers.len();
        answers.dedup();
        let answers: Vec<_> = answers.iter().map(Answer::to_string).collect();
        writeln!(
            self.out,
            "   POST {} -> {} ({same} answers)",
            push.path,
            answers.join(", ")
        )?;
        self.say("   The first job stands for all of them, and nothing runs again.\n")
    }

    async fn the_same_event_signed_again(&mut self) -> Result<(), BoxError> {
        self.say(
            "3. Stripe delivers an event, then retries it with a new timestamp and signature.",
        )?;
        let event = r#"{"id":"evt_1","type":"invoice.paid","amount":4900}"#;
        self.send(&Delivery::stripe(Duration::from_secs(60), event))
            .await?;
        self.send(&Delivery::stripe(Duration::ZERO, event)).await?;
        self.say("   The id in the signed body names the event, so it is still one job.")?;
        self.tell_next_run().await?;
        self.until("the event is done", |stats| stats.totals.completed == 2)
            .await?;
        self.say("")
    }

    async fn a_tampered_one(&mut self) -> Result<(), BoxError> {
        self.say("4. Somebody changes the amount on the way.")?;
        let event = r#"{"id":"evt_2","type":"invoice.paid","amount":4900}"#;
        let delivery = Delivery::stripe(Duration::ZERO, event).tampered("4900", "1");
        self.send(&delivery).await?;
        self.tell_cause()
    }

    async fn an_unsigned_one(&mut self) -> Result<(), BoxError> {
        self.say("5. Somebody sends an event without a signature.")?;
        let event = r#"{"type":"payout.created","amount":100000}"#;
        self.send(&Delivery::standard("msg_1", event).unsigned())
            .await?;
        self.tell_cause()
    }

    async fn one_that_fails_until_it_is_dead(&mut self) -> Result<(), BoxError> {
        self.say("6. A payout arrives while the bank is closed.")?;
        let event = r#"{"type":"payout.created","amount":4900}"#;
        self.fail(&Delivery::standard("msg_2", event)).await?;
        let page = self
            .app
            .backend()
            .list_dead(self.app.queue(), DeadQuery::new())
            .await?;
        for letter in page.letters {
            writeln!(
                self.out,
                "   Dead letter {}: {} after {} attempts, last error \"{}\".",
                letter.id(),
                letter.reason,
                letter.failures.attempts,
                letter.failures.last_error().unwrap_or_default()
            )?;
        }
        self.say("")
    }

    /// A delivery whose every run fails.
    async fn fail(&mut self, payout: &Delivery) -> Result<(), BoxError> {
        self.send(payout).await?;
        for _ in 0..4 {
            self.tell_next_run().await?;
        }
        self.until("the payout is dead", |stats| stats.dead == 1)
            .await
    }

    async fn its_replay(&mut self) -> Result<(), BoxError> {
        self.say("7. The bank opens, and a person replays the dead letter.")?;
        self.app.bank().open();
        let (backend, queue) = (self.app.backend(), self.app.queue());
        let page = backend.list_dead(queue, DeadQuery::new()).await?;
        let ids: Vec<_> = page.letters.iter().map(|letter| letter.id()).collect();
        let answers = backend
            .replay(queue, &ids, ReplayOptions::default())
            .await?;
        for (id, answer) in ids.iter().zip(answers) {
            writeln!(self.out, "   replay {id} -> {answer:?}")?;
        }
        self.tell_next_run().await?;
        self.until("the payout is done", |stats| stats.totals.completed == 3)
            .await?;
        self.say("")
    }

    async fn the_accounting(&mut self) -> Result<bool, BoxError> {
        let stats = self.app.stats().await?;
        let actual = Accounting::new(&stats, self.app.refusals().count());
        let comparison = actual.compared_with(EXPECTED);
        let verdict = if comparison.is_right() {
            "The accounting is right: nothing was lost and nothing ran twice."
        } else {
            "The accounting is WRONG."
        };
        writeln!(self.out, "{comparison}\n{verdict}\n")?;
        Ok(comparison.is_right())
    }

    /// Redis keeps a dead letter for whoever wants to try the command line on it.
    async fn one_to_leave(&mut self) -> Result<(), BoxError> {
        self.say("8. One more payout, while the bank is closed. Its dead letter is left for you.")?;
        self.app.bank().close();
        let event = r#"{"type":"payout.created","amount":700}"#;
        self.fail(&Delivery::standard("msg_3", event)).await?;
        self.app.bank().open();
        self.say("")
    }

    fn say(&mut self, words: &str) -> Result<(), BoxError> {
        Ok(writeln!(self.out, "{words}")?)
    }

    async fn send(&mut self, delivery: &Delivery) -> Result<(), BoxError> {
        let answer = self.sender.send(delivery).await?;
        Ok(writeln!(self.out, "   POST {} -> {answer}", delivery.path)?)
    }

    async fn tell_next_run(&mut self) -> Result<(), BoxError> {
        let run = tokio::time::timeout(PATIENCE, self.app.next_run())
            .await
            .map_err(|_| "the worker ran nothing in time")?;
        Ok(writeln!(self.out, "   {run}")?)
    }

    fn tell_cause(&mut self) -> Result<(), BoxError> {
        let cause = self.app.refusals().last_cause();
        Ok(writeln!(
            self.out,
            "   The sender learns no more than that. The receiver knows the cause: {cause}.\n"
        )?)
    }

    /// Waits until the queue is as it should be.
    async fn until(&self, what: &str, holds: impl Fn(&QueueStats) -> bool) -> Result<(), BoxError> {
        let waiting = async {
            while !holds(&self.app.stats().await?) {
                tokio::time::sleep(POLL).await;
            }
            Ok(())
        };
        tokio::time::timeout(PATIENCE, waiting)
            .await
            .unwrap_or_else(|_| Err(format!("waited too long until {what}").into()))
    }
}

const EXPECTED: Accounting = Accounting {
    accepted: 3,
    duplicates: 6,
    refused: 2,
    done: 3,
    dead: 1,
    replayed: 1,
    left: 0,
};
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);
