"""Slack: X-Slack-Signature, v0=<hex of the HMAC of v0:timestamp:body>."""

from records import (
    HEX, NOW, Sender, bodies, by, changed_bodies, compact, mac, seconds, signed, timed,
)

EVENT = {
    "type": "event_callback",
    "team_id": "T0001",
    "event_id": "Ev0VECTORS001",
    "event": {"type": "app_mention", "user": "U0001", "text": "hello", "ts": "1789999999.000100"},
}
FORM = b"command=%2Fdeploy&text=a+b%26c&team_id=T0001"


def records():
    make = Sender("slack", "slack-signing-secret-vectors-001", tolerance=300,
                  names=by(kind="/event/type", id="/event_id"))

    def sign(body, key=make.key, at=seconds(), shown=None, version="v0"):
        digest = mac(key, f"{version}:{at}:".encode() + body).hex()
        return {"X-Slack-Request-Timestamp": shown or at, "X-Slack-Signature": f"v0={digest}"}

    plain = compact(EVENT)
    yield from signed(make, sign, bodies(EVENT), "X-Slack-Signature", HEX, "v0=")
    yield from timed(make, sign, plain, seconds, 300, header="X-Slack-Request-Timestamp")

    challenge = b'{"type":"url_verification","token":"vectors","challenge":"3eZbrw1aBm2rZgRNFdxV"}'
    yield make("url_verification", sign(challenge), challenge)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    yield make("form encoding", {**form, **sign(FORM)}, FORM)
    for what, body in changed_bodies(FORM):
        yield make(f"form encoding: {what}", {**form, **sign(FORM)}, body,
                   why="the body is not the one signed")
    yield make("form decoded and encoded again", sign(FORM), FORM.replace(b"+", b"%20"),
               why="the same form in other bytes")
    yield make("a fraction of a second", sign(plain, at=f"{NOW}.5"), plain, why="not whole seconds")
    yield make("hexadecimal time", sign(plain, at=hex(NOW)), plain, why="not whole seconds")
    yield make("v1 in the signed text", sign(plain, version="v1"), plain, why="another signed text")
    bare = {**sign(plain), "X-Slack-Signature": "v0=" + mac(make.key, plain).hex()}
    yield make("signature of the bare body", bare, plain, why="the time is not signed")
