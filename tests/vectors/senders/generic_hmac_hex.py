"""The configurable engine: X-Signature, [<hash>=]<hex of the HMAC of the body>[,...]."""

from records import Form, Sender, bare, bodies, compact, mac

EVENT = {"id": "evt_0001", "type": "invoice.paid", "amount": 4200}
NAME = "X-Signature"


def records():
    for name_of_hash, size in [("sha256", 32), ("sha512", 64)]:
        yield from of(name_of_hash, Form("hex", size))


def of(name_of_hash, form):
    make = Sender("generic-hmac-hex", "a secret for the plain hmac scheme",
                  label=f"{name_of_hash}: ", scheme=f"hmac-{name_of_hash}")
    yield from bare(make, NAME, bodies(EVENT), form, name_of_hash=name_of_hash)

    plain = compact(EVENT)
    good = mac(make.key, plain, name_of_hash).hex()
    other = mac(make.other_key, plain, name_of_hash).hex()
    prefix = f"{name_of_hash}="
    yield make("prefixed digest", {NAME: prefix + good}, plain)
    yield make("rotation: the first is of the old secret",
               {NAME: f"{prefix}{other},{prefix}{good}"}, plain)
    yield make("rotation: the last is of the old secret",
               {NAME: f"{prefix}{good},{prefix}{other}"}, plain)

    wrong_hash = "sha512" if name_of_hash == "sha256" else "sha256"
    for what, value, why in [
        ("two signatures, both wrong", f"{other},{form.flipped(good)}", "none matches"),
        ("prefix alone", prefix, "no digest after the prefix"),
        ("prefix of another hash", f"{wrong_hash}={good}", "wrong prefix"),
        ("digest of SHA-2 in the other length", mac(make.key, plain, wrong_hash).hex(),
         "wrong length"),
        ("digest twice in a row", good + good, "wrong length"),
        ("commas alone", ",,,", "nothing to read"),
    ]:
        yield make(what, {NAME: value}, plain, why=why)
