use std::sync::Arc;

use crate::{Control, DeadLetters};

/// Everything that people and programs ask of a store: [`QueueBackend`](crate::QueueBackend),
/// [`DeadLetters`] and [`Control`]. Implemented for whatever implements these; there is nothing to
/// implement.
///
/// `Arc<dyn Store>` is how a tool for operators holds a store that is chosen by configuration. A
/// worker takes it, too, and still can't name the verbs of people.
pub trait Store: DeadLetters + Control {}

impl<T: DeadLetters + Control> Store for T {}

const _: fn(Arc<dyn Store>) = |_| {};
