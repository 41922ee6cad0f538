"""Bitbucket Data Center: the scheme of Bitbucket Cloud; the request's id is in X-Request-Id."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "eventKey": "repo:refs_changed",
    "date": "2026-09-21T14:13:20+0000",
    "actor": {"name": "ada", "id": 1, "active": True},
    "changes": [{"refId": "refs/heads/main", "type": "UPDATE"}],
}


def records():
    make = Sender("bitbucket-server", "bitbucket-server-secret-0001",
                  names=by(kind="X-Event-Key", id="X-Request-Id"),
                  headers={
                      "X-Event-Key": "repo:refs_changed",
                      "X-Request-Id": "7c2d1f0e-5a1b-4f11-9d53-000000000003",
                  })
    yield from bare(make, "X-Hub-Signature", bodies(EVENT), HEX, "sha256=")
