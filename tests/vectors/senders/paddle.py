"""Paddle Billing: Paddle-Signature, ts=<seconds>;h1=<hex of the HMAC of ts:body>[;h1=...]."""

from records import HEX, NOW, Sender, bodies, by, compact, mac, millis, seconds, signed, timed

EVENT = {
    "event_id": "evt_01vectors0001",
    "event_type": "transaction.completed",
    "occurred_at": "2026-09-21T14:13:19.000Z",
    "notification_id": "ntf_01vectors0002",
    "data": {"id": "txn_01vectors0003", "status": "completed"},
}
NAME = "Paddle-Signature"


def records():
    make = Sender("paddle", "pdl_ntfset_01vectors_used_verbatim", tolerance=300,
                  names=by(kind="/event_type", id="/event_id"))

    def digest(body, key=make.key, at=seconds()):
        return mac(key, f"{at}:".encode() + body).hex()

    def sign(body, key=make.key, at=seconds(), shown=None):
        return {NAME: f"ts={shown or at};h1={digest(body, key, at)}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), NAME, HEX, "h1=")
    yield from timed(make, sign, plain, seconds, 300)
    good, other = digest(plain), digest(plain, make.other_key)
    yield make("rotation: the first h1 is of the old secret",
               {NAME: f"ts={NOW};h1={other};h1={good}"}, plain)
    yield make("rotation: the last h1 is of the old secret",
               {NAME: f"ts={NOW};h1={good};h1={other}"}, plain)
    dot = mac(make.key, f"{NOW}.".encode() + plain).hex()
    for what, value, why in [
        ("two h1, both wrong", f"ts={NOW};h1={other};h1={other}", "none matches"),
        ("no time", f"h1={good}", "no timestamp"),
        ("commas for the semicolons", f"ts={NOW},h1={good}", "nothing to read"),
        ("a dot for the colon in the signed text", f"ts={NOW};h1={dot}", "another signed text"),
        ("two times that differ", f"ts={NOW};ts={NOW - 1};h1={good}",
         "two answers to one question"),
    ]:
        yield make(what, {NAME: value}, plain, why=why)
    yield make("milliseconds", sign(plain, at=millis()), plain, why="from the future")
