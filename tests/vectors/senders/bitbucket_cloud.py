"""Bitbucket Cloud: X-Hub-Signature, sha256=<hex of the HMAC of the body>."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "actor": {"display_name": "Ada", "type": "user"},
    "repository": {"full_name": "example/vectors", "type": "repository"},
    "push": {"changes": [{"new": {"name": "main", "type": "branch"}, "truncated": False}]},
}


def records():
    make = Sender("bitbucket-cloud", "bitbucket-hook-secret-0001",
                  names=by(kind="X-Event-Key", id="X-Request-UUID"),
                  headers={
                      "X-Event-Key": "repo:push",
                      "X-Request-UUID": "7c2d1f0e-5a1b-4f11-9d53-000000000001",
                      "X-Hook-UUID": "0d9e7c1a-1111-4222-8333-000000000002",
                      "X-Attempt-Number": "1",
                  })
    yield from bare(make, "X-Hub-Signature", bodies(EVENT), HEX, "sha256=")
