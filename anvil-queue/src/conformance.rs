//! The queue contract as tests: one named test for each behaviour a backend promises.
//!
//! A backend that passes can be put in the place of any other. The suite is for authors of
//! backends and lives behind the feature `conformance`. It is **not covered by semver**: a new
//! release may add behaviours, and a backend that missed one then fails.
//!
//! # How to use it
//!
//! Implement [`Harness`] for something that makes fresh backends, and call
//! [`conformance!`](crate::conformance!) in an integration test. It expands to one `#[tokio::test]`
//! per behaviour, in modules named after the guarantees, so the crate needs `tokio` with the
//! features `macros` and `rt-multi-thread` among its dev-dependencies.
//!
//! ```
//! use std::time::Duration;
//!
//! use anvil_memory::MemoryBackend;
//! use anvil_queue::conformance::Harness;
//!
//! struct Memory;
//!
//! impl Harness for Memory {
//!     type Backend = MemoryBackend;
//!
//!     async fn fresh(&self) -> MemoryBackend {
//!         MemoryBackend::new().dedupe_window(self.dedupe_window())
//!     }
//!
//!     async fn with_capacity(&self, jobs: usize) -> MemoryBackend {
//!         MemoryBackend::new().capacity(jobs)
//!     }
//!
//!     async fn pass(&self, time: Duration) {
//!         tokio::time::sleep(time).await;
//!     }
//!
//!     fn short_time(&self) -> Duration {
//!         Duration::from_millis(100)
//!     }
//!
//!     fn dedupe_window(&self) -> Duration {
//!         Duration::from_secs(2)
//!     }
//!
//!     fn id_window(&self) -> Duration {
//!         Duration::from_secs(600)
//!     }
//! }
//!
//! anvil_queue::conformance!(Memory);
//! # fn main() {}
//! ```
//!
//! Each behaviour is a free async function in one of the modules below and can be called on its
//! own, which helps while a backend is being written.
//!
//! # What it can't show
//!
//! That a store keeps what it took when it is killed, fails over or loses its network: such tests
//! need the store in their hands and belong to each backend.

use std::time::Duration;

use crate::{Control, DeadLetters};

pub mod bounds;
pub mod bytes;
pub mod cancel;
pub mod clock;
pub mod concurrency;
pub mod control;
pub mod counters;
pub mod dead_letter;
pub mod dedupe;
pub mod enqueue;
pub mod full;
pub mod leak;
pub mod lease;
pub mod place;
pub mod reclaim;
pub mod replay;
pub mod wait;

mod list;
mod pointer;
mod trial;

pub use list::{Behaviour, behaviours};
pub use pointer::Pointer;

/// Makes fresh backends for the suite, and lets time pass for them.
pub trait Harness: Send + Sync {
    /// The backend under test. To test that it also works behind a pointer, run the suite a second
    /// time on a [`Pointer`].
    type Backend: DeadLetters + Control;

    /// A backend without jobs, dedupe records or history, and without a limit that the suite could
    /// meet: it stores some twenty thousand small jobs and one of a mebibyte.
    ///
    /// The group `concurrency` calls this on a multi-thread runtime with a running clock; it lets no
    /// time pass.
    fn fresh(&self) -> impl Future<Output = Self::Backend> + Send;

    /// A fresh backend whose queues hold this many jobs and refuse the next as
    /// [`Full`](crate::Refusal::Full). Every store can be full, so every backend has to show what
    /// it does then.
    fn with_capacity(&self, jobs: usize) -> impl Future<Output = Self::Backend> + Send;

    /// Lets at least this much time pass for the backend, and little more.
    ///
    /// Time also passes by itself while a verb waits.
    fn pass(&self, time: Duration) -> impl Future<Output = ()> + Send;

    /// The length of the leases and delays that the suite lets run out. A dozen verbs must finish
    /// well within it.
    fn short_time(&self) -> Duration;

    /// The dedupe window of a fresh backend; at least four [short times](Self::short_time).
    fn dedupe_window(&self) -> Duration;

