"""Gogs: X-Gogs-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "ref": "refs/heads/main",
    "after": "bffeb74224043ba2feb48d137756c8a9331c449a",
    "repository": {"id": 140, "full_name": "example/vectors"},
}


def records():
    make = Sender("gogs", "gogs-hook-secret-00001",
                  names=by(kind="X-Gogs-Event", id="X-Gogs-Delivery"),
                  headers={
                      "X-Gogs-Event": "push",
                      "X-Gogs-Delivery": "f6266f16-1bf3-46a5-9ea4-000000000002",
                  })
    yield from bare(make, "X-Gogs-Signature", bodies(EVENT), HEX)
