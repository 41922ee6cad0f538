#!/usr/bin/env python3
"""Writes signatures.json: signed requests and what has to be said of each.

This is a second implementation of the signature schemes, in another language and from the senders'
documentation, so that a mistake in the first is not checked against itself. Standard library only;
the same text comes out of every run. README.md describes the fields.
"""

import base64
import hashlib
import json
from pathlib import Path

from records import NOW, b64, changed_bodies, escaped, flip_base64, flip_hex, mac, maker, spare_bits

EMOJI = '{"id":"evt_0002","note":"paid \U0001f389 caf\u00e9 \u65e5\u672c","amount":10.10}'.encode()
NOT_UTF8 = b'\x00\x01{"raw":"\xff\xfe\x80"}\xc3\x28\r\n'
SPACED = b'{ "id" : "evt_0003",\r\n\t"url":"https:\\/\\/example.com\\/a", "n": 1.0 }\n'
PLAIN = b'{"id":"evt_0001","type":"invoice.paid","amount":4200}'
URL_ALPHABET = str.maketrans("+/", "-_")
FORM = b"payload=%7B%22id%22%3A%22evt_0004%22%7D&text=a+b%26c"


def main():
    records = [
        *github(),
        *stripe(),
        *standard("standard-webhooks", "webhook"),
        *standard("svix", "svix"),
        *shopify(),
        *slack(),
        *generic("sha256"),
        *generic("sha512"),
    ]
    names = [(record["provider"], record["name"]) for record in records]
    assert len(set(names)) == len(names), "two records share a name"
    text = json.dumps(records, indent=1) + "\n"
    Path(__file__).with_name("signatures.json").write_text(text)
    valid = sum(record["expect"] == "valid" for record in records)
    print(f"{len(records)} records, {valid} valid")


def github():
    """X-Hub-Signature-256: sha256=<hex of the HMAC of the body>."""
    key = b"gh-hook-secret-for-vectors-01"
    name = "X-Hub-Signature-256"
    make = maker("github", "github", key.decode())

    def sign(body, key=key):
        return "sha256=" + mac(key, body).hex()

    good = sign(PLAIN)
    yield make("compact JSON", {name: good}, PLAIN)
    yield make("JSON with spaces, escapes and line ends", {name: sign(SPACED)}, SPACED)
    yield make("emoji and accents", {name: sign(EMOJI)}, EMOJI)
    yield make("bytes that are not UTF-8", {name: sign(NOT_UTF8)}, NOT_UTF8)
    yield make("empty body", {name: sign(b"")}, b"")
    yield make("form encoding, signed as sent", {name: sign(FORM)}, FORM)
    yield make("100,000 bytes", {name: sign(b"a" * 100_000)}, repeated="a", count=100_000)
    yield make("header name in lower case", {name.lower(): good}, PLAIN)
    yield make("the same header twice", {name: [good, good]}, PLAIN)

    for what, body in changed_bodies(PLAIN):
        yield make(what, {name: good}, body, why="the body is not the one signed")
    yield make("emoji replaced by its escape", {name: sign(EMOJI)}, escaped(EMOJI),
               why="the same JSON value in other bytes")
    yield make("one bit of the signature", {name: flip_hex(good)}, PLAIN, why="another digest")
    yield make("wrong secret", {name: sign(PLAIN, b"gh-hook-secret-for-vectors-02")}, PLAIN,
               why="signed with another secret")
    yield make("secret with a line end", {name: sign(PLAIN, key + b"\n")}, PLAIN,
               why="signed with another secret")
    yield make("no header", {}, PLAIN, why="no signature")
    yield make("empty header", {name: ""}, PLAIN, why="no signature in the header")
    yield make("prefix alone", {name: "sha256="}, PLAIN, why="no digest after the prefix")
    yield make("no prefix", {name: good.removeprefix("sha256=")}, PLAIN, why="no sha256= prefix")
    yield make("prefix of SHA-1", {name: good.replace("sha256", "sha1")}, PLAIN, why="wrong prefix")
    yield make("SHA-1 digest in the header of SHA-256",
               {name: "sha256=" + mac(key, PLAIN, "sha1").hex()}, PLAIN, why="wrong length")
    yield make("legacy header alone", {"X-Hub-Signature": "sha1=" + mac(key, PLAIN, "sha1").hex()},
               PLAIN, why="SHA-1 is only for those who ask for it")
    yield make("truncated digest", {name: good[:-2]}, PLAIN, why="wrong length")
    yield make("half a byte missing", {name: good[:-1]}, PLAIN, why="an odd number of digits")
    yield make("digest with a byte more", {name: good + "00"}, PLAIN, why="wrong length")
    yield make("no hex digits", {name: "sha256=" + "zz" * 32}, PLAIN, why="not hexadecimal")
    yield make("base64 instead of hex", {name: "sha256=" + b64(mac(key, PLAIN))}, PLAIN,
               why="not hexadecimal")
    yield make("plain hash without a key", {name: "sha256=" + hashlib.sha256(PLAIN).hexdigest()},
               PLAIN, why="not keyed")
    yield make("secret and body hashed without HMAC",
               {name: "sha256=" + hashlib.sha256(key + PLAIN).hexdigest()}, PLAIN,
               why="not an HMAC")
    yield make("two headers that differ", {name: [good, flip_hex(good)]}, PLAIN,
               why="two answers to one question")


