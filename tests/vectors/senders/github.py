"""GitHub: X-Hub-Signature-256, sha256=<hex of the HMAC of the body>."""

from records import HEX, HEX_SHA1, Sender, bare, bodies, by, compact, mac

EVENT = {
    "action": "opened",
    "issue": {"id": 1, "number": 1347, "title": "A vector"},
    "repository": {"id": 35129377, "full_name": "example/vectors"},
}
FORM = b"payload=%7B%22action%22%3A%22opened%22%2C%22n%22%3A1%7D"


def records():
    headers = {
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-000000000001",
        "X-GitHub-Hook-ID": "292430182",
    }
    names = by(kind="X-GitHub-Event", id="X-GitHub-Delivery")
    make = Sender("github", "gh-hook-secret-for-vectors-01", names=names, headers=headers)
    name = "X-Hub-Signature-256"
    yield from bare(make, name, bodies(EVENT), HEX, "sha256=")

    def sign(body):
        return "sha256=" + mac(make.key, body).hex()

    plain = compact(EVENT)
    form = {name: sign(FORM), "Content-Type": "application/x-www-form-urlencoded"}
    yield make("form encoding, signed as sent", form, FORM)
    yield make("100,000 bytes", {name: sign(b"a" * 100_000)}, ("a", 100_000))
    yield make("header name in lower case", {name.lower(): sign(plain)}, plain)
    yield make("the same header twice", {name: [sign(plain), sign(plain)]}, plain)

    decoded = b'{"action":"opened","n":1}'
    yield make("form encoding, the decoded JSON signed", {**form, name: sign(decoded)}, FORM,
               why="the form is signed as it was sent")
    yield make("prefix of SHA-1", {name: sign(plain).replace("sha256", "sha1")}, plain,
               why="wrong prefix")
    sha1 = "sha1=" + mac(make.key, plain, "sha1").hex()
    yield make("legacy header alone", {"X-Hub-Signature": sha1}, plain,
               why="SHA-1 is only for those who ask for it")
    yield from legacy(names, headers)


def legacy(names, headers):
    """The old X-Hub-Signature with SHA-1, at a receiver that asked for it."""
    make = Sender("github", "gh-hook-secret-for-vectors-01", names=names, headers=headers,
                  label="SHA-1: ", scheme="github-sha1")
    name = "X-Hub-Signature"
    yield from bare(make, name, bodies(EVENT), HEX_SHA1, "sha1=", name_of_hash="sha1")
    sha256 = {"X-Hub-Signature-256": "sha256=" + mac(make.key, compact(EVENT)).hex()}
    yield make("newer header alone", sha256, compact(EVENT), why="this receiver reads the old one")
