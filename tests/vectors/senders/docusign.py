"""DocuSign Connect: X-DocuSign-Signature-1 to -n, the base64 HMAC of the body, one per key."""

import base64

from records import BASE64, Sender, b64, bare, bodies, by, compact, mac

EVENT = {
    "event": "envelope-completed",
    "apiVersion": "v2.1",
    "uri": "/restapi/v2.1/accounts/1/envelopes/2",
    "generatedDateTime": "2026-09-21T14:13:19.0000000Z",
    "data": {"accountId": "1", "envelopeId": "5d9c8f6e-0000-4000-8000-000000000001"},
}
NAME = "X-DocuSign-Signature-"


def records():
    make = Sender("docusign", "ZG9jdXNpZ24ta2V5LWZvci12ZWN0b3JzLTAwMDAwMDE=",
                  names=by(kind="/event"))
    yield from bare(make, NAME + "1", bodies(EVENT), BASE64, once=False)
    plain = compact(EVENT)
    good, other = b64(mac(make.key, plain)), b64(mac(make.other_key, plain))
    for what, signatures in [
        ("the first of two", [good, other]),
        ("the second of two", [other, good]),
        ("the third of three", [other, other, good]),
        ("an undecodable one beside a good one", ["none", good]),
    ]:
        yield make(what, numbered(signatures), plain)
    yield make("two signatures, both wrong", numbered([other, other]), plain, why="none matches")
    decoded = b64(mac(base64.b64decode(make.secret), plain))
    yield make("secret decoded", numbered([decoded]), plain, why="the secret is used as it stands")
    yield make("header without its number", {"X-DocuSign-Signature": good}, plain,
               why="no signature")


def numbered(signatures):
    return {f"{NAME}{at}": signature for at, signature in enumerate(signatures, 1)}