def stripe():
    """Stripe-Signature: t=<seconds>,v1=<hex of the HMAC of t.body>[,v1=...]."""
    key = b"whsec_vectors_are_used_verbatim_01"
    old = b"whsec_vectors_are_used_verbatim_00"
    name = "Stripe-Signature"
    make = maker("stripe", "stripe", key.decode(), tolerance=300)

    def sign(body, key=key, at=NOW):
        return mac(key, f"{at}.".encode() + body).hex()

    def header(body, at=NOW):
        return f"t={at},v1={sign(body, at=at)}"

    good, other = sign(PLAIN), sign(PLAIN, old)
    yield make("one v1", {name: header(PLAIN)}, PLAIN)
    yield make("body ends with a line end", {name: header(SPACED)}, SPACED)
    yield make("emoji and accents", {name: header(EMOJI)}, EMOJI)
    yield make("bytes that are not UTF-8", {name: header(NOT_UTF8)}, NOT_UTF8)
    yield make("empty body", {name: header(b"")}, b"")
    yield make("rotation: the first v1 is of the old secret",
               {name: f"t={NOW},v1={other},v1={good}"}, PLAIN)
    yield make("rotation: the last v1 is of the old secret",
               {name: f"t={NOW},v1={good},v1={other}"}, PLAIN)
    yield make("v0 beside v1", {name: f"t={NOW},v1={good},v0={other}"}, PLAIN)
    yield make("a tag nobody knows", {name: f"t={NOW},v7=abc,v1={good}"}, PLAIN)
    yield make("an undecodable v1 beside a good one", {name: f"t={NOW},v1=none,v1={good}"}, PLAIN)
    yield make("300 s old", {name: header(PLAIN, NOW - 300)}, PLAIN)

    yield make("301 s old", {name: header(PLAIN, NOW - 301)}, PLAIN, why="stale")
    yield make("a year old", {name: header(PLAIN, NOW - 31_536_000)}, PLAIN, why="stale")
    yield make("301 s ahead", {name: header(PLAIN, NOW + 301)}, PLAIN, why="from the future")
    yield make("milliseconds", {name: header(PLAIN, NOW * 1000)}, PLAIN, why="from the future")
    yield make("below zero", {name: header(PLAIN, -NOW)}, PLAIN, why="no time at all, or stale")
    yield make("a time that fits no integer", {name: header(PLAIN, 10**30)}, PLAIN,
               why="timestamp out of range")
    yield make("renewed time, old signature", {name: f"t={NOW + 1},v1={good}"}, PLAIN,
               why="the time is signed")
    for what, body in changed_bodies(PLAIN):
        yield make(what, {name: header(PLAIN)}, body, why="the body is not the one signed")
    yield make("one bit of the signature", {name: f"t={NOW},v1={flip_hex(good)}"}, PLAIN,
               why="another digest")
    yield make("wrong secret", {name: f"t={NOW},v1={other}"}, PLAIN,
               why="signed with another secret")
    decoded = base64.urlsafe_b64decode(key.removeprefix(b"whsec_") + b"=" * 4)
    yield make("secret decoded", {name: f"t={NOW},v1={sign(PLAIN, decoded)}"}, PLAIN,
               why="the secret is used as it stands")
    yield make("two v1, both wrong", {name: f"t={NOW},v1={other},v1={flip_hex(other)}"}, PLAIN,
               why="none matches")
    yield make("the good digest as v0 only", {name: f"t={NOW},v0={good}"}, PLAIN, why="no v1")
    yield make("tag in capitals", {name: f"t={NOW},V1={good}"}, PLAIN, why="no v1")
    yield make("no header", {}, PLAIN, why="no signature")
    yield make("empty header", {name: ""}, PLAIN, why="no signature in the header")
    yield make("no time", {name: f"v1={good}"}, PLAIN, why="no timestamp")
    yield make("empty time", {name: f"t=,v1={good}"}, PLAIN, why="no timestamp")
    yield make("a word for the time", {name: f"t=now,v1={good}"}, PLAIN, why="no timestamp")
    yield make("two times that differ", {name: f"t={NOW},t={NOW - 1},v1={good}"}, PLAIN,
               why="two answers to one question")
    yield make("signature of the bare body", {name: f"t={NOW},v1={mac(key, PLAIN).hex()}"}, PLAIN,
               why="the time is not signed")
    yield make("empty v1", {name: f"t={NOW},v1="}, PLAIN, why="no digest")
    yield make("truncated digest", {name: f"t={NOW},v1={good[:-2]}"}, PLAIN, why="wrong length")
    yield make("digest with a byte more", {name: f"t={NOW},v1={good}00"}, PLAIN, why="wrong length")
    yield make("no hex digits", {name: f"t={NOW},v1={'g' * 64}"}, PLAIN, why="not hexadecimal")
    yield make("separators alone", {name: ",=,=,"}, PLAIN, why="nothing to read")


