"""Twilio: X-Twilio-Signature, base64 HMAC-SHA-1 of the URL and, for forms, the sorted parameters.

JSON is covered by the parameter bodySHA256 in the query of the URL.
"""

import hashlib
from urllib.parse import parse_qsl, urlencode

from records import (
    BASE64_SHA1, NOT_UTF8, NOTE, Sender, again, b64, by, changed_bodies, compact, mac, misread,
)

URL = "https://hooks.example.com/twilio"
NAME = "X-Twilio-Signature"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
MESSAGE = {
    "MessageSid": "SM00000000000000000000000000000001",
    "AccountSid": "AC00000000000000000000000000000001",
    "From": "+14155550100",
    "To": "+14155550101",
    "Body": "hello there",
    "NumMedia": "0",
}


def sign(key, url, body=b"", name_of_hash="sha1"):
    """Every parameter's name and value, sorted, each pair once."""
    pairs = sorted(set(parse_qsl(body.decode(), keep_blank_values=True)))
    text = url + "".join(name + value for name, value in pairs)
    return b64(mac(key, text.encode(), name_of_hash))


def records():
    make = Sender("twilio", "twilio-auth-token-of-vectors-001", url=URL,
                  names=by(id="I-Twilio-Idempotency-Token"),
                  headers={"I-Twilio-Idempotency-Token": "6f4c0e5a-0000-4000-8000-000000000001"})
    yield from form(make)
    yield from json_body(make)


def form(make):
    plain = urlencode(MESSAGE).encode()

    def sent(body, key=make.key, url=URL):
        return {**FORM, NAME: sign(key, url, body)}

    good = sent(plain)
    yield make("form", good, plain)
    noted = urlencode({**MESSAGE, "Body": NOTE}).encode()
    yield make("form: emoji and accents", sent(noted), noted)
    for what, text in [
        ("an empty value", b"A=&B=2&Empty="),
        ("one name twice", b"Media=b&Media=a&From=%2B1"),
        ("the same pair twice", b"Digits=12&Digits=12&From=%2B1"),
        ("names that differ in case", b"to=1&To=2&TO=3"),
    ]:
        yield make(f"form: {what}", sent(text), text)
    yield make("form: other order, the same parameters", good, b"&".join(plain.split(b"&")[::-1]))
    yield make("form: spaces in another encoding", good, plain.replace(b"+", b"%20"))
    yield make("form: with a query", sent(plain, url=URL + "?tenant=7&x=a%20b"), plain,
               request_target="/hooks?tenant=7&x=a%20b")
    yield make("form: signed with the port of HTTPS",
               sent(plain, url=URL.replace(".com/", ".com:443/")), plain)
    yield make("form: port at the receiver, signed without it", good, plain,
               url=URL.replace(".com/", ".com:8443/"))
    yield make("form: two secrets at the receiver, signed with the second", good, plain,
               secrets=[make.former_secret, make.secret])

    changed = "a parameter is not the one signed"
    yield make("form: one bit of a value", good, plain.replace(b"hello", b"iello"), why=changed)
    yield make("form: one bit of a name", good, plain.replace(b"NumMedia", b"NumMedic"),
               why=changed)
    yield make("form: a parameter more", good, plain + b"&Digits=1", why=changed)
    yield make("form: a parameter less", good, plain.replace(b"&NumMedia=0", b""), why=changed)
    yield make("form: body missing", good, b"", why=changed)
    yield make("form: a query nobody signed", good, plain, why="the URL is signed",
               request_target="/hooks?tenant=7")
    yield make("form: another query", sent(plain, url=URL + "?tenant=7"), plain,
               why="the URL is signed", request_target="/hooks?tenant=8")
    yield make("form: another URL", sent(plain, url=URL + "2"), plain, why="the URL is signed")
    yield make("form: URL without TLS", sent(plain, url=URL.replace("https", "http")), plain,
               why="the URL is signed")
    yield make("form: URL alone is signed", {**FORM, NAME: sign(make.key, URL)}, plain,
               why="the parameters are not signed")
    yield make("wrong secret", sent(plain, make.other_key), plain, why="signed with another secret")
    sha256 = {**FORM, NAME: sign(make.key, URL, plain, "sha256")}
    yield make("SHA-256", sha256, plain, why="wrong length")
    yield from misread(make, good, plain, NAME, BASE64_SHA1)


def json_body(make):
    plain = compact({"EventType": "onMessageAdded", "ConversationSid": "CH0001", "Index": 3})

    def sent(body, key=make.key, query=""):
        query = f"{query}bodySHA256={hashlib.sha256(body).hexdigest()}"
        return {**JSON, NAME: sign(key, f"{URL}?{query}")}, f"/hooks?{query}"

    def of(what, body, why="", sends=None, **options):
        headers, target = sent(body, **options)
        return make(f"JSON: {what}", headers, body if sends is None else sends, why=why,
                    request_target=target)

    noted = compact({"Body": NOTE})
    yield of("compact", plain)
    yield of("emoji and accents", noted)
    yield of("bytes that are not UTF-8", NOT_UTF8)
    yield of("with another parameter", plain, query="tenant=7&")

    for what, body in changed_bodies(plain):
        yield of(what, plain, why="the body is not the one hashed", sends=body)
    yield of("written again", plain, why="the same value in other bytes", sends=again(plain))
    yield of("wrong secret", plain, why="signed with another secret", key=make.other_key)
    headers, target = sent(plain)
    other = compact({"EventType": "other"})
    yield make("JSON: hash and body exchanged", headers, other, why="the URL is signed",
               request_target=f"/hooks?bodySHA256={hashlib.sha256(other).hexdigest()}")
    yield make("JSON: no hash in the query", {**JSON, NAME: sign(make.key, URL)}, plain,
               why="nothing covers the body")
    short = target[:-2]
    yield make("JSON: truncated hash", {**JSON, NAME: sign(make.key, URL + short[6:])}, plain,
               why="not the hash of the body", request_target=short)
