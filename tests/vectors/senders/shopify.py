"""Shopify: X-Shopify-Hmac-Sha256, the base64 HMAC of the body."""

from records import BASE64, Sender, b64, bare, bodies, by, compact, mac

EVENT = {
    "id": 820982911946154508,
    "email": "vectors@example.com",
    "total_price": "403.00",
    "currency": "USD",
}
URL_ALPHABET = str.maketrans("+/", "-_")


def records():
    headers = {
        "X-Shopify-Topic": "orders/paid",
        "X-Shopify-Webhook-Id": "b54557e4-bdd9-4b37-8a5f-000000000001",
        "X-Shopify-Event-Id": "98880550-7158-44d4-b7cd-000000000002",
        "X-Shopify-Shop-Domain": "vectors.myshopify.com",
    }
    make = Sender("shopify", "shopify-app-client-secret-01", headers=headers,
                  names=by(kind="X-Shopify-Topic", id="X-Shopify-Webhook-Id"))
    name = "X-Shopify-Hmac-Sha256"
    yield from bare(make, name, bodies(EVENT), BASE64)

    def sign(body):
        return b64(mac(make.key, body))

    body = next(body for body in (b'{"n":%d}' % n for n in range(100)) if "+" in sign(body))
    yield make("base64 of the URL alphabet", {name: sign(body).translate(URL_ALPHABET)}, body,
               why="not base64")
    plain = compact(EVENT)
    yield make("prefixed", {name: "sha256=" + sign(plain)}, plain,
               why="this header has no prefix")
    unbranded = {"Shopify-Topic": "orders/paid", "Shopify-Webhook-Id": "wh-0002"}
    event_style = Sender("shopify", make.secret, headers=unbranded,
                         names=by(kind="Shopify-Topic", id="Shopify-Webhook-Id"))
    yield event_style("header names of the newer event style",
                      {"shopify-hmac-sha256": sign(plain)}, plain)
