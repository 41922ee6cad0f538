"""Jira: X-Hub-Signature, sha256=<hex of the HMAC of the body>."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "timestamp": 1789999999000,
    "webhookEvent": "jira:issue_updated",
    "issue": {"id": "10002", "key": "VEC-1", "fields": {"summary": "A vector"}},
}


def records():
    make = Sender("jira", "jira-webhook-secret-0001",
                  names=by(kind="/webhookEvent", id="X-Atlassian-Webhook-Identifier"),
                  headers={"X-Atlassian-Webhook-Identifier": "jira-vectors-0001"})
    yield from bare(make, "X-Hub-Signature", bodies(EVENT), HEX, "sha256=")
