"""Adyen, standard notifications: every item of the body has additionalData.hmacSignature.

It is the base64 HMAC of eight fields with colons between; the key is hexadecimal.
"""

import copy

from records import BASE64, NOTE, Sender, again, b64, by, compact, escaped, mac, spaced

SECRET = "9F3A7C5512D84E60B1A2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718"
ITEM = {
    "additionalData": {"expiryDate": "12/2030"},
    "amount": {"currency": "EUR", "value": 1130},
    "eventCode": "AUTHORISATION",
    "eventDate": "2026-09-21T14:13:19+02:00",
    "merchantAccountCode": "VectorsECOM",
    "merchantReference": "order-0001",
    "originalReference": "",
    "paymentMethod": "visa",
    "pspReference": "7914073381342284",
    "reason": "033899:1111:03/2030",
    "success": "true",
}
CAPTURE = {**ITEM, "eventCode": "CAPTURE", "pspReference": "8515131751004933",
           "originalReference": "7914073381342284"}


def text(item):
    amount = item["amount"]
    return ":".join([
        item["pspReference"], item.get("originalReference", ""), item["merchantAccountCode"],
        item["merchantReference"], str(amount["value"]), amount["currency"], item["eventCode"],
        item["success"],
    ]).encode()


def sign(item, key):
    item = copy.deepcopy(item)
    item["additionalData"]["hmacSignature"] = b64(mac(key, text(item)))
    return item


def batch(*items):
    return {"live": "false",
            "notificationItems": [{"NotificationRequestItem": item} for item in items]}


def records():
    first = "/notificationItems/0/NotificationRequestItem"
    sender = Sender("adyen", SECRET, "hex", names=by(kind=f"{first}/eventCode"))
    key = sender.key

    def make(what, *items, why="", **options):
        return sender(what, {}, compact(batch(*items)), why=why, **options)

    def edited(item=ITEM, **changes):
        return sign({**item, **changes}, key)

    good, other = sign(ITEM, key), sign(CAPTURE, key)
    yield make("one item", good)
    yield make("two items", good, other)
    yield make("a modification with an original reference", other)
    yield make("no original reference",
               sign({name: ITEM[name] for name in ITEM if name != "originalReference"}, key))
    yield make("colon in the reference", edited(merchantReference="order:0001"))
    yield make("backslash in the reference", edited(merchantReference="order\\:0001\\"))
    noted = edited(merchantReference=NOTE)
    yield make("emoji and accents", noted)
    yield sender("emoji as escapes", {}, escaped(compact(batch(noted))))
    yield sender("the same JSON, written again", {}, again(compact(batch(good))))
    yield sender("JSON with spaces, escapes and line ends", {}, spaced(batch(good, other)))
    yield make("another payment method, which is not signed", {**good, "paymentMethod": "mc"})
    yield make("two secrets at the receiver, signed with the second", good,
               secrets=[sender.former_secret, SECRET])

    for name, value in [
        ("pspReference", "7914073381342285"),
        ("originalReference", "7914073381342285"),
        ("merchantAccountCode", "OtherECOM"),
        ("merchantReference", "order-0002"),
        ("amount", {"currency": "EUR", "value": 1131}),
        ("eventCode", "REFUND"),
        ("success", "false"),
    ]:
        yield make(f"another {name}", {**good, name: value}, why="the field is signed")
    yield make("another currency", {**good, "amount": {"currency": "USD", "value": 1130}},
               why="the field is signed")
    for name in ["pspReference", "merchantAccountCode", "merchantReference", "amount", "eventCode",
                 "success"]:
        yield make(f"no {name}", {field: good[field] for field in good if field != name},
                   why="the field is signed")
    wrong = sign(ITEM, sender.other_key)
    yield make("wrong secret", wrong, why="signed with another secret")
    yield make("first of two items wrong", wrong, other, why="every item has to be signed")
    yield make("last of two items wrong", other, wrong, why="every item has to be signed")
    yield make("last of two items without a signature", other, ITEM,
               why="every item has to be signed")
    yield make("secret used as it stands", sign(ITEM, SECRET.encode()),
               why="the secret is hexadecimal")

    def put(value):
        return {**good, "additionalData": {"hmacSignature": value}}

    value = good["additionalData"]["hmacSignature"]
    yield make("one bit of the signature", put(BASE64.flipped(value)), why="another digest")
    yield make("empty signature", put(""), why="no signature")
    yield make("null for the signature", put(None), why="no signature")
    for what, changed, why in BASE64.malformed(value):
        if changed:
            yield make(what, put(changed), why=why)
    yield make("no signature", ITEM, why="no signature")
    bare = {name: good[name] for name in good if name != "additionalData"}
    yield make("no additional data", bare, why="no signature")
    yield sender("signature in a header", {"HmacSignature": value}, compact(batch(ITEM)),
                 why="no signature in the body")
    twice = compact(batch(good)).replace(b'"eventCode"', b'"eventCode":"REFUND","eventCode"')
    yield sender("two event codes, the last is signed", {}, twice,
                 why="two answers to one question")
    yield make("no items", why="nothing is signed")
    for what, body in [
        ("no list of items", b'{"live":"false"}'),
        ("an item without its wrapper", compact({"notificationItems": [good]})),
        ("no JSON", b"live=false"),
        ("truncated JSON", compact(batch(good))[:-1]),
        ("body missing", b""),
    ]:
        yield sender(what, {}, body, why="nothing is signed")
