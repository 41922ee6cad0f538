"""Contentful: x-contentful-signature, the hexadecimal HMAC of a canonical request.

The request is method, path with query, listed headers and body, a line each.
"""

from records import HEX, Sender, bodies, by, compact, mac, millis, seconds, signed, timed

EVENT = {
    "sys": {"type": "Entry", "id": "2hN6qyXAAE0000000000001", "version": 3},
    "fields": {"title": {"en-US": "A vector"}},
}
URL = "https://hooks.example.com/hooks/contentful"
TARGET = "/hooks/contentful?env=master"
NAME, STAMP = "x-contentful-signature", "x-contentful-timestamp"
LIST = "x-contentful-signed-headers"
TOPIC = "ContentManagement.Entry.publish"


def records():
    make = Sender("contentful", "contentful-signing-secret-of-64-characters-for-these-vectors-001",
                  tolerance=30, names=by(kind="X-Contentful-Topic"), url=URL, request_target=TARGET,
                  headers={"X-Contentful-Topic": TOPIC})
    assert len(make.secret) == 64
    usual = f"{LIST},{STAMP},x-contentful-topic"

    def sign(body, key=make.key, at=millis(), shown=None, method="POST", target=TARGET,
             listed=usual, extra=None):
        values = {LIST: listed, STAMP: at, "x-contentful-topic": TOPIC, **(extra or {})}
        lines = ";".join(f"{name}:{values[name]}" for name in listed.split(","))
        digest = mac(key, f"{method}\n{target}\n{lines}\n".encode() + body).hex()
        return {LIST: listed, STAMP: shown or at, NAME: digest, **(extra or {})}

    yield from signed(make, sign, bodies(EVENT), NAME, HEX)
    plain = compact(EVENT)
    yield from timed(make, sign, plain, millis, 30, header=STAMP)
    with_type = sign(plain, listed=f"content-type,{usual}",
                     extra={"content-type": "application/vnd.contentful.management.v1+json"})
    yield make("content type among the headers", with_type, plain)
    path = "/hooks/contentful"
    yield make("no query", sign(plain, target=path), plain, request_target=path)

    yield make("another query", sign(plain), plain, why="the path is signed with its query",
               request_target=TARGET + "2")
    yield make("query left out", sign(plain), plain, why="the path is signed with its query",
               request_target=path)
    yield make("another URL", sign(plain), plain, why="the path is signed",
               url=URL + "2", request_target=TARGET.replace("?", "2?"))
    yield make("another method", sign(plain), plain, why="the method is signed", method="PUT")
    yield make("another topic", {**sign(plain), "X-Contentful-Topic": TOPIC[:-7] + "delete"}, plain,
               why="the header is signed")
    yield make("another content type", {**with_type, "content-type": "application/json"}, plain,
               why="the header is signed")
    yield make("no list of headers", {**sign(plain), LIST: None}, plain,
               why="nothing says what is signed")
    yield make("a listed header is not there", {**with_type, "content-type": None}, plain,
               why="the header is signed")
    yield make("the time is not listed", sign(plain, listed=f"{LIST},x-contentful-topic"), plain,
               why="a time that is not signed is none")
    yield make("seconds", sign(plain, at=seconds()), plain, why="stale in milliseconds")
    yield make("signature of the bare body", {**sign(plain), NAME: mac(make.key, plain).hex()},
               plain, why="another signed text")
