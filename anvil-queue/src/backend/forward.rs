//! `Arc<T>` and `Box<T>` of a backend are backends. The inner future is handed on as it is, so a
//! layer of pointers costs no allocation.
#![deny(clippy::missing_trait_methods)]

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::control::{Cancelled, Control, JobView, PeekQuery};
use crate::dead_letter::{DeadLetter, DeadLetters, DeadPage, DeadQuery, ReplayOptions, Replayed};
use crate::{
    Enqueued, JobId, Lease, LeaseState, NewJob, QueueBackend, QueueError, QueueName, QueueStats,
    Refusal, Reserve, Reserved, Settled, Settlement,
};

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, QueueError>> + Send + 'a>>;

macro_rules! forward {
    ($pointer:ident) => {
        impl<T: QueueBackend + ?Sized> QueueBackend for $pointer<T> {
            fn enqueue<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                jobs: Vec<NewJob>,
            ) -> Answer<'f, Vec<Result<Enqueued, Refusal>>>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).enqueue(queue, jobs)
            }

            fn reserve<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                request: Reserve,
            ) -> Answer<'f, Vec<Reserved>>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).reserve(queue, request)
            }

            fn wait<'a, 'q, 'f>(&'a self, queue: &'q QueueName, at_most: Duration) -> Answer<'f, ()>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).wait(queue, at_most)
            }

            fn extend<'a, 'q, 'l, 'f>(
                &'a self,
                queue: &'q QueueName,
                leases: &'l [Lease],
                lease: Duration,
            ) -> Answer<'f, Vec<LeaseState>>
            where
                'a: 'f,
                'q: 'f,
                'l: 'f,
                Self: 'f,
            {
                (**self).extend(queue, leases, lease)
            }

            fn settle<'a, 'q, 'o, 'f>(
                &'a self,
                queue: &'q QueueName,
                outcomes: &'o [(Lease, Settlement)],
            ) -> Answer<'f, Vec<Settled>>
            where
                'a: 'f,
                'q: 'f,
                'o: 'f,
                Self: 'f,
            {
                (**self).settle(queue, outcomes)
            }

            fn stats<'a, 'q, 'f>(&'a self, queue: &'q QueueName) -> Answer<'f, QueueStats>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).stats(queue)
            }
        }

        impl<T: DeadLetters + ?Sized> DeadLetters for $pointer<T> {
            fn list_dead<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                query: DeadQuery,
            ) -> Answer<'f, DeadPage>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).list_dead(queue, query)
            }

            fn get_dead<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                id: JobId,
            ) -> Answer<'f, Option<DeadLetter>>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).get_dead(queue, id)
            }

            fn replay<'a, 'q, 'i, 'f>(
                &'a self,
                queue: &'q QueueName,
                ids: &'i [JobId],
                options: ReplayOptions,
            ) -> Answer<'f, Vec<Replayed>>
            where
                'a: 'f,
                'q: 'f,
                'i: 'f,
                Self: 'f,
            {
                (**self).replay(queue, ids, options)
            }

            fn discard<'a, 'q, 'i, 'f>(
                &'a self,
                queue: &'q QueueName,
                ids: &'i [JobId],
            ) -> Answer<'f, Vec<bool>>
            where
                'a: 'f,
                'q: 'f,
                'i: 'f,
                Self: 'f,
            {
                (**self).discard(queue, ids)
            }
        }

        impl<T: Control + ?Sized> Control for $pointer<T> {
            fn peek<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                query: PeekQuery,
            ) -> Answer<'f, Vec<JobView>>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).peek(queue, query)
            }

            fn get<'a, 'q, 'f>(
                &'a self,
                queue: &'q QueueName,
                id: JobId,
            ) -> Answer<'f, Option<JobView>>
            where
                'a: 'f,
                'q: 'f,
                Self: 'f,
            {
                (**self).get(queue, id)
            }

            fn cancel<'a, 'q, 'i, 'f>(
                &'a self,
                queue: &'q QueueName,
                ids: &'i [JobId],
            ) -> Answer<'f, Vec<Cancelled>>
            where
                'a: 'f,
                'q: 'f,
                'i: 'f,
                Self: 'f,
            {
                (**self).cancel(queue, ids)
            }
        }
    };
}

forward!(Arc);
forward!(Box);
