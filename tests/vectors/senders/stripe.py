"""Stripe: Stripe-Signature, t=<seconds>,v1=<hex of the HMAC of t.body>[,v1=...]."""

import base64

from records import HEX, NOW, Sender, bodies, by, compact, mac, millis, seconds, signed, timed

EVENT = {
    "id": "evt_vectors0001",
    "object": "event",
    "type": "invoice.paid",
    "data": {"object": {"id": "in_0001", "amount_paid": 4200, "currency": "eur"}},
}
NAME = "Stripe-Signature"


def records():
    make = Sender("stripe", "whsec_vectors_are_used_verbatim_01", tolerance=300,
                  names=by(kind="/type", id="/id"))

    def digest(body, key=make.key, at=seconds()):
        return mac(key, f"{at}.".encode() + body).hex()

    def sign(body, key=make.key, at=seconds(), shown=None):
        return {NAME: f"t={shown or at},v1={digest(body, key, at)}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), NAME, HEX, "v1=")
    yield from timed(make, sign, plain, seconds, 300)

    good, other = digest(plain), digest(plain, make.other_key)
    for what, value in [
        ("rotation: the first v1 is of the old secret", f"t={NOW},v1={other},v1={good}"),
        ("rotation: the last v1 is of the old secret", f"t={NOW},v1={good},v1={other}"),
        ("v0 beside v1", f"t={NOW},v1={good},v0={other}"),
        ("a tag nobody knows", f"t={NOW},v7=abc,v1={good}"),
        ("an undecodable v1 beside a good one", f"t={NOW},v1=none,v1={good}"),
    ]:
        yield make(what, {NAME: value}, plain)
    bare = mac(make.key, plain).hex()
    for what, value, why in [
        ("two v1, both wrong", f"t={NOW},v1={other},v1={other}", "none matches"),
        ("the good digest as v0 only", f"t={NOW},v0={good}", "no v1"),
        ("tag in capitals", f"t={NOW},V1={good}", "no v1"),
        ("no time", f"v1={good}", "no timestamp"),
        ("two times that differ", f"t={NOW},t={NOW - 1},v1={good}", "two answers to one question"),
        ("signature of the bare body", f"t={NOW},v1={bare}", "the time is not signed"),
        ("separators alone", ",=,=,", "nothing to read"),
    ]:
        yield make(what, {NAME: value}, plain, why=why)
    for what, at, why in [
        ("milliseconds", millis(), "from the future"),
        ("below zero", f"-{NOW}", "no time at all, or stale"),
        ("a time that fits no integer", str(10**30), "timestamp out of range"),
    ]:
        yield make(what, sign(plain, at=at), plain, why=why)
    decoded = base64.urlsafe_b64decode(make.key.removeprefix(b"whsec_") + b"====")
    yield make("secret decoded", sign(plain, decoded), plain, why="the secret is used as it stands")