def standard(provider, prefix):
    """<prefix>-signature: v1,<base64 of the HMAC of id.timestamp.body> [v1,...]."""
    key = b"thirty-two bytes for the vectors"
    old = b"thirty-two bytes, the former key"
    assert len(key) == len(old) == 32
    secret = "whsec_" + b64(key)
    make = maker(provider, "standard-webhooks", secret, encoding="whsec_base64", tolerance=300)
    ident = "msg_vectors0001"

    def sign(body, key=key, at=NOW, ident=ident):
        return "v1," + b64(mac(key, f"{ident}.{at}.".encode() + body))

    def headers(signature, at=NOW, ident=ident):
        values = {"id": ident, "timestamp": at, "signature": signature}
        return {f"{prefix}-{part}": str(v) for part, v in values.items() if v is not None}

    good, other = sign(PLAIN), sign(PLAIN, old)
    yield make("one signature", headers(good), PLAIN)
    yield make("JSON with spaces, escapes and line ends", headers(sign(SPACED)), SPACED)
    yield make("emoji and accents", headers(sign(EMOJI)), EMOJI)
    yield make("bytes that are not UTF-8", headers(sign(NOT_UTF8)), NOT_UTF8)
    yield make("empty body", headers(sign(b"")), b"")
    yield make("rotation: the first is of the old key", headers(f"{other} {good}"), PLAIN)
    yield make("rotation: the last is of the old key", headers(f"{good} {other}"), PLAIN)
    yield make("a v1a beside the v1", headers(f"v1a,{b64(bytes(64))} {good}"), PLAIN)
    yield make("an undecodable v1 beside a good one", headers(f"v1,?? {good}"), PLAIN)
    yield make("300 s old", headers(sign(PLAIN, at=NOW - 300), at=NOW - 300), PLAIN)
    yield make("300 s ahead", headers(sign(PLAIN, at=NOW + 300), at=NOW + 300), PLAIN)
    bare = maker(provider, "standard-webhooks", b64(key), encoding="base64", tolerance=300)
    yield bare("secret without its prefix", headers(good), PLAIN)

    yield make("301 s old", headers(sign(PLAIN, at=NOW - 301), at=NOW - 301), PLAIN, why="stale")
    yield make("301 s ahead", headers(sign(PLAIN, at=NOW + 301), at=NOW + 301), PLAIN,
               why="from the future")
    yield make("milliseconds", headers(sign(PLAIN, at=NOW * 1000), at=NOW * 1000), PLAIN,
               why="from the future")
    yield make("renewed time, old signature", headers(good, at=NOW + 1), PLAIN,
               why="the time is signed")
    yield make("another id", headers(good, ident="msg_vectors0002"), PLAIN, why="the id is signed")
    for what, body in changed_bodies(PLAIN):
        yield make(what, headers(good), body, why="the body is not the one signed")
    yield make("one bit of the signature", headers(flip_base64(good)), PLAIN, why="another digest")
    yield make("wrong secret", headers(other), PLAIN, why="signed with another secret")
    yield make("secret used as it stands", headers(sign(PLAIN, secret.encode())), PLAIN,
               why="the secret is base64 after its prefix")
    yield make("no signature header", headers(None), PLAIN, why="no signature")
    yield make("empty signature header", headers(""), PLAIN, why="no signature in the header")
    yield make("no id header", headers(good, ident=None), PLAIN, why="no id")
    yield make("no timestamp header", headers(good, at=None), PLAIN, why="no timestamp")
    yield make("empty timestamp header", headers(good, at=""), PLAIN, why="no timestamp")
    yield make("a word for the time", headers(sign(PLAIN, at="soon"), at="soon"), PLAIN,
               why="no timestamp")
    yield make("good digest as v2", headers(good.replace("v1,", "v2,")), PLAIN, why="no v1")
    yield make("good digest as v1a", headers(good.replace("v1,", "v1a,")), PLAIN, why="no v1")
    yield make("no version", headers(good.removeprefix("v1,")), PLAIN, why="no v1")
    yield make("version alone", headers("v1,"), PLAIN, why="no digest")
    yield make("equals sign for the comma", headers(good.replace("v1,", "v1=")), PLAIN, why="no v1")
    yield make("hex instead of base64",
               headers("v1," + mac(key, f"{ident}.{NOW}.".encode() + PLAIN).hex()), PLAIN,
               why="not the digest's length in base64")
    yield make("truncated digest", headers(good[:-8] + "="), PLAIN, why="wrong length")
    yield make("digest with more behind it",
               headers("v1," + b64(base64.b64decode(good[3:]) + b"more")), PLAIN,
               why="wrong length")
    yield make("other spare bits in the last digit", headers(spare_bits(good)), PLAIN,
               why="not the one encoding of the digest")
    yield make("no base64", headers("v1," + "!" * 43 + "="), PLAIN, why="not base64")
    yield make("signature of the bare body", headers("v1," + b64(mac(key, PLAIN))), PLAIN,
               why="neither id nor time is signed")
    twice = headers(sign(PLAIN)) | {f"{prefix}-timestamp": [str(NOW), str(NOW - 1)]}
    yield make("two times that differ", twice, PLAIN, why="two answers to one question")


