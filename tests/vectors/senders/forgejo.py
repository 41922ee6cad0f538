"""Forgejo: X-Forgejo-Signature, the hexadecimal HMAC of the body; X-Gitea-Signature is the same."""

from records import HEX, Sender, bodies, by, compact, mac, signed

EVENT = {
    "action": "opened",
    "number": 7,
    "issue": {"id": 26, "title": "A vector"},
    "repository": {"id": 1, "full_name": "example/vectors"},
}
NAME, GITEA = "X-Forgejo-Signature", "X-Gitea-Signature"


def records():
    sent = {}
    for product in ["Forgejo", "Gitea", "Gogs", "GitHub"]:
        sent[f"X-{product}-Event"] = "issues"
        sent[f"X-{product}-Delivery"] = "f6266f16-1bf3-46a5-9ea4-000000000003"
    make = Sender("forgejo", "forgejo-hook-secret-0001", headers=sent,
                  names=by(kind="X-Forgejo-Event", id="X-Forgejo-Delivery"))

    def sign(body, key):
        return {NAME: mac(key, body).hex()}

    yield from signed(make, sign, bodies(EVENT), NAME, HEX)
    plain = compact(EVENT)
    good, other = sign(plain, make.key)[NAME], sign(plain, make.other_key)[NAME]
    yield make("both headers, as it sends them", {NAME: good, GITEA: good}, plain)
    yield make("both headers, both wrong", {NAME: other, GITEA: other}, plain, why="another digest")
    yield make("wrong signature beside a good one of Gitea", {NAME: other, GITEA: good}, plain,
               why="its own header is the one that counts")
