use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How the bytes of a signature are written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Encoding {
    /// Standard base64 with padding.
    Base64,
    /// Hex, in either case.
    #[default]
    Hex,
}

impl Encoding {
    /// Decodes exactly as many bytes as fit, or nothing: no other length, no spaces, no missing
    /// padding.
    pub(super) fn decode(self, text: &[u8], into: &mut [u8]) -> Option<()> {
        match self {
            Self::Base64 => base64(text, into),
            Self::Hex => hex(text, into),
        }
    }
}

fn base64(text: &[u8], into: &mut [u8]) -> Option<()> {
    if text.len() != into.len().div_ceil(3) * 4 {
        return None;
    }
    let mut decoded = [0; DECODED_MAX];
    let len = STANDARD.decode_slice(text, &mut decoded).ok()?;
    if len != into.len() {
        return None;
    }
    into.copy_from_slice(&decoded[..len]);
    Some(())
}

/// By table, because this is a tenth of what a short delivery costs. The text comes from the
/// sender, so there is nothing in the timing to learn.
fn hex(text: &[u8], into: &mut [u8]) -> Option<()> {
    if text.len() != into.len() * 2 {
        return None;
    }
    let mut invalid = 0;
    for (byte, [high, low]) in into.iter_mut().zip(text.as_chunks().0) {
        let (high, low) = (
            HEX_DIGITS[usize::from(*high)],
            HEX_DIGITS[usize::from(*low)],
        );
        invalid |= high | low;
        *byte = high << 4 | low;
    }
    (invalid <= 0xf).then_some(())
}

/// The value of each hex digit; what is none has a bit above the lowest four.
const HEX_DIGITS: [u8; 256] = {
    let mut digits = [0xff; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};
/// What the decoder wants to write 64 bytes.
const DECODED_MAX: usize = 66;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(encoding: Encoding, text: &str, len: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; len];
        encoding.decode(text.as_bytes(), &mut bytes).map(|()| bytes)
    }

    #[test]
    fn base64_has_one_spelling() {
        let good = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        assert_eq!(decode(Encoding::Base64, good, 32), Some(vec![0; 32]));
        for bad in [
            &good[..43],
            &good.replace('=', "A"),
            &good.replace("AA=", "AB="),
            &good.replacen('A', "-", 1),
            &good.replacen('A', " ", 1),
            &good.replace("AAA=", "AA=="),
            "",
        ] {
            assert_eq!(decode(Encoding::Base64, bad, 32), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            bytes in prop_oneof![
                prop::collection::vec(any::<u8>(), 20),
                prop::collection::vec(any::<u8>(), 32),
                prop::collection::vec(any::<u8>(), 64),
            ],
        ) {
            let len = bytes.len();
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(decode(Encoding::Hex, &hex, len), Some(bytes.clone()));
            prop_assert_eq!(decode(Encoding::Hex, &hex.to_uppercase(), len), Some(bytes.clone()));
            prop_assert_eq!(decode(Encoding::Base64, &STANDARD.encode(&bytes), len), Some(bytes));
        }

        #[test]
        fn only_hex_digits_are_read(position in 0_usize..40, junk: u8) {
            let mut text = [b'0'; 40];
            text[position] = junk;
            let read = Encoding::Hex.decode(&text, &mut [0; 20]);
            prop_assert_eq!(read.is_some(), junk.is_ascii_hexdigit());
        }

        #[test]
        fn no_text_panics(text: Vec<u8>, len in 0_usize..=64) {
            let _ = Encoding::Hex.decode(&text, &mut vec![0; len]);
            let _ = Encoding::Base64.decode(&text, &mut vec![0; len]);
        }
    }
}