def shopify():
    """X-Shopify-Hmac-Sha256: <base64 of the HMAC of the body>."""
    key = b"shopify-app-client-secret-01"
    name = "X-Shopify-Hmac-Sha256"
    make = maker("shopify", "shopify", key.decode())

    def sign(body, key=key):
        return b64(mac(key, body))

    good = sign(PLAIN)
    unsigned = {"X-Shopify-Topic": "orders/paid", "X-Shopify-Webhook-Id": "wh-0001"}
    yield make("compact JSON", {name: good}, PLAIN)
    yield make("with the unsigned headers", {name: good, **unsigned}, PLAIN)
    yield make("JSON with spaces, escapes and line ends", {name: sign(SPACED)}, SPACED)
    yield make("emoji and accents", {name: sign(EMOJI)}, EMOJI)
    yield make("bytes that are not UTF-8", {name: sign(NOT_UTF8)}, NOT_UTF8)
    yield make("empty body", {name: sign(b"")}, b"")

    for what, body in changed_bodies(PLAIN):
        yield make(what, {name: good}, body, why="the body is not the one signed")
    yield make("one bit of the signature", {name: flip_base64(good)}, PLAIN, why="another digest")
    yield make("wrong secret", {name: sign(PLAIN, b"shopify-app-client-secret-02")}, PLAIN,
               why="signed with another secret")
    yield make("no header", unsigned, PLAIN, why="no signature")
    yield make("empty header", {name: ""}, PLAIN, why="no signature in the header")
    yield make("hex instead of base64", {name: mac(key, PLAIN).hex()}, PLAIN, why="wrong length")
    yield make("truncated digest", {name: good[:-8] + "="}, PLAIN, why="wrong length")
    yield make("digest with more behind it", {name: b64(mac(key, PLAIN) + b"more")}, PLAIN,
               why="wrong length")
    yield make("other spare bits in the last digit", {name: spare_bits(good)}, PLAIN,
               why="not the one encoding of the digest")
    body = next(body for body in (b'{"n":%d}' % n for n in range(100)) if "+" in sign(body))
    yield make("base64 of the URL alphabet", {name: sign(body).translate(URL_ALPHABET)}, body,
               why="not base64")
    yield make("no base64", {name: "?" * 44}, PLAIN, why="not base64")
    yield make("prefixed", {name: "sha256=" + good}, PLAIN, why="this header has no prefix")
    yield make("SHA-512", {name: b64(mac(key, PLAIN, "sha512"))}, PLAIN, why="wrong length")
    yield make("two headers that differ", {name: [good, sign(EMOJI)]}, PLAIN,
               why="two answers to one question")


