"""Standard Webhooks: webhook-signature, v1,<base64 of the HMAC of id.timestamp.body> [v1,...].

Most senders of this family differ in nothing but the names of the headers.
"""

from asymmetric import ed25519_key
from records import (
    BASE64, NOW, Form, Sender, b64, bodies, by, compact, mac, millis, seconds, signed, timed,
)

EVENT = {
    "type": "contact.created",
    "timestamp": "2026-09-21T14:13:19Z",
    "data": {"id": "1f81eb52-5198-4599-803e-000000000001", "email": "vectors@example.com"},
}
KEY = b"thirty-two bytes for the vectors"


def records():
    yield from family("standard-webhooks", "webhook", EVENT)
    yield from asymmetric()


def family(provider, prefix, event, names=None, secret="whsec_" + b64(KEY), headers=None):
    """The records of one sender; headers start with the prefix."""
    ident = "msg_vectors0001"
    make = Sender(provider, secret, "whsec_base64", tolerance=300, headers=headers,
                  names=names or by(kind="/type", id=f"{prefix}-id", signed=True))
    assert len(make.key) == 32

    def digest(body, key=make.key, at=seconds(), ident=ident):
        return "v1," + b64(mac(key, f"{ident}.{at}.".encode() + body))

    def sent(signature, at=seconds(), ident=ident):
        values = {"id": ident, "timestamp": at, "signature": signature}
        return {f"{prefix}-{part}": value for part, value in values.items()}

    def sign(body, key=make.key, at=seconds(), shown=None):
        return sent(digest(body, key, at), shown or at)

    plain, name = compact(event), f"{prefix}-signature"
    yield from signed(make, sign, bodies(event), name, BASE64, "v1,")
    yield from timed(make, sign, plain, seconds, 300, header=f"{prefix}-timestamp")

    good, other = digest(plain), digest(plain, make.other_key)
    yield make("rotation: the first is of the old key", sent(f"{other} {good}"), plain)
    yield make("rotation: the last is of the old key", sent(f"{good} {other}"), plain)
    yield make("a v1a beside the v1", sent(f"v1a,{b64(bytes(64))} {good}"), plain)
    yield make("an undecodable v1 beside a good one", sent(f"v1,?? {good}"), plain)
    yield make("secret without its prefix", sent(good), plain, secret=b64(make.key),
               secret_encoding="base64")

    bare = "v1," + b64(mac(make.key, plain))
    for what, value, why in [
        ("two signatures, both wrong", f"{other} {other}", "none matches"),
        ("good digest as v2", good.replace("v1,", "v2,"), "no v1"),
        ("good digest as v1a", good.replace("v1,", "v1a,"), "no v1"),
        ("equals sign for the comma", good.replace("v1,", "v1="), "no v1"),
        ("signature of the bare body", bare, "neither id nor time is signed"),
    ]:
        yield make(what, sent(value), plain, why=why)
    yield make("another id", sent(good, ident="msg_vectors0002"), plain, why="the id is signed")
    yield make("no id header", sent(good, ident=None), plain, why="no id")
    yield make("milliseconds", sign(plain, at=millis()), plain, why="from the future")
    yield make("secret used as it stands", sign(plain, secret.encode()), plain,
               why="the secret is base64 after its prefix")


def asymmetric():
    """v1a: Ed25519 over the same content."""
    key, public = ed25519_key("standard_webhooks")
    other, _ = ed25519_key("discord")
    make = Sender("standard-webhooks", "whpk_" + b64(public), "whpk_base64_ed25519",
                  tolerance=300, label="v1a: ",
                  names=by(kind="/type", id="webhook-id", signed=True))
    plain = compact(EVENT)

    def sign(body, key=key, at=seconds(), shown=None, ident="msg_vectors0001"):
        signature = b64(key.sign(f"{ident}.{at}.".encode() + body))
        return {"webhook-id": "msg_vectors0001", "webhook-timestamp": shown or at,
                "webhook-signature": f"v1a,{signature}"}

    yield from signed(make, sign, bodies(EVENT), "webhook-signature", Form("base64", 64), "v1a,",
                      keys=(key, other))
    good = sign(plain)
    value = good["webhook-signature"]
    wrong = sign(plain, other)["webhook-signature"]
    yield make("rotation: the first is of the old key",
               {**good, "webhook-signature": f"{wrong} {value}"}, plain)
    yield make("rotation: the last is of the old key",
               {**good, "webhook-signature": f"{value} {wrong}"}, plain)
    yield make("a v1 beside the v1a",
               {**good, "webhook-signature": f"v1,{b64(bytes(32))} {value}"}, plain)
    yield from timed(make, sign, plain, seconds, 300, header="webhook-timestamp")

    yield make("another id", sign(plain, ident="msg_vectors0002"), plain, why="the id is signed")
    yield make("HMAC with the public key",
               {**good, "webhook-signature":
                "v1," + b64(mac(public, f"msg_vectors0001.{NOW}.".encode() + plain))},
               plain, why="a public key is no secret")
