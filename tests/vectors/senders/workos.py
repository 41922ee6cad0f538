"""WorkOS: WorkOS-Signature, t=<milliseconds>, v1=<hex of the HMAC of t.body>."""

from records import HEX, Sender, bodies, by, compact, mac, millis, seconds, signed, timed

EVENT = {
    "id": "event_01VECTORS0001",
    "event": "dsync.user.created",
    "data": {"id": "directory_user_0001", "state": "active"},
    "created_at": "2026-09-21T14:13:19.000Z",
}
NAME = "WorkOS-Signature"


def records():
    make = Sender("workos", "workos-webhook-secret-vectors-01", tolerance=180,
                  names=by(kind="/event", id="/id"))

    def digest(body, key=make.key, at=millis()):
        return mac(key, f"{at}.".encode() + body).hex()

    def sign(body, key=make.key, at=millis(), shown=None):
        return {NAME: f"t={shown or at}, v1={digest(body, key, at)}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), NAME, HEX, "v1=")
    yield from timed(make, sign, plain, millis, 180)
    yield make("no space behind the comma", {NAME: f"t={millis()},v1={digest(plain)}"}, plain)
    yield make("no time", {NAME: f"v1={digest(plain)}"}, plain, why="no timestamp")
    yield make("seconds", sign(plain, at=seconds()), plain, why="stale in milliseconds")
