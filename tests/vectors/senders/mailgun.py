"""Mailgun: the signature is in the body: the hexadecimal HMAC of timestamp and token.

Nothing else is covered. JSON has an object `signature`, a form has three fields.
"""

from urllib.parse import parse_qs, urlencode

from records import (
    HEX, NOT_UTF8, NOTE, Sender, again, compact, escaped, look, mac, millis, seconds, spaced,
)

TOKEN = "7VwW7k6Ak7zcTwoSoNm7aTtbk1g67MKAnsvectors000000001"
DATA = {"event": "delivered", "id": "CPgfbmQMTCKtHW6uvectors", "recipient": "ada@example.com"}
MAIL = {"recipient": "in@example.com", "sender": "ada@example.com", "subject": "hello there"}
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def names(headers, body):
    if headers["Content-Type"] == JSON["Content-Type"]:
        kind, ident = (look(at, headers, body) for at in ("/event-data/event", "/signature/token"))
    else:
        fields = parse_qs(body.decode())
        kind, ident = (fields.get(name, [None])[0] for name in ("event", "token"))
    return ({"kind": kind} if kind else {}) | {"id": ident, "id_signed": True}


def records():
    make = Sender("mailgun", "mailgun-http-signing-key-01", tolerance=300, names=names)

    def fields(key=make.key, at=seconds(), shown=None, token=TOKEN):
        return {"timestamp": shown or at, "token": token,
                "signature": mac(key, f"{at}{token}".encode()).hex()}

    def of_json(what, proof, why="", data=DATA, **options):
        body = compact({"signature": proof, "event-data": data})
        return make(f"JSON: {what}", JSON, body, why=why, **options)

    def of_form(what, proof, why="", data=MAIL, **options):
        body = urlencode({**data, **proof}).encode()
        return make(f"form: {what}", FORM, body, why=why, **options)

    noted = compact({"signature": fields(), "event-data": {**DATA, "note": NOTE}})
    event = {"signature": fields(), "event-data": DATA}
    yield make("JSON: emoji as escapes", JSON, escaped(noted))
    yield make("JSON: emoji and accents", JSON, noted)
    yield make("JSON: spaces, escapes and line ends", JSON, spaced(event))
    yield make("JSON: written again", JSON, again(compact(event)))
    yield of_form("a stored message with an event", fields(), data={**MAIL, "event": "stored"})
    yield of_form("emoji and accents", fields(), data={**MAIL, "subject": NOTE})
    raw = urlencode(fields()).encode() + b"&body-plain=%FF%FE"
    yield make("form: bytes that are not UTF-8 in another field", FORM, raw)

    for of, other in [(of_json, {"event": "opened"}), (of_form, {"subject": "other"})]:
        proof = fields()
        yield of("usual", proof)
        yield of("another payload, which is not signed", proof, data=other)
        yield of("two secrets at the receiver, signed with the second", proof,
                 secrets=[make.former_secret, make.secret])
        yield of("300 s old", fields(at=seconds(-300)))
        yield of("300 s ahead", fields(at=seconds(300)))
        for what, changed, why in [
            ("301 s old", fields(at=seconds(-301)), "stale"),
            ("a year old", fields(at=seconds(-31_536_000)), "stale"),
            ("301 s ahead", fields(at=seconds(301)), "from the future"),
            ("milliseconds", fields(at=millis()), "from the future"),
            ("a word for the time", fields(at="soon"), "no timestamp"),
            ("empty time", fields(at=""), "no timestamp"),
            ("renewed time, old signature", fields(shown=seconds(1)), "the time is signed"),
            ("a digit of the token moved to the time",
             {**fields(token="5" + TOKEN), "timestamp": seconds() + "5", "token": TOKEN},
             "from the future"),
            ("another token", {**proof, "token": TOKEN[:-1] + "2"}, "the token is signed"),
            ("wrong secret", fields(make.other_key), "signed with another secret"),
            ("one bit of the signature",
             {**proof, "signature": HEX.flipped(proof["signature"])}, "another digest"),
            ("empty signature", {**proof, "signature": ""}, "no signature"),
            *[(what, {**proof, "signature": value}, why)
              for what, value, why in HEX.malformed(proof["signature"]) if value],
            *[(f"no {name}", {key: proof[key] for key in proof if key != name}, f"no {name}")
              for name in proof],
        ]:
            yield of(what, changed, why=why)
    yield of_json("null for the signature", None, why="no signature")
    yield of_json("a text for the signature", fields()["signature"], why="no signature")
    twice = urlencode({**MAIL, **fields()}) + "&token=other"
    yield make("form: two tokens", FORM, twice.encode(), why="two answers to one question")
    yield make("no JSON", JSON, NOT_UTF8, why="no signature")
    yield make("body missing", JSON, b"", why="no signature")
