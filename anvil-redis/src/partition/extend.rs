use std::time::Duration;

use anvil_queue::{Lease, LeaseState, QueueError};

use super::Partition;
use super::fields::bytes;
use super::settle::member;
use crate::codec::micros;
use crate::script::EXTEND;

impl Partition {
    /// Lets leases run on. Sent from a thread and on a connection of its own: neither a handler
    /// that never yields nor a batch on its way can hold it up.
    pub(crate) async fn extend(
        &self,
        leases: &[&Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        let mut answers = Vec::with_capacity(leases.len());
        for step in leases.chunks(STEP) {
            answers.extend(self.extend_step(step, lease).await?);
        }
        Ok(answers)
    }

    async fn extend_step(
        &self,
        leases: &[&Lease],
        lease: Duration,
    ) -> Result<Vec<LeaseState>, QueueError> {
        let keys = &*self.keys;
        let touched = [&keys.config, &keys.leases, &keys.cancels];
        let call = EXTEND
            .call(&touched)
            .arg(micros(lease))
            .args(leases.iter().map(|lease| member(lease)));
        let answer = self
            .connections
            .renewal
            .call(call, self.settings.timeout)
            .await;
        let answer = self.named(answer).await?;
        let answers = bytes(answer).filter(|answers| answers.len() == leases.len());
        let answers = answers.ok_or_else(|| self.unexpected("extend.lua"))?;
        Ok(answers
            .into_iter()
            .map(|answer| match answer {
                b'1' => LeaseState::Held,
                b'c' => LeaseState::CancelRequested,
                _ => LeaseState::Lost,
            })
            .collect())
    }
}

const STEP: usize = 500;
