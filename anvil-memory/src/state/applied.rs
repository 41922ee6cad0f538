use std::collections::VecDeque;
use std::mem::{Discriminant, discriminant};

use anvil_queue::{Lease, Settlement};

/// The settlements that were applied last, so that one sent again after a lost reply is known.
///
/// Looked at only where a lease is not held, which is rare, so a plain list does.
#[derive(Default)]
pub(super) struct AppliedSettlements {
    newest_last: VecDeque<(Lease, Discriminant<Settlement>)>,
}

impl AppliedSettlements {
    pub(super) fn remember(&mut self, lease: &Lease, settlement: &Settlement) {
        if self.newest_last.len() == REMEMBERED {
            self.newest_last.pop_front();
        }
        self.newest_last
            .push_back((lease.clone(), discriminant(settlement)));
    }

    /// Whether this settlement, and not another, ended this lease.
    pub(super) fn contains(&self, lease: &Lease, settlement: &Settlement) -> bool {
        let wanted = discriminant(settlement);
        self.newest_last
            .iter()
            .rev()
            .any(|(applied, kind)| applied == lease && *kind == wanted)
    }
}

const REMEMBERED: usize = 8_192;

#[cfg(test)]
mod tests {
    use anvil_queue::{JobId, LeaseToken};

    use super::*;

    #[test]
    fn the_newest_are_remembered_and_the_list_does_not_grow() {
        let lease = |n: usize| {
            let mut token = [0; 16];
            token[..8].copy_from_slice(&n.to_be_bytes());
            Lease::new(JobId::from_bytes([1; 16]), LeaseToken::from_bytes(token))
        };
        let mut applied = AppliedSettlements::default();
        for n in 0..=REMEMBERED {
            applied.remember(&lease(n), &Settlement::Complete);
        }
        assert_eq!(applied.newest_last.len(), REMEMBERED);
        assert!(!applied.contains(&lease(0), &Settlement::Complete));
        assert!(applied.contains(&lease(1), &Settlement::Complete));
        assert!(!applied.contains(&lease(1), &Settlement::Release));
    }
}
