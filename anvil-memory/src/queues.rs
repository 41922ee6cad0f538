use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anvil_queue::QueueName;

use crate::queue::Queue;
use crate::state::FoldState;

/// All queues, by name; a queue exists from its first use and never ends.
///
/// Most processes use one queue, and its verbs come from all their threads. The first queue is
/// therefore found without a lock: taking even a shared one writes to memory that every thread
/// would have to fetch from the last that did.
#[derive(Default)]
pub(crate) struct Queues {
    first: OnceLock<(QueueName, Arc<Queue>)>,
    others: RwLock<HashMap<QueueName, Arc<Queue>, FoldState>>,
}

impl Queues {
    /// Does something with the queue of this name, which `new` makes where there is none.
    pub(crate) fn with<T>(
        &self,
        name: &QueueName,
        new: impl Fn() -> Queue,
        act: impl FnOnce(&Arc<Queue>) -> T,
    ) -> T {
        let (first, queue) = self.first.get_or_init(|| (name.clone(), Arc::new(new())));
        if first == name {
            return act(queue);
        }
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = others.get(name) {
            return act(queue);
        }
        drop(others);
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        let queue = others
            .entry(name.clone())
            .or_insert_with(|| Arc::new(new()));
        let queue = Arc::clone(queue);
        drop(others);
        act(&queue)
    }
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        let first = self.first.get().map(|(name, queue)| (name, queue));
        f.debug_map()
            .entries(first.into_iter().chain(&*others))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::state::{Limits, State};

    #[test]
    fn each_name_keeps_its_queue() {
        let queues = Queues::default();
        let new = || Queue::new(State::new(Limits::default(), SystemTime::now()));
        let names = ["a", "b", "c"].map(|name| QueueName::new(name).unwrap());
        let made = names
            .each_ref()
            .map(|name| queues.with(name, new, Arc::clone));
        for (name, queue) in names.iter().zip(&made) {
            assert!(queues.with(name, new, |found| Arc::ptr_eq(found, queue)));
        }
        assert!(!Arc::ptr_eq(&made[0], &made[1]));
        assert!(!Arc::ptr_eq(&made[1], &made[2]));
    }
}
