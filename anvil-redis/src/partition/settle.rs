use anvil_queue::{Lease, QueueError, Settled, Settlement};

use super::Partition;
use super::fields::bytes;
use super::reserve::LARGE;
use crate::codec::{micros, reason_code, write_report};
use crate::link::Repeat;
use crate::script::SETTLE;

impl Partition {
    /// Ends leases in steps of a bounded size, each of them one call.
    pub(crate) async fn settle(
        &self,
        outcomes: &[&(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        let mut answers = Vec::with_capacity(outcomes.len());
        for step in outcomes.chunks(STEP) {
            answers.extend(self.settle_step(step).await?);
        }
        Ok(answers)
    }

    async fn settle_step(
        &self,
        outcomes: &[&(Lease, Settlement)],
    ) -> Result<Vec<Settled>, QueueError> {
        let keys = &*self.keys;
        let payloads: Vec<_> = outcomes
            .iter()
            .filter(|(lease, _)| is_large(lease))
            .map(|(lease, _)| keys.payload(lease.job()))
            .collect();
        let mut touched = keys.places(&keys.applied);
        touched.extend(payloads.iter().map(Vec::as_slice));
        let letters: Vec<u8> = outcomes
            .iter()
            .map(|(_, settlement)| letter(settlement))
            .collect();
        let mut call = SETTLE
            .call(&touched)
            .arg(letters)
            .args(outcomes.iter().map(|(lease, _)| member(lease)));
        for (_, settlement) in outcomes {
            call = match settlement {
                Settlement::Complete | Settlement::Release => call,
                Settlement::Snooze { after } => call.arg(micros(*after)).arg(""),
                Settlement::Retry { after, failure } => {
                    call.arg(micros(*after)).arg(write_report(failure))
                }
                Settlement::Bury { reason, failure } => {
                    call.arg(reason_code(*reason)).arg(write_report(failure))
                }
            };
        }
        let answer = bytes(self.call(call, Repeat::Harmless).await?);
        let answers = answer.filter(|answers| answers.len() == outcomes.len());
        let answers = answers.ok_or_else(|| self.unexpected("settle.lua"))?;
        let settled = |answer: u8| {
            if answer == b'1' {
                Settled::Applied
            } else {
                Settled::LeaseLost
            }
        };
        Ok(answers.into_iter().map(settled).collect())
    }
}

/// A lease as the server lists it: its token, then the job's id.
pub(super) fn member(lease: &Lease) -> [u8; 32] {
    let mut member = [0; 32];
    member[..16].copy_from_slice(lease.token().as_bytes());
    member[16..].copy_from_slice(lease.job().as_bytes());
    member
}

fn is_large(lease: &Lease) -> bool {
    lease.token().as_bytes()[8] & LARGE != 0
}

fn letter(settlement: &Settlement) -> u8 {
    match settlement {
        Settlement::Bury { .. } => b'B',
        Settlement::Complete => b'C',
        Settlement::Release => b'R',
        Settlement::Retry { .. } => b'T',
        Settlement::Snooze { .. } => b'S',
    }
}

const STEP: usize = 250;
