/// How much a [`Coalescer`](crate::Coalescer) holds and sends. Each limit is at least one; zero
/// counts as one.
#[derive(Clone, Debug)]
#[must_use = "limits do nothing until a coalescer is made with them"]
pub struct CoalescerLimits {
    pub(super) line_items: usize,
    pub(super) line_bytes: usize,
    pub(super) batch_items: usize,
    pub(super) batch_bytes: usize,
}

impl CoalescerLimits {
    /// How many calls may wait in each line. Default: 16,384.
    pub fn line_items(mut self, calls: usize) -> Self {
        self.line_items = calls.max(1);
        self
    }

    /// How many bytes may wait in each line. Default: 64 MiB.
    pub fn line_bytes(mut self, bytes: usize) -> Self {
        self.line_bytes = bytes.max(1);
        self
    }

    /// How many calls make a batch at most. Default: 256.
    pub fn batch_items(mut self, calls: usize) -> Self {
        self.batch_items = calls.max(1);
        self
    }

    /// How many bytes make a batch at most; one call is sent whatever it weighs. Default: 1 MiB.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }
}

impl Default for CoalescerLimits {
    fn default() -> Self {
        Self {
            line_items: 16_384,
            line_bytes: 64 * 1024 * 1024,
            batch_items: 256,
            batch_bytes: 1024 * 1024,
        }
    }
}
