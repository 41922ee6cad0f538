"""Trello: X-Trello-Webhook, the base64 HMAC-SHA-1 of the body and the callback URL."""

from records import BASE64_SHA1, Sender, b64, bodies, by, compact, mac, signed

EVENT = {
    "action": {"id": "5f1d9c7e0000000000000001", "type": "updateCard",
               "data": {"card": {"id": "5f1d9c7e0000000000000002", "name": "A vector"}}},
    "model": {"id": "5f1d9c7e0000000000000003", "name": "Vectors"},
}
URL = "https://hooks.example.com/trello"
NAME = "X-Trello-Webhook"


def records():
    make = Sender("trello", "trello-oauth-secret-vectors", url=URL,
                  names=by(kind="/action/type", id="/action/id"))

    def sign(body, key=make.key, url=URL):
        return {NAME: b64(mac(key, body + url.encode(), "sha1"))}

    yield from signed(make, sign, bodies(EVENT), NAME, BASE64_SHA1)
    plain = compact(EVENT)
    for what, url in [
        ("another URL", "https://hooks.example.com/trello2"),
        ("URL with a slash at its end", URL + "/"),
        ("no URL", ""),
    ]:
        yield make(what, sign(plain, url=url), plain, why="the URL is signed")
    turned = {NAME: b64(mac(make.key, URL.encode() + plain, "sha1"))}
    yield make("URL before the body", turned, plain, why="the body comes first")
    sha256 = {NAME: b64(mac(make.key, plain + URL.encode()))}
    yield make("SHA-256", sha256, plain, why="wrong length")
