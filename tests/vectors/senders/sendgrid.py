"""SendGrid: X-Twilio-Email-Event-Webhook-Signature, base64 ECDSA (P-256, DER) of time and body."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from asymmetric import private_key, spki
from records import NOT_UTF8, NOTE, Form, Sender, b64, by, compact, seconds, signed, timed

EVENTS = [
    {"email": "vectors@example.com", "event": "delivered", "sg_event_id": "ZGVsaXZlcmVkLTAwMDE",
     "sg_message_id": "14c5d75ce93.dfd.64b469.0", "timestamp": 1789999998},
    {"email": "vectors@example.com", "event": "open", "sg_event_id": "b3Blbi0wMDAx",
     "sg_message_id": "14c5d75ce93.dfd.64b469.0", "timestamp": 1789999999},
]
NAME = "X-Twilio-Email-Event-Webhook-Signature"
STAMP = "X-Twilio-Email-Event-Webhook-Timestamp"
ALGORITHM = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)


def lines(events):
    """Every event ends with CR LF, which is signed."""
    return b"[" + b",\r\n".join(compact(event) for event in events) + b"]\r\n"


def records():
    key, other = private_key("sendgrid"), private_key("sendgrid_other")
    make = Sender("sendgrid", b64(spki(key)), "base64_der_spki_p256", tolerance=300,
                  names=by(kind="/0/event"))

    def sign(body, key=key, at=seconds(), shown=None):
        return {STAMP: shown or at, NAME: b64(key.sign(at.encode() + body, ALGORITHM))}

    noted = [{**EVENTS[0], "note": NOTE}, EVENTS[1]]
    bodies = {
        "two events with line ends": lines(EVENTS),
        "one event": lines(EVENTS[:1]),
        "compact JSON": compact(EVENTS),
        "emoji and accents": lines(noted),
        "bytes that are not UTF-8": NOT_UTF8,
    }
    plain = lines(EVENTS)
    form = Form("base64", len(key.sign(seconds().encode() + plain, ALGORITHM)))
    yield from signed(make, sign, bodies, NAME, form, keys=(key, other))
    yield from timed(make, sign, plain, seconds, 300, header=STAMP)
    yield make("two keys at the receiver, signed with the second", sign(plain), plain,
               secrets=[b64(spki(other)), make.secret])
    yield make("line ends trimmed", sign(plain), plain.strip(), why="the line ends are signed")
    yield make("line ends of Unix", sign(plain), plain.replace(b"\r\n", b"\n"),
               why="the line ends are signed")
    yield make("signature without its DER frame",
               {**sign(plain), NAME: b64(bytes(63) + b"\1")}, plain, why="not DER")
    bare = {**sign(plain), NAME: b64(key.sign(plain, ALGORITHM))}
    yield make("signature of the bare body", bare, plain, why="the time is not signed")
