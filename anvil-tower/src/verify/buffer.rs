use bytes::{Buf, Bytes};

use crate::Rejection;
use crate::rejection::BODY_TOO_LARGE;

/// Collects a body within a limit.
///
/// What the head declares is believed in proportion to what has arrived: the first allocation is
/// bounded, a later one is at most sixteen times what is there, and none exceeds the limit. A
/// stranger who declares a large body and sends nothing costs nothing, and an honest large body is
/// copied once and not at every doubling.
pub(super) struct Buffer {
    bytes: Vec<u8>,
    declared: usize,
    limit: usize,
}

impl Buffer {
    pub(super) fn new(limit: usize, declared: u64) -> Self {
        let declared = usize::try_from(declared).unwrap_or(limit).min(limit);
        Self {
            bytes: Vec::with_capacity(declared.min(FIRST_ALLOCATION)),
            declared,
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
        let Self {
            bytes,
            declared,
            limit,
        } = self;
        let needed = bytes
            .len()
            .checked_add(more)
            .filter(|needed| needed <= limit)
            .ok_or(BODY_TOO_LARGE)?;
        if needed > bytes.capacity() {
            let doubled = bytes.capacity().saturating_mul(2).max(needed);
            let believed = needed.saturating_mul(BELIEVED_FACTOR).min(*declared);
            let capacity = if believed >= needed {
                believed
            } else {
                doubled
            };
            bytes.reserve_exact(capacity.min(*limit) - bytes.len());
        }
        Ok(())
    }
}

const FIRST_ALLOCATION: usize = 64 * 1024;
const BELIEVED_FACTOR: usize = 16;

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
    fn a_declared_length_is_believed_in_proportion_to_what_has_arrived() {
        let limit = 64 * 1024 * 1024;
        let mut buffer = Buffer::new(limit, limit as u64);
        let mut allocations = 0;
        for _ in 0..limit / 1024 {
            let before = buffer.bytes.capacity();
            buffer.push(&[0; 1024][..], |_| {}).unwrap();
            if buffer.bytes.capacity() > before {
                allocations += 1;
                assert!(buffer.bytes.capacity() <= BELIEVED_FACTOR * buffer.bytes.len());
            }
        }
        assert_eq!(buffer.bytes.capacity(), limit);
        assert_eq!(allocations, 3, "64 KiB to 1 MiB, 16 MiB and 64 MiB");
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
