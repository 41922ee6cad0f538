use bytes::{Buf, Bytes};

use crate::Rejection;
use crate::rejection::BODY_TOO_LARGE;

/// Collects a body within a limit.
///
/// What the head declares is a hint at most: the first allocation is bounded, later ones double and
/// never exceed the limit. A stranger who declares a large body and sends nothing costs nothing.
pub(super) struct Buffer {
    bytes: Vec<u8>,
    limit: usize,
}

impl Buffer {
    pub(super) fn new(limit: usize, declared: u64) -> Self {
        let capacity = usize::try_from(declared)
            .unwrap_or(limit)
            .min(limit)
            .min(FIRST_ALLOCATION);
        Self {
            bytes: Vec::with_capacity(capacity),
            limit,
        }
    }

    /// Takes a frame, which may consist of several chunks, and shows each to `see`.
    pub(super) fn push(
        &mut self,
        mut frame: impl Buf,
        mut see: impl FnMut(&[u8]),
    ) -> Result<(), Rejection> {
        while frame.has_remaining() {
            let chunk = frame.chunk();
            let len = chunk.len();
            self.reserve(len)?;
            self.bytes.extend_from_slice(chunk);
            see(chunk);
            frame.advance(len);
        }
        Ok(())
    }

    /// The body in an allocation of its own and of its own size, so that a job that waits for days
    /// pins no connection's buffer.
    pub(super) fn finish(self) -> Bytes {
        Bytes::from(self.bytes.into_boxed_slice())
    }

    fn reserve(&mut self, more: usize) -> Result<(), Rejection> {
        let Self { bytes, limit } = self;
        let needed = bytes
            .len()
            .checked_add(more)
            .filter(|needed| needed <= limit)
            .ok_or(BODY_TOO_LARGE)?;
        if needed > bytes.capacity() {
            let capacity = bytes.capacity().saturating_mul(2).max(needed).min(*limit);
            bytes.reserve_exact(capacity - bytes.len());
        }
        Ok(())
    }
}

const FIRST_ALLOCATION: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_length_is_trusted_up_to_a_bound() {
        assert_eq!(
            Buffer::new(usize::MAX, u64::MAX).bytes.capacity(),
            FIRST_ALLOCATION
        );
        assert_eq!(Buffer::new(10, 100).bytes.capacity(), 10);
        assert_eq!(Buffer::new(100, 10).bytes.capacity(), 10);
        assert_eq!(Buffer::new(100, 0).bytes.capacity(), 0);
    }

    #[test]
    fn growth_doubles_and_stops_at_the_limit() {
        let mut buffer = Buffer::new(100, 0);
        for len in 1..=100_usize {
            buffer.push(&b"x"[..], |_| {}).unwrap();
            assert!(buffer.bytes.capacity() <= 100.min(len * 2), "{len}");
        }
        assert_eq!(buffer.push(&b"x"[..], |_| {}), Err(BODY_TOO_LARGE));
    }

    #[test]
    fn every_chunk_of_a_frame_is_kept_and_seen() {
        let mut buffer = Buffer::new(10, 0);
        let mut seen = Vec::new();
        buffer
            .push(Buf::chain(&b"ab"[..], &b"cd"[..]), |chunk| {
                seen.extend_from_slice(chunk)
            })
            .unwrap();
        assert_eq!(seen, b"abcd");
        assert_eq!(buffer.finish(), &b"abcd"[..]);
    }
}
