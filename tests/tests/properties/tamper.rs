use anvil_vectors::Record;
use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{Case, presets, runner};

#[test]
fn one_bit_of_a_signed_body_is_never_changed_unnoticed() {
    let mut unsigned = Vec::new();
    for (name, records) in presets() {
        if BODY_NOT_SIGNED
            .iter()
            .any(|(unsigned, _)| *unsigned == name)
        {
            unsigned.push(name);
            continue;
        }
        let cases: Vec<_> = records
            .iter()
            .map(Case::of)
            .filter(|case| !case.body.is_empty() && case.body.len() <= LONGEST)
            .collect();
        assert!(!cases.is_empty(), "{name} has no good vector with a body");
        runner(CASES)
            .run(
                &(any::<Index>(), any::<Index>(), 0..8_u8),
                |(case, place, bit)| {
                    let case = case.get(&cases);
                    let place = place.index(case.body.len());
                    prop_assume!(!is_escape(&case.body, place, 1 << bit));
                    let mut body = case.body.to_vec();
                    body[place] ^= 1 << bit;
                    let verdict = case.verdict(&case.head, &body.into());
                    prop_assert!(verdict.is_err(), "{name}: {}", case.record.name);
                    Ok(())
                },
            )
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    // A preset that has become better, or is gone, does not stay in the list.
    let listed = BODY_NOT_SIGNED.iter().map(|(name, _)| *name);
    assert!(unsigned.iter().copied().eq(listed), "{unsigned:?}");
}

#[test]
fn a_body_that_is_listed_as_not_signed_is_not_signed() {
    for (name, records) in presets() {
        if !BODY_NOT_SIGNED
            .iter()
            .any(|(unsigned, _)| *unsigned == name)
        {
            continue;
        }
        let goes_through = |record: &Record| {
            let case = Case::of(record);
            [&b"{} "[..], b" "].iter().any(|end| {
                let longer = [&case.body[..], end].concat();
                case.verdict(&case.head, &longer.into()).is_ok()
            }) || with_another_member(&case.body)
                .is_some_and(|body| case.verdict(&case.head, &body).is_ok())
        };
        assert!(records.iter().any(goes_through), "{name} signs the body");
    }
}

#[test]
fn one_bit_of_a_header_that_counts_is_never_changed_unnoticed() {
    let mut in_body = Vec::new();
    for (name, records) in presets() {
        let case = Case::of(&records[0]);
        let verdict = case.verdict(&case.head, &case.body);
        assert!(verdict.is_ok(), "{name}: {verdict:?}");
        let counting = counting(&case);
        if counting.is_empty() {
            in_body.push(name);
            continue;
        }
        runner(CASES)
            .run(
                &(any::<Index>(), any::<Index>(), 0..8_u8),
                |(header, place, bit)| {
                    let header = header.get(&counting);
                    let value = case.head.headers[header].as_bytes();
                    let place = place.index(value.len());
                    prop_assume!(!is_same(header, value, place, 1 << bit));
                    let mut changed = value.to_vec();
                    changed[place] ^= 1 << bit;
                    let Ok(changed) = HeaderValue::from_bytes(&changed) else {
                        return Err(TestCaseError::reject("not a header"));
                    };
                    let mut head = case.head.clone();
                    head.headers.insert(header, changed);
                    let verdict = case.verdict(&head, &case.body);
                    prop_assert!(verdict.is_err(), "{name}: {header}: {:?}", head.headers);
                    Ok(())
                },
            )
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert_eq!(in_body, SIGNED_IN_BODY);
}

/// The headers without which the request is refused.
fn counting(case: &Case<'_>) -> Vec<HeaderName> {
    let counts = |name: &&HeaderName| {
        let mut head = case.head.clone();
        head.headers.remove(*name);
        !case.head.headers[*name].is_empty() && case.verdict(&head, &case.body).is_err()
    };
    case.head.headers.keys().filter(counts).cloned().collect()
}

/// Whether the changed header says the same as before: a digit of a digest in hex is the same in
/// the other case, and so is the name of a media type or of an authentication scheme
/// ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-11.1)).
fn is_same(name: &HeaderName, value: &[u8], place: usize, bit: u8) -> bool {
    let byte = value[place];
    if bit != CASE || !byte.is_ascii_alphabetic() {
        return false;
    }
    if name == http::header::CONTENT_TYPE {
        return true;
    }
    if name == http::header::AUTHORIZATION {
        return value
            .iter()
            .position(|byte| *byte == b' ')
            .is_some_and(|end| place < end);
    }
    let digits = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.take_while(|byte| byte.is_ascii_hexdigit()).count()
    };
    let around = digits(&mut value[..place].iter().rev()) + digits(&mut value[place..].iter());
    byte.is_ascii_hexdigit() && around >= SHORTEST_DIGEST
}

/// Whether the change is one of case in the escape of a form, whose fields are signed decoded.
fn is_escape(body: &[u8], place: usize, bit: u8) -> bool {
    let before = &body[place.saturating_sub(2)..place];
    bit == CASE && body[place].is_ascii_alphabetic() && before.contains(&b'%')
}

/// The object with a member more, in front of the others.
fn with_another_member(body: &Bytes) -> Option<Bytes> {
    let rest = body.strip_prefix(b"{")?;
    Some([&br#"{"a-member-more":1,"#[..], rest].concat().into())
}

const CASES: u32 = 128;
/// A longer body takes longer and shows nothing else.
const LONGEST: usize = 4096;
/// The bit in which an ASCII letter differs from the same letter in the other case.
const CASE: u8 = 0x20;
/// SHA-1 in hex.
const SHORTEST_DIGEST: usize = 40;
/// Senders that sign less than the body, with what they sign; their vectors say which changes of
/// the body count.
const BODY_NOT_SIGNED: &[(&str, &str)] = &[
    ("adyen", "eight fields of each item"),
    ("aws-sns", "some fields"),
    ("gitlab-token", "nothing"),
    ("mailgun", "timestamp and token"),
    ("microsoft-graph", "nothing"),
    ("okta", "nothing"),
    ("postmark", "nothing"),
    ("telegram", "nothing"),
];
/// Senders without any header that counts.
const SIGNED_IN_BODY: &[&str] = &["adyen", "aws-sns", "mailgun", "microsoft-graph"];
