"""Asana: X-Hook-Signature, the hexadecimal HMAC of the body. Events come in batches without ids."""

from records import HEX, Sender, bare, bodies, by, mac

EVENT = {
    "events": [
        {"action": "changed", "created_at": "2026-09-21T14:13:19.000Z",
         "resource": {"gid": "1201", "resource_type": "task"}},
        {"action": "added", "created_at": "2026-09-21T14:13:19.000Z",
         "resource": {"gid": "1202", "resource_type": "story"}},
    ],
}


def records():
    make = Sender("asana", "asana-x-hook-secret-0001", names=by(kind="/events/0/action"))
    yield from bare(make, "X-Hook-Signature", bodies(EVENT), HEX)
    heartbeat = b'{"events":[]}'
    digest = mac(make.key, heartbeat).hex()
    yield make("heartbeat without events", {"X-Hook-Signature": digest}, heartbeat)