def slack():
    """X-Slack-Signature: v0=<hex of the HMAC of v0:timestamp:body>."""
    key = b"slack-signing-secret-vectors-001"
    make = maker("slack", "slack", key.decode(), tolerance=300)

    def sign(body, key=key, at=NOW, version="v0"):
        return "v0=" + mac(key, f"{version}:{at}:".encode() + body).hex()

    def headers(signature, at=NOW):
        values = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature}
        return {name: str(value) for name, value in values.items() if value is not None}

    good = sign(FORM)
    yield make("form encoding", headers(good), FORM)
    yield make("JSON with spaces, escapes and line ends", headers(sign(SPACED)), SPACED)
    yield make("emoji and accents", headers(sign(EMOJI)), EMOJI)
    yield make("bytes that are not UTF-8", headers(sign(NOT_UTF8)), NOT_UTF8)
    yield make("empty body", headers(sign(b"")), b"")
    yield make("300 s old", headers(sign(FORM, at=NOW - 300), at=NOW - 300), FORM)
    yield make("300 s ahead", headers(sign(FORM, at=NOW + 300), at=NOW + 300), FORM)

    yield make("301 s old", headers(sign(FORM, at=NOW - 301), at=NOW - 301), FORM, why="stale")
    yield make("301 s ahead", headers(sign(FORM, at=NOW + 301), at=NOW + 301), FORM,
               why="from the future")
    yield make("renewed time, old signature", headers(good, at=NOW + 1), FORM,
               why="the time is signed")
    for what, body in changed_bodies(FORM):
        yield make(what, headers(good), body, why="the body is not the one signed")
    yield make("form decoded and encoded again", headers(good), FORM.replace(b"+", b"%20"),
               why="the same form in other bytes")
    yield make("one bit of the signature", headers(flip_hex(good)), FORM, why="another digest")
    yield make("wrong secret", headers(sign(FORM, b"slack-signing-secret-vectors-002")), FORM,
               why="signed with another secret")
    yield make("no signature header", headers(None), FORM, why="no signature")
    yield make("empty signature header", headers(""), FORM, why="no signature in the header")
    yield make("no timestamp header", headers(good, at=None), FORM, why="no timestamp")
    yield make("empty timestamp header", headers(good, at=""), FORM, why="no timestamp")
    yield make("a fraction of a second", headers(sign(FORM, at=f"{NOW}.5"), at=f"{NOW}.5"), FORM,
               why="not whole seconds")
    yield make("hexadecimal time", headers(sign(FORM, at=hex(NOW)), at=hex(NOW)), FORM,
               why="not whole seconds")
    yield make("prefix v1", headers(good.replace("v0=", "v1=")), FORM, why="wrong prefix")
    yield make("v1 in the signed text", headers(sign(FORM, version="v1")), FORM,
               why="another signed text")
    yield make("no prefix", headers(good.removeprefix("v0=")), FORM, why="no v0= prefix")
    yield make("truncated digest", headers(good[:-2]), FORM, why="wrong length")
    yield make("digest with a byte more", headers(good + "00"), FORM, why="wrong length")
    yield make("no hex digits", headers("v0=" + "-" * 64), FORM, why="not hexadecimal")
    yield make("signature of the bare body", headers("v0=" + mac(key, FORM).hex()), FORM,
               why="the time is not signed")


