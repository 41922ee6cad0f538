"""Typeform: Typeform-Signature, sha256=<base64 of the HMAC of the body>."""

from records import BASE64, Sender, bare, bodies, by

EVENT = {
    "event_id": "01VECTORS0001",
    "event_type": "form_response",
    "form_response": {"form_id": "lT4Z3j", "token": "a3a12ec67a1365927098a606107fac15"},
}


def records():
    make = Sender("typeform", "typeform-webhook-secret-0001",
                  names=by(kind="/event_type", id="/event_id"))
    yield from bare(make, "Typeform-Signature", bodies(EVENT), BASE64, "sha256=")
