//! Decoders of presented signatures. They run for every delivery and know the length they expect,
//! which makes them several times as fast as decoders of any length.

use super::keys::Tag;

/// Hex without a branch per digit: it is decoded for every delivery. The first loop becomes vector
/// instructions, the second packs eight digits at a time.
pub(super) fn decode_hex(text: &[u8], bytes: &mut [u8]) -> Option<()> {
    let mut digits = [0; 2 * Tag::MAX_LEN];
    let digits = digits.get_mut(..text.len())?;
    if text.len() != 2 * bytes.len() {
        return None;
    }
    let mut all_digits = true;
    for (value, digit) in digits.iter_mut().zip(text) {
        let decimal = digit.wrapping_sub(b'0');
        let letter = (digit | 0x20).wrapping_sub(b'a');
        all_digits &= (decimal < 10) | (letter < 6);
        *value = if decimal < 10 {
            decimal
        } else {
            letter.wrapping_add(10)
        };
    }
    let (packed, []) = bytes.as_chunks_mut() else {
        return None;
    };
    for (packed, digits) in packed.iter_mut().zip(digits.as_chunks().0) {
        let digits = u64::from_le_bytes(*digits);
        let bytes = (digits << 4 | digits >> 8) & 0x00ff_00ff_00ff_00ff;
        let words = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
        *packed = ((words | words >> 16) as u32).to_le_bytes();
    }
    all_digits.then_some(())
}

/// Standard base64 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648#section-4)), strictly: padded,
/// without spaces and with zeros for the spare bits. For lengths that are no multiple of three, as
/// those of hashes are.
pub(super) fn decode_base64(text: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (quads, []) = text.as_chunks::<4>() else {
        return None;
    };
    let (last, quads) = quads.split_last()?;
    let (triples, rest) = bytes.as_chunks_mut::<3>();
    if quads.len() != triples.len() || rest.is_empty() {
        return None;
    }
    let mut junk = 0;
    let mut bits = |[a, b, c, d]: &[u8; 4]| {
        let [first, second, third, fourth] = &BASE64_BITS;
        let bits = first[usize::from(*a)]
            | second[usize::from(*b)]
            | third[usize::from(*c)]
            | fourth[usize::from(*d)];
        junk |= bits;
        bits
    };
    for (triple, quad) in triples.iter_mut().zip(quads) {
        let [_, bytes @ ..] = bits(quad).to_be_bytes();
        *triple = bytes;
    }
    let mut last = *last;
    let padding = last.get_mut(rest.len() + 1..)?;
    if padding.iter().any(|byte| *byte != b'=') {
        return None;
    }
    padding.fill(b'A');
    let [_, bytes @ ..] = bits(&last).to_be_bytes();
    let (bytes, spare) = bytes.split_at_checked(rest.len())?;
    rest.copy_from_slice(bytes);
    (junk & NO_DIGIT == 0 && spare.iter().all(|bits| *bits == 0)).then_some(())
}

/// What each byte, as the first to fourth digit of a group, adds to its 24 bits, or [`NO_DIGIT`].
const BASE64_BITS: [[u32; 256]; 4] = [
    base64_bits(18),
    base64_bits(12),
    base64_bits(6),
    base64_bits(0),
];

const fn base64_bits(shift: u32) -> [u32; 256] {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < digits.len() {
        bits[digits[value] as usize] = (value as u32) << shift;
        value += 1;
    }
    bits
}

/// A bit that no group has.
const NO_DIGIT: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hex_is_decoded_in_either_case_and_nothing_else_is_hex() {
        for byte in 0..=255_u8 {
            for text in [format!("{byte:02x}00ff9A"), format!("{byte:02X}00FF9a")] {
                let mut decoded = [0; 4];
                assert_eq!(decode_hex(text.as_bytes(), &mut decoded), Some(()));
                assert_eq!(decoded, [byte, 0, 255, 0x9a]);
            }
            for at in 0..8 {
                let mut text = *b"01234567";
                text[at] = byte;
                let decoded = decode_hex(&text, &mut [0; 4]);
                assert_eq!(
                    decoded.is_some(),
                    byte.is_ascii_hexdigit(),
                    "{byte} at {at}"
                );
            }
        }
        for len in [0, 1, 7, 9, 16] {
            assert_eq!(decode_hex(&vec![b'0'; len], &mut [0; 4]), None);
        }
    }

    proptest! {
        #[test]
        fn base64_agrees_with_a_general_decoder(
            bytes in prop_oneof![
                prop::array::uniform20(any::<u8>()).prop_map(|bytes| bytes.to_vec()),
                prop::array::uniform32(any::<u8>()).prop_map(|bytes| bytes.to_vec()),
                prop::collection::vec(any::<u8>(), 64),
            ],
            at in any::<prop::sample::Index>(),
            byte: u8,
        ) {
            let mut text = STANDARD.encode(&bytes).into_bytes();
            let mut decoded = vec![0; bytes.len()];
            prop_assert_eq!(decode_base64(&text, &mut decoded), Some(()));
            prop_assert_eq!(&decoded, &bytes);
            let at = at.index(text.len());
            text[at] = byte;
            let reference = STANDARD.decode(&text).ok().filter(|other| other.len() == bytes.len());
            let ours = decode_base64(&text, &mut decoded).map(|()| decoded);
            prop_assert_eq!(ours, reference);
        }

        #[test]
        fn no_text_panics(text: Vec<u8>) {
            for len in [20, 32, 64] {
                let _ = decode_base64(&text, &mut vec![0; len]);
                let _ = decode_hex(&text, &mut vec![0; len]);
            }
        }
    }
}
