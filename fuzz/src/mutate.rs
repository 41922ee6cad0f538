/// [SplitMix64](https://prng.di.unimi.it/splitmix64.c).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// A few changes of one input; `other` is another one.
pub fn mutate(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len() + 1);
        let end = place + random.below((bytes.len() - place).min(32) + 1);
        match random.below(10) {
            0 if place < bytes.len() => bytes[place] ^= 1 << random.below(8),
            1 if place < bytes.len() => bytes[place] = random.next() as u8,
            2 => {
                bytes.drain(place..end);
            }
            3 => {
                let piece: Vec<_> = bytes[place..end].repeat(1 + random.below(4));
                bytes.splice(place..place, piece);
            }
            4 | 5 => {
                let word = WORDS[random.below(WORDS.len())];
                let end = if random.below(2) == 0 { place } else { end };
                bytes.splice(place..end, word.iter().copied());
            }
            6 => {
                let from = random.below(other.len() + 1);
                let to = from + random.below((other.len() - from).min(200) + 1);
                bytes.splice(place..end, other[from..to].iter().copied());
            }
            7 => bytes
                .splice(place..end, random.next().to_string().into_bytes())
                .for_each(drop),
            8 => bytes.truncate(place.max(bytes.len() / 2)),
            _ => {
                let count = 1 << random.below(12);
                let byte = bytes.get(place).copied().unwrap_or(b'[');
                bytes.splice(place..place, std::iter::repeat_n(byte, count));
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Longer inputs are slower, and find the same.
const LONGEST: usize = 64 * 1024;
/// What the senders write.
const WORDS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b",",
    b";",
    b".",
    b"=",
    b" ",
    b":",
    b"/",
    b"?",
    b"&",
    b"%",
    b"%41",
    b"%zz",
    b"+",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\u0000",
    b"\\ud83d",
    b"\\",
    b"null",
    b"true",
    b"-0",
    b"1e999",
    b"-1",
    b"0",
    b"00",
    b"18446744073709551615",
    b"9223372036854775808",
    b"1790000000",
    b"1790000000000",
    b"2026-09-21T14:13:20Z",
    b"-9999-12-31T23:59:60+23:59",
    b"t=",
    b"ts=",
    b"v0=",
    b"v1=",
    b"v1,",
    b"v1a,",
    b"h1=",
    b"sha1=",
    b"sha256=",
    b"Basic ",
    b"Bearer ",
    b"{body}",
    b"{timestamp}",
    b"{id}",
    b"{url}",
    b"{json:/a}",
    b"{header:x-a}",
    b"~0",
    b"~1",
    b"https://",
    b"http://[::1]:0",
    b"@",
    b"#",
    b"whsec_",
    b"eyJhbGciOiJub25lIn0",
    b"alg",
    b"kid",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\0",
];
