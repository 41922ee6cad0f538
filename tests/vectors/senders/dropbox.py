"""Dropbox: X-Dropbox-Signature, the hexadecimal HMAC of the body. A ping without id or type."""

from records import HEX, Sender, bare, bodies

EVENT = {
    "list_folder": {"accounts": ["dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc"]},
    "delta": {"users": [12345678]},
}


def records():
    make = Sender("dropbox", "dropbox-app-secret-0001")
    yield from bare(make, "X-Dropbox-Signature", bodies(EVENT), HEX)
