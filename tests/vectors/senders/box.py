"""Box: BOX-SIGNATURE-PRIMARY and -SECONDARY, the base64 HMAC of body and timestamp, one per key."""

from records import BASE64, Sender, b64, bodies, by, compact, iso, mac, signed, timed

EVENT = {
    "type": "webhook_event",
    "id": "0f3e5a55-6c2a-4b3e-9c0e-000000000001",
    "created_at": "2026-09-21T07:13:19-07:00",
    "trigger": "FILE.UPLOADED",
    "webhook": {"id": "1234567890", "type": "webhook"},
    "source": {"id": "11111", "type": "file", "name": "vectors.pdf"},
}
PRIMARY, SECONDARY = "BOX-SIGNATURE-PRIMARY", "BOX-SIGNATURE-SECONDARY"
STAMP = "BOX-DELIVERY-TIMESTAMP"


def records():
    make = Sender("box", "box-primary-key-for-vectors", tolerance=600,
                  names=by(kind="/trigger", id="/id"),
                  headers={"BOX-DELIVERY-ID": "f96bb54b-ee16-4fc5-aa65-000000000001",
                           "BOX-SIGNATURE-VERSION": "1",
                           "BOX-SIGNATURE-ALGORITHM": "HmacSHA256"})

    def digest(body, key, at=iso()):
        return b64(mac(key, body + at.encode()))

    def sign(body, key=make.key, at=iso(), shown=None):
        return {STAMP: shown or at, PRIMARY: digest(body, key, at)}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), PRIMARY, BASE64)
    # Box's own library refuses every time that is ahead, so no record says that one is taken.
    yield from timed(make, sign, plain, iso, 600, future=0, header=STAMP)

    second = "box-secondary-key-vectors"
    both = {PRIMARY: digest(plain, make.key), SECONDARY: digest(plain, second.encode())}
    both |= {STAMP: iso()}
    foreign = digest(plain, make.other_key)
    yield make("both keys", both, plain, secrets=[make.secret, second])
    yield make("primary key changed at the sender", {**both, PRIMARY: foreign}, plain,
               secrets=[make.secret, second])
    yield make("secondary key changed at the sender", {**both, SECONDARY: foreign}, plain,
               secrets=[make.secret, second])
    yield make("both signatures of foreign keys", {**both, PRIMARY: foreign, SECONDARY: foreign},
               plain, why="none matches", secrets=[make.secret, second])
    pacific = "2026-09-21T07:13:20-07:00"
    yield make("time of another zone", sign(plain, at=pacific), plain)
    yield make("the same instant in another zone than was signed",
               sign(plain, at=pacific, shown=iso()), plain, why="the time is signed as written")
    yield make("signature version 2", {**sign(plain), "BOX-SIGNATURE-VERSION": "2"}, plain,
               why="only version 1 is known")
    yield make("algorithm HmacSHA1", {**sign(plain), "BOX-SIGNATURE-ALGORITHM": "HmacSHA1"}, plain,
               why="only HmacSHA256 is known")
    turned = {STAMP: iso(), PRIMARY: b64(mac(make.key, iso().encode() + plain))}
    yield make("time before the body", turned, plain, why="the body comes first")
