"""HubSpot, version 3: X-HubSpot-Signature-v3, base64 HMAC of method, URL, body and milliseconds."""

import hashlib

from records import BASE64, Sender, b64, bodies, by, compact, mac, millis, seconds, signed, timed

EVENTS = [
    {"eventId": 1001, "subscriptionId": 12345, "portalId": 62515, "occurredAt": 1789999999000,
     "subscriptionType": "contact.propertyChange", "objectId": 123, "attemptNumber": 0},
    {"eventId": 1002, "subscriptionId": 12345, "portalId": 62515, "occurredAt": 1789999999001,
     "subscriptionType": "contact.creation", "objectId": 124, "attemptNumber": 0},
]
URL = "https://hooks.example.com/hubspot"
NAME, STAMP = "X-HubSpot-Signature-v3", "X-HubSpot-Request-Timestamp"


def records():
    make = Sender("hubspot", "hubspot-client-secret-vectors-01", tolerance=300, url=URL,
                  names=by(kind="/0/subscriptionType"))

    def sign(body, key=make.key, at=millis(), shown=None, method="POST", url=URL):
        digest = mac(key, f"{method}{url}".encode() + body + at.encode())
        return {STAMP: shown or at, NAME: b64(digest)}

    yield from signed(make, sign, bodies(EVENTS), NAME, BASE64)
    plain = compact(EVENTS)
    yield from timed(make, sign, plain, millis, 300, header=STAMP)
    yield make("PUT", sign(plain, method="PUT"), plain, method="PUT")
    yield make("another method", sign(plain), plain, why="the method is signed", method="PUT")
    yield make("another URL", sign(plain, url=URL + "2"), plain, why="the URL is signed")
    yield make("no URL", sign(plain, url=""), plain, why="the URL is signed")
    yield make("seconds", sign(plain, at=seconds()), plain, why="stale in milliseconds")
    v1 = hashlib.sha256(make.key + plain).hexdigest()
    v1 = {"X-HubSpot-Signature": v1, "X-HubSpot-Signature-Version": "v1"}
    yield make("version 1 alone", v1, plain, why="no version 3")
    yield make("wrong version 3 beside a good version 1",
               {**v1, **sign(plain, make.other_key)}, plain, why="a downgrade")
