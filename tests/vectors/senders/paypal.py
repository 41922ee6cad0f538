"""PayPal: PAYPAL-TRANSMISSION-SIG, base64 RSA-SHA-256 of id|time|webhook id|CRC-32 of the body."""

import zlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from asymmetric import certificate, private_key
from records import Form, Sender, b64, bodies, by, compact, iso, signed

EVENT = {
    "id": "WH-VECTORS0001-0001",
    "event_version": "1.0",
    "create_time": "2026-09-21T14:13:19.000Z",
    "resource_type": "capture",
    "event_type": "PAYMENT.CAPTURE.COMPLETED",
    "resource": {"id": "42311647XV020574X", "status": "COMPLETED"},
}
NAME, CERT = "PAYPAL-TRANSMISSION-SIG", "PAYPAL-CERT-URL"
IDENT, TIME = "PAYPAL-TRANSMISSION-ID", "PAYPAL-TRANSMISSION-TIME"
ALGO = "PAYPAL-AUTH-ALGO"
WEBHOOK = "1JE4291016473214C"
URL = "https://api.paypal.com/v1/notifications/certs/CERT-vectors-0001"
SANDBOX = "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-vectors-0002"
ANOTHER = "https://api.paypal.com/v1/notifications/certs/CERT-vectors-0003"
FOREIGN = {
    "host that starts like PayPal's": "https://api.paypal.com.example.net/cert.pem",
    "host that ends like PayPal's": "https://api.notpaypal.com/cert.pem",
    "host behind PayPal's as a user": "https://api.paypal.com@example.net/cert.pem",
    "host with PayPal's in the path": "https://example.net/api.paypal.com/cert.pem",
    "host of PayPal without TLS": "http://api.paypal.com/v1/notifications/certs/CERT-vectors-0001",
}


def records():
    key, other = private_key("paypal"), private_key("paypal_other")
    mine, foreign = certificate("paypal"), certificate("paypal_other")
    make = Sender("paypal", names=by(kind="/event_type", id="/id"), webhook_id=WEBHOOK,
                  certificates={URL: mine})

    def sign(body, key=key, url=URL, ident="69cd13f0-d67a-11e5-baa3-000000000001", at=iso(),
             webhook=WEBHOOK, crc=zlib.crc32, hashed=hashes.SHA256()):
        text = f"{ident}|{at}|{webhook}|{crc(body)}".encode()
        signature = key.sign(text, padding.PKCS1v15(), hashed)
        return {IDENT: ident, TIME: at, CERT: url, ALGO: "SHA256withRSA", NAME: b64(signature)}

    yield from signed(make, sign, bodies(EVENT), NAME, Form("base64", 256), keys=(key, other))
    plain = compact(EVENT)
    yield make("certificate of the sandbox", sign(plain, url=SANDBOX), plain,
               certificates={SANDBOX: mine})
    small = next(body for body in (b'{"n":%d}' % n for n in range(999)) if zlib.crc32(body) < 10**8)
    yield make("a checksum of few digits", sign(small), small)

    for what, url in FOREIGN.items():
        yield make(f"certificate on a {what}", sign(plain, other, url=url), plain,
                   why="not a certificate of PayPal", certificates={url: foreign})
    for what, header, value, why in [
        ("another transmission id", IDENT, "69cd13f0-d67a-11e5-baa3-000000000002", "it is signed"),
        ("another transmission time", TIME, iso(1), "it is signed"),
        ("no transmission id", IDENT, None, "it is signed"),
        ("no transmission time", TIME, None, "it is signed"),
        ("no certificate URL", CERT, None, "no key"),
        ("a certificate that is not there", CERT, URL + "9", "no key"),
        ("an algorithm nobody knows", ALGO, "SHA256withNONE", "only SHA256withRSA is known"),
        ("no algorithm", ALGO, None, "only SHA256withRSA is known"),
    ]:
        yield make(what, {**sign(plain), header: value}, plain, why=why)
    yield make("another certificate of PayPal", sign(plain, url=ANOTHER), plain,
               why="signed with another key", certificates={URL: mine, ANOTHER: foreign})
    yield make("webhook of another endpoint", sign(plain, webhook="0AB12345CD678901E"), plain,
               why="the id of the webhook is signed")
    yield make("checksum in hexadecimal", sign(plain, crc=lambda body: f"{zlib.crc32(body):08x}"),
               plain, why="the checksum is decimal")
    yield make("SHA-1", {**sign(plain, hashed=hashes.SHA1()), ALGO: "SHA1withRSA"}, plain,
               why="only SHA256withRSA is known")
