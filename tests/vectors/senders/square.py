"""Square: x-square-hmacsha256-signature, the base64 HMAC of the notification URL and the body."""

from records import BASE64, Sender, b64, bodies, by, compact, mac, signed

EVENT = {
    "merchant_id": "MLVECTORS0001",
    "type": "payment.updated",
    "event_id": "13b867cf-db3d-4b1c-90b6-000000000001",
    "created_at": "2026-09-21T14:13:19.000Z",
    "data": {"type": "payment", "id": "KkAkhdMsgzn59SM8A89WgKwekxLZY"},
}
URL = "https://hooks.example.com/square"
NAME = "x-square-hmacsha256-signature"


def records():
    make = Sender("square", "square-signature-key-0001", url=URL,
                  names=by(kind="/type", id="/event_id"))

    def sign(body, key=make.key, url=URL):
        return {NAME: b64(mac(key, url.encode() + body))}

    yield from signed(make, sign, bodies(EVENT), NAME, BASE64)
    plain = compact(EVENT)
    for what, url in [
        ("another URL", "https://hooks.example.com/square2"),
        ("URL with a slash at its end", URL + "/"),
        ("URL without TLS", URL.replace("https", "http")),
    ]:
        yield make(what, sign(plain, url=url), plain, why="the URL is signed")
    yield make("the path of the request instead of the URL", sign(plain, url="/hooks"), plain,
               why="the URL is signed")
    yield make("signature of the bare body", {NAME: b64(mac(make.key, plain))}, plain,
               why="the URL is signed")
