//! Faults at random, the same for the same seed; the books have to balance in the end.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anvil_queue::{
    HandlerError, Job, JobId, QueueErrorKind, Refusal, Schedule, Worker, handler_fn,
};
use anvil_tests::{Fault, Seeded, Sender, Verb, dead, event, hooks, send, stats, work};

use super::{Faulty, faulty};

#[tokio::test(start_paused = true)]
async fn of_500_deliveries_to_a_store_that_comes_and_goes_every_accepted_one_is_handled() {
    let (backend, memory, queue) = faulty();
    let hooks = hooks(Sender::Stripe, &backend, &queue);
    let mut random = Seeded::new(1);
    let mut up = true;
    let mut accepted = HashMap::new();
    let mut refused = Vec::new();
    for n in 0..500 {
        if random.one_in(10) {
            up = !up;
        }
        if !up {
            backend.next(Verb::Enqueue, enqueue_fault(&mut random));
        }
        let id = format!("evt_{n}");
        let answer = send(&hooks, Sender::Stripe.sign(event(&id)).request()).await;
        if answer.status == 202 {
            assert!(!answer.replayed(), "{id} was sent once");
            accepted.insert(answer.job_id(), event(&id));
        } else {
            assert!(answer.is_try_again(), "{id}: {answer:?}");
            refused.push(id);
        }
    }
    assert!(
        accepted.len() > 100 && refused.len() > 100,
        "{} accepted",
        accepted.len()
    );

    // Some of the refused were stored, because only the reply was lost; none is stored twice.
    let stored = stats(&memory, &queue).await;
    let unheard = stored.ready - accepted.len();
    assert!(unheard > 0 && unheard < refused.len(), "{stored:?}");
    let mut retried = HashSet::new();
    for id in &refused {
        let answer = send(&hooks, Sender::Stripe.sign(event(id)).request()).await;
        retried.extend(answer.replayed().then(|| answer.job_id()));
        accepted.insert(answer.job_id(), event(id));
    }
    assert_eq!((accepted.len(), retried.len()), (500, unheard));

    let runs = work(&memory, &queue, |_| Ok(())).await;
    assert_eq!(runs.len(), 500);
    for job in runs {
        assert_eq!(accepted.remove(&job.id()).as_ref(), Some(job.payload()));
    }
}

#[tokio::test(start_paused = true)]
async fn under_faults_in_every_verb_the_books_balance() {
    let mut calls = HashMap::new();
    for seed in 0..40 {
        let backend = under_faults(seed).await;
        for verb in VERBS {
            *calls.entry(verb).or_insert(0) += backend.sizes(verb).len();
        }
    }
    for verb in VERBS {
        assert!(
            calls[&verb] > 100,
            "few faults can have met {verb:?}: {calls:?}"
        );
    }
}

/// Deliveries, runs and faults in all verbs at once, then the accounting.
async fn under_faults(seed: u64) -> Faulty {
    let (backend, memory, queue) = faulty();
    let runs: Arc<Mutex<HashMap<JobId, u32>>> = Arc::default();
    let seen = Arc::clone(&runs);
    let handler = handler_fn(move |job: Job, _| {
        *seen.lock().unwrap().entry(job.id()).or_default() += 1;
        async move {
            tokio::time::sleep(Duration::from_millis(job.payload().len() as u64)).await;
            if job.payload().ends_with(b"dies") {
                return Err(HandlerError::transient("planned"));
            }
            Ok(())
        }
    });
    let delays = [1, 2].map(Duration::from_secs);
    let worker = Worker::new(Arc::clone(&backend), queue.clone(), handler)
        .concurrency(4)
        .prefetch(4)
        .lease(Duration::from_secs(5))
        .crash_budget(100)
        .retry_policy(Schedule::new(delays).unwrap())
        .build()
        .unwrap();

    let mut random = Seeded::new(seed);
    plan(&backend, &mut random);
    let hooks = hooks(Sender::GitHub, &backend, &queue);
    let mut bodies = HashMap::new();
    let mut answered = HashSet::new();
    let sent = Cell::new(false);
    let sending = async {
        for n in 0..60 {
            let body = format!("{n} {}", if random.one_in(4) { "dies" } else { "lives" });
            let copies = 1 + random.below(3);
            for _ in 0..copies {
                let answer = send(&hooks, Sender::GitHub.sign(body.clone()).request()).await;
                if answer.status == 202 {
                    answered.insert(answer.job_id());
                    assert_eq!(
                        *bodies
                            .entry(answer.job_id())
                            .or_insert_with(|| body.clone()),
                        body
                    );
                } else {
                    assert!(answer.is_try_again(), "seed {seed}: {answer:?}");
                }
            }
            tokio::time::sleep(Duration::from_millis(random.below(300))).await;
        }
        sent.set(true);
    };
    let working = async {
        // A run that a broken store ended is begun again, as a supervisor would. The faults are
        // used up one day.
        while !sent.get() || stats(&memory, &queue).await.open() > 0 {
            let _ = worker.run_until_idle().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::join!(sending, working);

    let stats = stats(&memory, &queue).await;
    let dead = dead(&memory, &queue).await;
    let totals = stats.totals;
    let open = stats.open() as u64;
    assert_eq!(
        totals.accepted,
        totals.completed + totals.buried + open,
        "seed {seed}: {stats:?}"
    );
    assert_eq!(totals.buried as usize, dead.len(), "seed {seed}");
    assert_eq!(open, 0, "seed {seed}: everything came to an end");
    let dead: HashSet<_> = dead.iter().map(|letter| letter.id()).collect();
    let runs = runs.lock().unwrap();
    for id in answered {
        assert!(
            runs.contains_key(&id),
            "seed {seed}: {id} was accepted and never run"
        );
        assert_eq!(
            dead.contains(&id),
            bodies[&id].ends_with("dies"),
            "seed {seed}: {id}"
        );
    }
    drop(runs);
    backend
}

/// Plans faults for the next calls of each verb.
fn plan(backend: &Faulty, random: &mut Seeded) {
    for _ in 0..60 {
        if random.one_in(2) {
            backend.next(Verb::Enqueue, enqueue_fault(random));
        } else {
            backend.next(Verb::Enqueue, Fault::Late(Duration::ZERO));
        }
        for verb in VERBS.into_iter().filter(|verb| *verb != Verb::Enqueue) {
            let fault = match random.below(6) {
                0 => Fault::Fail(QueueErrorKind::Unavailable),
                1 => Fault::Fail(QueueErrorKind::Timeout),
                2 => Fault::LoseReply,
                3 => Fault::Late(Duration::from_millis(random.below(2000))),
                _ => Fault::Late(Duration::ZERO),
            };
            backend.next(verb, fault);
        }
    }
}

fn enqueue_fault(random: &mut Seeded) -> Fault {
    match random.below(7) {
        0 => Fault::Fail(QueueErrorKind::Internal),
        1 => Fault::Fail(QueueErrorKind::Timeout),
        2 => Fault::Fail(QueueErrorKind::Unavailable),
        3 => Fault::Late(Duration::from_millis(random.below(2000))),
        4 => Fault::LoseReply,
        5 => Fault::Refuse(Refusal::Full),
        _ => Fault::Shorten,
    }
}

const VERBS: [Verb; 6] = [
    Verb::Enqueue,
    Verb::Extend,
    Verb::Reserve,
    Verb::Settle,
    Verb::Stats,
    Verb::Wait,
];
