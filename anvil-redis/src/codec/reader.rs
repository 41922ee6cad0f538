use bytes::{Buf, Bytes};

/// Reads stored bytes front to back; none where they end too early.
pub(super) struct Reader(Bytes);

impl Reader {
    pub(super) fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    pub(super) fn take(&mut self, len: usize) -> Option<Bytes> {
        (self.0.len() >= len).then(|| self.0.split_to(len))
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.as_ref().try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.0.try_get_u8().ok()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.0.try_get_u16().ok()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.0.try_get_u32().ok()
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.0.try_get_u64().ok()
    }

    /// A text behind two bytes of length.
    pub(super) fn short_text(&mut self) -> Option<String> {
        let len = self.u16()?.into();
        String::from_utf8(self.take(len)?.into()).ok()
    }

    pub(super) fn rest(self) -> Bytes {
        self.0
    }
}
