"""Discord: X-Signature-Ed25519, the hexadecimal signature of timestamp and body."""

from asymmetric import ed25519_key
from records import Form, Sender, bodies, by, compact, mac, seconds, signed, timed

EVENT = {
    "version": 1,
    "application_id": "1234560123453231555",
    "type": 1,
    "event": {"type": "APPLICATION_AUTHORIZED", "timestamp": "2026-09-21T14:13:19.000000",
              "data": {"integration_type": 1, "scopes": ["applications.commands"]}},
}
NAME, STAMP = "X-Signature-Ed25519", "X-Signature-Timestamp"


def records():
    key, public = ed25519_key("discord")
    other, _ = ed25519_key("standard_webhooks")
    make = Sender("discord", public.hex(), "hex_ed25519_public", tolerance=300,
                  names=by(kind="/event/type"))

    def sign(body, key=key, at=seconds(), shown=None):
        return {STAMP: shown or at, NAME: key.sign(at.encode() + body).hex()}

    form = Form("hex", 64)
    yield from signed(make, sign, bodies(EVENT), NAME, form, keys=(key, other))
    plain = compact(EVENT)
    yield from timed(make, sign, plain, seconds, 300, header=STAMP)
    ping = b'{"version":1,"application_id":"1234560123453231555","type":0}'
    yield make("ping", sign(ping), ping)
    yield make("two keys at the receiver, signed with the second", sign(plain), plain,
               secrets=[ed25519_key("standard_webhooks")[1].hex(), public.hex()])
    hmac = mac(public, seconds().encode() + plain, "sha512").hex()
    for what, signature, why in [
        ("signature of zeros", "00" * 64, "another signature"),
        ("HMAC with the public key", hmac, "a public key is no secret"),
        ("signature of the bare body", key.sign(plain).hex(), "the time is not signed"),
    ]:
        yield make(what, {**sign(plain), NAME: signature}, plain, why=why)
