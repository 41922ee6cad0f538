use anvil_queue::DeadReason;
use proptest::prelude::*;
use proptest::sample::Index;

/// One call of a verb, or some time. Times are in short times of the harness; what a verb is
/// pointed at is picked from all there ever was, so stale ids and leases are met as well.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Enqueue(Vec<Sent>),
    Reserve {
        jobs: usize,
        weight: usize,
        lease: u32,
        crash_budget: u32,
        reclaimed: bool,
    },
    Extend(Vec<Index>, u32),
    Settle(Vec<(Index, End)>),
    Replay {
        jobs: Vec<Index>,
        force: bool,
        up_to: Option<Index>,
    },
    Discard(Vec<Index>),
    Cancel(Vec<Index>),
    Pass(u32),
    PassIdWindow,
}

/// A job that is sent: a new one, or one that was sent before.
#[derive(Clone, Debug)]
pub(crate) enum Sent {
    New {
        key: Option<u8>,
        delay: u32,
        padding: usize,
    },
    Again(Index),
}

/// How a lease ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Bury(DeadReason),
    Complete,
    Release,
    Retry(u32),
    Snooze(u32),
}

impl Step {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            6 => prop::collection::vec(Sent::any(), 1..4).prop_map(Self::Enqueue),
            6 => (0..4_usize, 0..4_usize, 0..4_u32, 0..3_u32, any::<bool>()).prop_map(
                |(jobs, weight, lease, crash_budget, reclaimed)| Self::Reserve {
                    jobs, weight, lease, crash_budget, reclaimed
                }
            ),
            1 => (some(), 0..4_u32).prop_map(|(leases, time)| Self::Extend(leases, time)),
            6 => prop::collection::vec((any::<Index>(), End::any()), 1..3).prop_map(Self::Settle),
            3 => (some(), any::<bool>(), any::<Option<Index>>())
                .prop_map(|(jobs, force, up_to)| Self::Replay { jobs, force, up_to }),
            1 => some().prop_map(Self::Discard),
            2 => some().prop_map(Self::Cancel),
            5 => (0..5_u32).prop_map(Self::Pass),
            1 => Just(Self::PassIdWindow),
        ]
    }
}

impl Sent {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            4 => (any::<Option<u8>>(), 0..3_u32, 0..3_usize).prop_map(|(key, delay, padding)| {
                Self::New { key: key.map(|key| key % 4), delay, padding }
            }),
            1 => any::<Index>().prop_map(Self::Again),
        ]
    }
}

impl End {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            3 => prop_oneof![
                Just(DeadReason::Exhausted),
                Just(DeadReason::Permanent),
                Just(DeadReason::Undecodable),
            ].prop_map(Self::Bury),
            2 => Just(Self::Complete),
            2 => Just(Self::Release),
            2 => (0..4_u32).prop_map(Self::Retry),
            1 => (0..4_u32).prop_map(Self::Snooze),
        ]
    }
}

fn some() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 1..4)
}
