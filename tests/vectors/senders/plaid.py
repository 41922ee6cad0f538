"""Plaid: Plaid-Verification, a JWT (ES256) with the time and the SHA-256 of the body."""

import base64
import hashlib
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from asymmetric import private_key
from records import NOW, Sender, again, bodies, by, changed_bodies, compact, escaped, mac

EVENT = {
    "webhook_type": "TRANSACTIONS",
    "webhook_code": "SYNC_UPDATES_AVAILABLE",
    "item_id": "wz666MBjYWTp2PDzzggYhM6oWWmBb",
    "environment": "production",
}
NAME = "Plaid-Verification"
KID, OTHER_KID = "6c5516e1-92dc-479e-a8ff-000000000001", "6c5516e1-92dc-479e-a8ff-000000000002"
ALGORITHM = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


def part(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwk(key, kid):
    numbers = key.public_key().public_numbers()
    x, y = (part(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"alg": "ES256", "crv": "P-256", "kid": kid, "kty": "EC", "use": "sig", "x": x, "y": y,
            "created_at": 1780000000, "expired_at": None}


def records():
    key, other = private_key("plaid"), private_key("plaid_other")
    keys = {KID: jwk(key, KID), OTHER_KID: jwk(other, OTHER_KID)}
    make = Sender("plaid", tolerance=300, names=by(kind="/webhook_type"), keys=keys)

    def raw(text):
        r, s = utils.decode_dss_signature(key.sign(text, ALGORITHM))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def token(body, sign=raw, claims=None, **head):
        head = {"alg": "ES256", "kid": KID, "typ": "JWT"} | head
        hashed = hashlib.sha256(body).hexdigest()
        claims = {"iat": NOW, "request_body_sha256": hashed} | (claims or {})
        head, claims = ({name: value for name, value in fields.items() if value is not None}
                        for fields in (head, claims))
        text = f"{part(compact(head))}.{part(compact(claims))}"
        return {NAME: f"{text}.{part(sign(text.encode()))}"}

    def dated(iat):
        return token(plain, claims={"iat": iat})

    indented = json.dumps(EVENT, indent=2).encode()
    plain = compact(EVENT)
    for what, body in {**bodies(EVENT), "JSON with two spaces, as it is sent": indented}.items():
        yield make(what, token(body), body)
    yield make("300 s old", dated(NOW - 300), plain)
    yield make("more claims and fields than are known", token(plain, claims={"iss": "x"}, cty="y"),
               plain)

    good = token(plain)
    for what, body in changed_bodies(plain):
        yield make(what, good, body, why="the body is not the one hashed")
    yield make("the same JSON, written again", good, again(plain),
               why="the same value in other bytes")
    noted = bodies(EVENT)["emoji and accents"]
    yield make("emoji replaced by its escape", token(noted), escaped(noted),
               why="the same value in other bytes")
    for what, iat, why in [
        ("301 s old", NOW - 301, "stale"),
        ("a year old", NOW - 31_536_000, "stale"),
        ("301 s ahead", NOW + 301, "from the future"),
        ("milliseconds", NOW * 1000, "from the future"),
        ("no time", None, "no timestamp"),
        ("a word for the time", "soon", "no timestamp"),
        ("below zero", -NOW, "stale"),
    ]:
        yield make(what, dated(iat), plain, why=why)
    yield make("no hash of the body", token(plain, claims={"request_body_sha256": None}), plain,
               why="nothing covers the body")
    yield make("hash of zeros", token(plain, claims={"request_body_sha256": "00" * 32}), plain,
               why="not the hash of the body")
    truncated = hashlib.sha256(plain).hexdigest()[:-2]
    yield make("truncated hash", token(plain, claims={"request_body_sha256": truncated}), plain,
               why="not the hash of the body")

    public = compact(keys[KID])
    for what, headers, why in [
        ("algorithm none", token(plain, lambda _: b"", alg="none"), "only ES256 is known"),
        ("algorithm HS256 with the public key",
         token(plain, lambda text: mac(public, text), alg="HS256"), "only ES256 is known"),
        ("algorithm ES384", token(plain, alg="ES384"), "only ES256 is known"),
        ("no algorithm", token(plain, alg=None), "only ES256 is known"),
        ("no key id", token(plain, kid=None), "no key"),
        ("a key id nobody knows", token(plain, kid="none"), "no key"),
        ("another key id", token(plain, kid=OTHER_KID), "signed with another key"),
        ("HMAC in the place of the signature",
         token(plain, lambda text: mac(public, text) * 2), "another signature"),
        ("signature in DER", token(plain, lambda text: key.sign(text, ALGORITHM)), "wrong length"),
        ("truncated signature", token(plain, lambda text: raw(text)[:-1]), "wrong length"),
        ("signature of zeros", token(plain, lambda _: bytes(64)), "another signature"),
        ("one bit of the signature",
         token(plain, lambda text: raw(text)[:-1] + bytes([raw(text)[-1] ^ 1])),
         "another signature"),
        ("no signature header", {}, "no signature"),
        ("empty signature header", {NAME: ""}, "no signature in the header"),
        ("two parts", {NAME: good[NAME].rpartition(".")[0]}, "no signature"),
        ("four parts", {NAME: good[NAME] + ".e30"}, "no JWT"),
        ("a word for the JWT", {NAME: "verified"}, "no JWT"),
        ("two headers that differ", {NAME: [good[NAME], dated(NOW - 1)[NAME]]},
         "two answers to one question"),
    ]:
        yield make(what, headers, plain, why=why)
    head, claims, signature = good[NAME].split(".")
    for what, parts in [
        ("head that is no JSON", (part(b"alg"), claims, signature)),
        ("claims that are no JSON", (head, part(b"iat"), signature)),
        ("claims that are no base64", (head, "!!!!", signature)),
        ("claims of another token", (head, dated(NOW - 1)[NAME].split(".")[1], signature)),
    ]:
        yield make(what, {NAME: ".".join(parts)}, plain, why="not what was signed")
