"""Mollie, next generation: X-Mollie-Signature, [sha256=]<hex of the HMAC of the body>.

The header may come several times.
"""

from records import HEX, Sender, bare, bodies, by, compact, mac

EVENT = {
    "resource": "event",
    "id": "event_vectors0001",
    "type": "payment-link.paid",
    "entityId": "pl_0001",
    "createdAt": "2026-09-21T14:13:19.0Z",
}
NAME = "X-Mollie-Signature"


def records():
    make = Sender("mollie", "mollie-signing-secret-0001", names=by(kind="/type", id="/id"))
    yield from bare(make, NAME, bodies(EVENT), HEX, "", once=False)
    plain = compact(EVENT)
    good = "sha256=" + mac(make.key, plain).hex()
    other = "sha256=" + mac(make.other_key, plain).hex()
    yield make("with the prefix", {NAME: good}, plain)
    yield make("rotation: the first value is of the old secret", {NAME: [other, good]}, plain)
    yield make("rotation: the last value is of the old secret", {NAME: [good, other]}, plain)
    yield make("one bit of a signature with the prefix", {NAME: HEX.flipped(good)}, plain,
               why="another digest")
    yield make("two values, both wrong", {NAME: [other, HEX.flipped(good)]}, plain,
               why="none matches")
    yield make("prefix of SHA-1", {NAME: good.replace("sha256", "sha1")}, plain, why="wrong prefix")
    yield make("prefix alone", {NAME: "sha256="}, plain, why="no digest after the prefix")
