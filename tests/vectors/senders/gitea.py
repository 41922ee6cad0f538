"""Gitea: X-Gitea-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "ref": "refs/heads/main",
    "before": "28e1879d029cb852e4844d9c718537df08844e03",
    "repository": {"id": 140, "full_name": "example/vectors"},
}


def records():
    make = Sender("gitea", "gitea-hook-secret-0001",
                  names=by(kind="X-Gitea-Event", id="X-Gitea-Delivery"),
                  headers={
                      "X-Gitea-Event": "push",
                      "X-Gitea-Delivery": "f6266f16-1bf3-46a5-9ea4-000000000001",
                  })
    yield from bare(make, "X-Gitea-Signature", bodies(EVENT), HEX)
