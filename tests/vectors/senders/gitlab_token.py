"""GitLab with the older secret token, sent as it is in X-Gitlab-Token."""

from records import Sender, bodies, by, token

EVENT = {
    "object_kind": "merge_request",
    "event_type": "merge_request",
    "project": {"id": 1, "path_with_namespace": "example/vectors"},
    "object_attributes": {"iid": 1, "action": "open", "title": "A vector"},
}


def records():
    make = Sender("gitlab-token", "gitlab-secret-token-01",
                  names=by(kind="X-Gitlab-Event", id="Idempotency-Key"),
                  headers={"X-Gitlab-Event": "Merge Request Hook",
                           "Idempotency-Key": "f5e5f430-f57b-4e6e-9fac-000000000001",
                           "X-Gitlab-Instance": "https://gitlab.example.com"})
    return token(make, "X-Gitlab-Token", bodies(EVENT))