def generic(name_of_hash):
    """X-Signature: [<hash>=]<hex of the HMAC of the body>[,...]."""
    key = b"a secret for the plain hmac scheme"
    old = b"a secret for the plain hmac scheme, before"
    name = "X-Signature"
    make_as = maker("generic-hmac-hex", f"hmac-{name_of_hash}", key.decode())

    def make(what, *arguments, **options):
        return make_as(f"{name_of_hash}: {what}", *arguments, **options)

    def sign(body, key=key):
        return mac(key, body, name_of_hash).hex()

    good, other, prefix = sign(PLAIN), sign(PLAIN, old), f"{name_of_hash}="
    wrong_hash = "sha512" if name_of_hash == "sha256" else "sha256"
    yield make("bare digest", {name: good}, PLAIN)
    yield make("prefixed digest", {name: prefix + good}, PLAIN)
    yield make("emoji and accents", {name: sign(EMOJI)}, EMOJI)
    yield make("bytes that are not UTF-8", {name: sign(NOT_UTF8)}, NOT_UTF8)
    yield make("empty body", {name: sign(b"")}, b"")
    yield make("rotation: the first is of the old secret",
               {name: f"{prefix}{other},{prefix}{good}"}, PLAIN)
    yield make("rotation: the last is of the old secret",
               {name: f"{prefix}{good},{prefix}{other}"}, PLAIN)

    for what, body in changed_bodies(PLAIN):
        yield make(what, {name: good}, body, why="the body is not the one signed")
    yield make("one bit of the signature", {name: flip_hex(good)}, PLAIN, why="another digest")
    yield make("wrong secret", {name: other}, PLAIN, why="signed with another secret")
    yield make("two signatures, both wrong", {name: f"{other},{flip_hex(good)}"}, PLAIN,
               why="none matches")
    yield make("no header", {}, PLAIN, why="no signature")
    yield make("empty header", {name: ""}, PLAIN, why="no signature in the header")
    yield make("prefix alone", {name: prefix}, PLAIN, why="no digest after the prefix")
    yield make("prefix of another hash", {name: f"{wrong_hash}={good}"}, PLAIN, why="wrong prefix")
    yield make("digest of another hash", {name: mac(key, PLAIN, wrong_hash).hex()}, PLAIN,
               why="wrong length")
    yield make("truncated digest", {name: good[:-2]}, PLAIN, why="wrong length")
    yield make("half a byte missing", {name: good[:-1]}, PLAIN, why="an odd number of digits")
    yield make("digest with a byte more", {name: good + "00"}, PLAIN, why="wrong length")
    yield make("digest twice in a row", {name: good + good}, PLAIN, why="wrong length")
    yield make("no hex digits", {name: "x" * len(good)}, PLAIN, why="not hexadecimal")
    yield make("commas alone", {name: ",,,"}, PLAIN, why="nothing to read")


if __name__ == "__main__":
    main()
