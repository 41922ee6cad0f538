"""Calendly: Calendly-Webhook-Signature, t=<seconds>,v1=<hex of the HMAC of t.body>."""

from records import HEX, NOW, Sender, bodies, by, compact, mac, millis, seconds, signed, timed

EVENT = {
    "event": "invitee.created",
    "created_at": "2026-09-21T14:13:19.000000Z",
    "payload": {"uri": "https://api.calendly.com/scheduled_events/EV1/invitees/IN1", "name": "Ada"},
}
NAME = "Calendly-Webhook-Signature"


def records():
    make = Sender("calendly", "calendly-signing-key-vectors-01", tolerance=180,
                  names=by(kind="/event"))

    def digest(body, key=make.key, at=seconds()):
        return mac(key, f"{at}.".encode() + body).hex()

    def sign(body, key=make.key, at=seconds(), shown=None):
        return {NAME: f"t={shown or at},v1={digest(body, key, at)}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), NAME, HEX, "v1=")
    yield from timed(make, sign, plain, seconds, 180)
    good, other = digest(plain), digest(plain, make.other_key)
    yield make("rotation: the first v1 is of the old key", {NAME: f"t={NOW},v1={other},v1={good}"},
               plain)
    yield make("rotation: the last v1 is of the old key", {NAME: f"t={NOW},v1={good},v1={other}"},
               plain)
    yield make("no time", {NAME: f"v1={good}"}, plain, why="no timestamp")
    yield make("milliseconds", sign(plain, at=millis()), plain, why="from the future")