    /// How much longer than the window a dedupe record may last; less than half the window.
    /// Default: zero.
    fn dedupe_slack(&self) -> Duration {
        Duration::ZERO
    }

    /// For how long a fresh backend claims a job without a key by its id. The contract says ten
    /// minutes; a backend that can't be made to skip time may shorten it for the suite.
    fn id_window(&self) -> Duration;
}

/// Expands to the whole suite for one [`Harness`](crate::conformance::Harness): one
/// `#[tokio::test]` per behaviour, in modules named after the guarantees.
///
/// The first argument is an expression that makes the harness; each test evaluates it anew. What
/// follows goes to `#[tokio::test(…)]`: `conformance!(Memory, start_paused = true)`. The group
/// `concurrency` always runs on a multi-thread runtime with a running clock. The tests land in the
/// module of the call, so two harnesses need two modules.
#[macro_export]
macro_rules! conformance {
    ($harness:expr $(, $($runtime:tt)*)?) => {
        $crate::conformance!(@behaviours tests($harness, ($($($runtime)*)?)));
    };
    // The list of behaviours, which exists once.
    (@behaviours $what:ident $arguments:tt) => {
        $crate::conformance! { @$what $arguments
            on one thread:
            mod g1_durable_first = enqueue {
                an_accepted_job_can_be_reserved
                a_batch_is_answered_in_its_order
                an_empty_batch_is_answered_with_nothing
                the_same_job_sent_again_is_accepted_and_touches_nothing
                sent_again_while_leased_a_job_is_accepted_and_not_ready_twice
                sent_again_after_completion_a_job_is_accepted_and_not_run_again
                sent_again_while_dead_a_job_is_accepted_and_stays_dead
                queues_share_neither_jobs_nor_keys
            }
            mod g2_one_job_per_key = dedupe {
                a_duplicate_gets_the_original_id
                a_duplicate_finds_the_job_wherever_it_is
                a_duplicate_of_a_dead_job_says_so
                a_batch_with_one_key_twice_stores_one_job
                different_keys_never_meet
                jobs_without_a_key_are_never_duplicates
                the_record_outlives_the_completed_job
                the_record_outlives_the_discarded_job
                the_record_lasts_for_the_window
                a_duplicate_does_not_renew_the_window
                after_the_window_a_delivery_is_a_new_job_although_the_first_still_waits
                an_idle_queue_does_not_answer_from_an_expired_record
                the_key_of_a_dead_job_is_free_after_the_window
                the_id_of_a_job_without_a_key_is_free_after_its_window
            }
            mod g3_one_place = place {
                jobs_are_reserved_in_the_order_they_came
                a_leased_job_is_not_reserved_twice
                a_completed_job_is_gone
                a_released_batch_returns_to_its_place_in_order
                each_job_is_counted_in_exactly_one_place_after_every_step
                the_oldest_age_is_that_of_the_oldest_open_job
                totals_count_each_event_once
            }
            mod g4_fenced_leases = lease {
                every_reservation_has_its_own_token
                a_late_worker_changes_nothing
                a_snoozed_job_does_not_know_its_old_lease
                a_token_is_worth_nothing_with_another_job
                a_settlement_sent_again_is_applied_once
                a_settlement_sent_again_leaves_the_next_lease_alone
                a_settled_lease_takes_no_other_settlement
                a_late_settlement_wins_while_nobody_has_reclaimed
                an_extended_lease_outlives_its_first_deadline
                extending_never_shortens_a_lease
                a_worker_that_dies_leaves_its_namesake_alone
                a_lost_lease_does_not_fail_its_neighbours
            }
            mod g5_one_clock = clock {
                a_delayed_job_is_ready_when_it_is_due_and_not_before
                a_retried_job_is_ready_when_it_is_due_and_not_before
                a_snoozed_job_is_ready_when_it_is_due_and_not_before
                jobs_become_ready_in_the_order_they_are_due
                an_endless_delay_is_no_error
                a_lease_is_not_reclaimed_before_its_deadline
                a_job_knows_its_age
            }
            mod g5_wait = wait {
                wait_returns_at_once_where_a_job_is_ready
                wait_returns_when_a_job_is_enqueued
                wait_returns_when_a_job_is_released
                wait_returns_when_a_job_is_replayed
                wait_returns_when_a_job_falls_due
                wait_returns_when_a_lease_runs_out
                wait_returns_when_its_time_is_up
                a_dropped_wait_moves_nothing
                a_dropped_wait_does_not_take_the_wake_up_along
            }
            mod g6_separate_counters = counters {
                a_retry_counts_an_attempt_and_nothing_else
                a_snooze_counts_a_snooze_and_nothing_else
                a_release_counts_nothing
                a_burial_counts_an_attempt
                the_first_and_the_last_failure_are_kept
            }
            mod g6_reclaims = reclaim {
                a_reclaim_counts_a_reclaim_and_no_attempt
                a_reclaimed_job_returns_to_its_place
                a_job_is_poison_above_the_crash_budget_and_not_before
                releases_do_not_eat_the_crash_budget
                poison_keeps_the_failures_the_job_had
                a_reclaimed_job_is_answered_alone
                a_reclaimed_job_is_passed_over_where_it_is_not_allowed
                a_reclaimed_job_stays_alone_after_a_retry
            }
            mod g7_dead_letters = dead_letter {
                a_letter_tells_what_happened
                a_dead_job_is_never_reserved
                only_dead_jobs_are_letters
                pages_cover_every_letter_once_in_the_order_of_death
                a_walk_ends_at_the_given_position
                a_filter_keeps_what_it_names
                a_discard_removes_only_what_it_names
            }
            mod g7_replay = replay {
                a_replayed_job_runs_under_its_id_without_attempts
                a_replayed_job_goes_to_the_tail
                a_second_replay_runs_the_job_again
                the_failures_of_a_replayed_job_count_anew
                a_replayed_poison_job_still_runs_alone
                a_delivery_after_a_replay_is_still_a_duplicate
                a_replay_takes_an_expired_key_again
                a_superseded_job_stays_dead_unless_forced
                a_forced_replay_takes_the_key_from_its_holder
                what_is_not_dead_is_not_replayed
                a_job_that_died_after_the_given_position_is_left_alone
                a_bulk_replay_runs_each_job_once_although_all_die_again
                a_bulk_replay_keeps_to_its_filter
            }
            mod control_look = control {
                ready_jobs_are_shown_in_the_order_of_their_reservation
                a_reclaimed_job_is_shown_at_its_place
                scheduled_jobs_are_shown_as_they_fall_due
                leased_jobs_are_shown_as_their_leases_run_out
                a_look_moves_nothing_and_shows_no_more_than_asked_for
                a_job_is_found_in_each_place
            }
            mod control_cancel = cancel {
                a_waiting_job_that_is_cancel_requested_is_gone
                a_job_that_came_back_is_cancel_requested_at_its_place
                the_record_outlives_the_cancelled_job
                a_run_that_is_cancel_requested_is_told_at_the_next_extension
                a_cancelled_run_may_still_complete_or_die
                a_cancelled_job_does_not_wait_again
                a_replayed_job_does_not_know_a_former_request
                what_is_dead_or_gone_is_not_cancelled
                a_full_queue_has_room_after_a_cancellation
            }
            mod g8_bytes_in_bytes_out = bytes {
                every_byte_reaches_the_worker
                every_byte_survives_a_retry
                every_byte_survives_death_and_replay
                an_empty_payload_stays_empty
                a_payload_of_a_mebibyte_survives
                names_survive
                an_error_text_is_kept_as_it_is
            }
            mod g9_bounded = bounds {
                a_reservation_holds_no_more_jobs_than_asked_for
                a_reservation_weighs_no_more_than_asked_for
                one_job_is_answered_whatever_it_weighs
                twenty_thousand_jobs_due_at_once_all_come_out
                twenty_thousand_leases_expired_at_once_all_come_back
                a_page_holds_no_more_letters_than_asked_for
            }
            mod g10_full_is_survivable = full {
                a_full_queue_refuses_and_keeps_no_record
                a_full_queue_still_knows_its_duplicates
                a_full_queue_refuses_only_what_does_not_fit
                a_full_queue_goes_on_with_every_other_verb
                a_full_queue_replays
                a_drained_queue_accepts_again
            }
            mod g11_no_leak = leak {
                debug_shows_neither_payload_nor_metadata
            }
            on many threads:
            mod concurrency = concurrency {
                many_deliveries_of_one_key_at_once_are_one_job
                every_concurrent_caller_gets_its_own_job
                each_job_goes_to_one_of_many_workers
                one_of_many_settlements_wins
                two_replays_at_once_run_each_job_once
                every_waiting_worker_gets_its_job
            }
        }
    };
    (@tests($harness:expr, $runtime:tt)
        on one thread: $(mod $group:ident = $file:ident { $($behaviour:ident)* })*
        on many threads: $(mod $busy_group:ident = $busy_file:ident { $($busy_behaviour:ident)* })*
    ) => {
        $(mod $group {
            use super::*;

            $(#[tokio::test $runtime]
            async fn $behaviour() {
                $crate::conformance::$file::$behaviour(&$harness).await;
            })*
        })*
        $(mod $busy_group {
            use super::*;

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $busy_behaviour() {
                $crate::conformance::$busy_file::$busy_behaviour(&$harness).await;
            })*
        })*
    };
    (@list($harness:ty)
        $(on $threads:ident $thread:ident: $(mod $group:ident = $file:ident { $($behaviour:ident)* })*)*
    ) => {
        vec![$($($($crate::conformance::Behaviour {
            group: stringify!($file),
            name: stringify!($behaviour),
            run: |harness: std::sync::Arc<$harness>| {
                Box::pin(async move { $crate::conformance::$file::$behaviour(&*harness).await })
            },
        },)*)*)*]
    };
    (@names()
        $(on $threads:ident $thread:ident: $(mod $group:ident = $file:ident { $($behaviour:ident)* })*)*
    ) => {
        [$($($((stringify!($file), stringify!($behaviour)),)*)*)*]
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// A behaviour that is written but not listed would never run.
    #[test]
    fn every_behaviour_is_in_the_list() {
        let sources = [
            ("bounds", include_str!("conformance/bounds.rs")),
            ("bytes", include_str!("conformance/bytes.rs")),
            ("cancel", include_str!("conformance/cancel.rs")),
            ("clock", include_str!("conformance/clock.rs")),
            ("concurrency", include_str!("conformance/concurrency.rs")),
            ("control", include_str!("conformance/control.rs")),
            ("counters", include_str!("conformance/counters.rs")),
            ("dead_letter", include_str!("conformance/dead_letter.rs")),
            ("dedupe", include_str!("conformance/dedupe.rs")),
            ("enqueue", include_str!("conformance/enqueue.rs")),
            ("full", include_str!("conformance/full.rs")),
            ("leak", include_str!("conformance/leak.rs")),
            ("lease", include_str!("conformance/lease.rs")),
            ("place", include_str!("conformance/place.rs")),
            ("reclaim", include_str!("conformance/reclaim.rs")),
            ("replay", include_str!("conformance/replay.rs")),
            ("wait", include_str!("conformance/wait.rs")),
        ];
        let modules = include_str!("conformance.rs").lines().filter(|line| {
            line.strip_prefix("pub mod ")
                .is_some_and(|module| module.ends_with(';'))
        });
        assert_eq!(modules.count(), sources.len());
        let written: BTreeSet<_> = sources
            .into_iter()
            .flat_map(|(file, source)| source.lines().map(move |line| (file, line)))
            .filter_map(|(file, line)| Some((file, line.strip_prefix("pub async fn ")?)))
            .filter_map(|(file, rest)| Some((file, rest.split_once('(')?.0)))
            .collect();
        let listed = crate::conformance!(@behaviours names());
        assert_eq!(written, BTreeSet::from(listed));
        assert_eq!(written.len(), listed.len(), "a behaviour is listed twice");
        let names: BTreeSet<_> = listed.iter().map(|(_, name)| name).collect();
        assert_eq!(names.len(), listed.len(), "two behaviours have one name");
    }
}
