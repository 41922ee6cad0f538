"""GitLab with a signing token: Standard Webhooks; the event type is an unsigned header."""

from records import by
from senders.standard_webhooks import family

EVENT = {
    "object_kind": "push",
    "event_name": "push",
    "ref": "refs/heads/main",
    "project": {"id": 15, "path_with_namespace": "example/vectors"},
}


def records():
    headers = {"X-Gitlab-Event": "Push Hook", "Idempotency-Key": "msg_vectors0001"}
    names = by(kind="X-Gitlab-Event", id="webhook-id", signed=True)
    return family("gitlab", "webhook", EVENT, names=names, headers=headers)
