"""Twitch EventSub: Twitch-Eventsub-Message-Signature, sha256=<hex of an HMAC>.

Signed are id, time and body, without anything between them.
"""

from records import HEX, Sender, bodies, by, compact, iso_nanos, mac, signed, timed

EVENT = {
    "subscription": {"id": "f1c2a387-161a-49f9-a165-000000000001", "type": "channel.follow",
                     "version": "2", "status": "enabled"},
    "event": {"user_id": "1234", "user_login": "ada", "broadcaster_user_id": "1337"},
}
IDENT = "e76c6bd4-55c9-4987-8304-000000000001"
PREFIX = "Twitch-Eventsub-Message"


def records():
    kind = "Twitch-Eventsub-Subscription-Type"
    make = Sender("twitch", "twitch-eventsub-secret-01", tolerance=600,
                  names=by(kind=kind, id=f"{PREFIX}-Id", signed=True),
                  headers={f"{PREFIX}-Type": "notification", f"{PREFIX}-Retry": "0",
                           kind: "channel.follow"})

    def sign(body, key=make.key, at=iso_nanos(), shown=None, ident=IDENT):
        digest = mac(key, f"{ident}{at}".encode() + body).hex()
        return {f"{PREFIX}-Id": IDENT, f"{PREFIX}-Timestamp": shown or at,
                f"{PREFIX}-Signature": f"sha256={digest}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), f"{PREFIX}-Signature", HEX, "sha256=")
    yield from timed(make, sign, plain, iso_nanos, 600, header=f"{PREFIX}-Timestamp")
    yield make("seven digits of a second", sign(plain, at="2026-09-21T14:13:19.8091512Z"), plain)
    challenge = b'{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"id":"f1c2a387"}}'
    yield make("webhook_callback_verification",
               {**sign(challenge), f"{PREFIX}-Type": "webhook_callback_verification"}, challenge)
    yield make("another id", sign(plain, ident=IDENT[:-1] + "2"), plain, why="the id is signed")
    yield make("no id header", {**sign(plain), f"{PREFIX}-Id": None}, plain, why="no id")
    full, cut = "2026-09-21T14:13:19.809151234Z", "2026-09-21T14:13:19.809151Z"
    yield make("time cut to microseconds", sign(plain, at=full, shown=cut), plain,
               why="the time is signed as written")
