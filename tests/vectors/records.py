"""Records, and the ways in which a signed request can be wrong."""

import base64
import hashlib
import hmac
import json
from datetime import datetime, timezone

NOW = 1_790_000_000
NOT_UTF8 = b'\x00\x01{"raw":"\xff\xfe\x80"}\xc3\x28\r\n'
NOTE = "paid \U0001f389 caf\u00e9 \u65e5\u672c"


class Sender:
    """Makes the records of one preset, for a receiver that is set up as told here.

    `names` says what a valid record is to report, see `by`; `headers` are sent with every request
    of this sender unless a record has its own; `label` comes before every name. Everything else
    lands in the record as it is.
    """

    def __init__(self, provider, secret=None, encoding="utf8", *, tolerance=None, names=None,
                 headers=None, label="", **receiver):
        self.provider = provider
        self.label = label
        self.secret = secret
        self.encoding = encoding
        self.tolerance = tolerance
        self.names = names or by()
        self.headers = headers or {}
        self.receiver = receiver

    @property
    def key(self):
        """The key of the HMAC, as the secret's encoding says."""
        return decode_secret(self.secret, self.encoding)

    @property
    def other_key(self):
        """A key that the receiver does not know."""
        return self.key[:-1] + bytes([self.key[-1] ^ 1])

    @property
    def former_secret(self):
        """Another secret of the same form."""
        if self.encoding == "utf8":
            return self.secret + "-former"
        return self.secret[:-6] + ("000000" if self.encoding == "hex" else "AAAAA=")

    def __call__(self, name, headers, body, why="", **receiver):
        """One record; it is invalid where there is a reason."""
        receiver = self.receiver | receiver
        headers = {**self.headers, **headers}
        headers = {name: value for name, value in headers.items() if value is not None}
        record = {"provider": self.provider, "name": self.label + name}
        record |= {key: receiver.pop(key) for key in ["scheme"] if key in receiver}
        if self.secret is not None:
            if "secrets" not in receiver:
                record["secret"] = receiver.pop("secret", self.secret)
            else:
                record["secrets"] = receiver.pop("secrets")
            record["secret_encoding"] = receiver.pop("secret_encoding", self.encoding)
        tolerance = receiver.pop("tolerance", self.tolerance)
        record |= receiver
        record["headers"] = headers
        if isinstance(body, tuple):
            character, count = body
            record["body_repeat"] = {"byte_utf8": character, "count": count}
            body = character.encode() * count
        else:
            try:
                record["body_utf8"] = body.decode()
            except UnicodeDecodeError:
                record["body_base64"] = b64(body)
        record["now_unix"] = NOW
        record["tolerance_secs"] = tolerance
        if not why:
            record |= self.names(headers, body)
        record["expect"] = "invalid" if why else "valid"
        record["reason"] = why
        return record


def decode_secret(secret, encoding):
    if encoding == "utf8":
        return secret.encode()
    if encoding == "hex":
        return bytes.fromhex(secret)
    if encoding == "base64":
        return base64.b64decode(secret, validate=True)
    if encoding == "whsec_base64":
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    raise ValueError(encoding)


def by(kind=None, id=None, signed=None):
    """What a delivery is named by: a source with a slash in front is a JSON pointer into the body,
    another one is a header. An id in the body is signed and one in a header is not, unless told."""

    def names(headers, body):
        report = {}
        if found := look(kind, headers, body):
            report["kind"] = found
        ident = look(id, headers, body)
        by_default = str(id).startswith("/")
        is_signed = by_default if signed is None else signed
        return report | {"id": ident, "id_signed": ident is not None and is_signed}

    return names


def look(source, headers, body):
    """The text or number at a source of `by`, or None."""
    if source is None:
        return None
    if not source.startswith("/"):
        values = [value for name, value in headers.items() if name.lower() == source.lower()]
        value = values[0] if values else None
        return value[0] if isinstance(value, list) else value
    try:
        value = json.loads(body.decode())
    except ValueError:
        return None
    for step in source[1:].split("/"):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (IndexError, KeyError, TypeError, ValueError):
            return None
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if isinstance(value, str) or is_number else None


class Form:
    """How a digest is written at the end of a header's value."""

    def __init__(self, encoding, size):
        self.encoding = encoding
        self.size = size

    def write(self, digest):
        return digest.hex() if self.encoding == "hex" else b64(digest)

    def split(self, value):
        """What stands before the digest, and the digest."""
        width = len(self.write(bytes(self.size)))
        front, text = value[:-width], value[-width:]
        decode = bytes.fromhex if self.encoding == "hex" else base64.b64decode
        return front, decode(text)

    def rewritten(self, value, change):
        front, digest = self.split(value)
        return front + self.write(change(digest))

    def flipped(self, value):
        return self.rewritten(value, lambda digest: digest[:-1] + bytes([digest[-1] ^ 1]))

    def malformed(self, value):
        """Values that do not hold one digest of the right length in the right encoding."""
        front, digest = self.split(value)
        text = self.write(digest)
        yield "truncated digest", self.rewritten(value, lambda digest: digest[:-1]), "wrong length"
        yield "digest with a byte more", front + self.write(digest + b"\0"), "wrong length"
        yield "no digest", front, "no digest"
        if self.encoding == "hex":
            yield "half a byte missing", value[:-1], "an odd number of digits"
            yield "no hex digits", front + "g" * len(text), "not hexadecimal"
            yield "base64 instead of hex", front + b64(digest), "not hexadecimal"
        else:
            yield "no base64", front + "!" * len(text), "not base64"
            yield "hex instead of base64", front + digest.hex(), "wrong length"
            yield "other spare bits in the last digit", front + spare_bits(text), \
                "not the one encoding of the digest"


HEX, HEX_SHA1 = Form("hex", 32), Form("hex", 20)
BASE64, BASE64_SHA1 = Form("base64", 32), Form("base64", 20)


def bare(make, header, bodies, form, prefix="", name_of_hash="sha256", **options):
    """The records of a sender whose header is the HMAC of the body and nothing else."""

    def sign(body, key, name_of_hash=name_of_hash, form=form):
        return {header: prefix + form.write(mac(key, body, name_of_hash))}

    yield from signed(make, sign, bodies, header, form, prefix, **options)
    plain = next(iter(bodies.values()))
    keyless = prefix + form.write(hashlib.new(name_of_hash, plain).digest())
    yield make("plain hash without a key", {header: keyless}, plain, why="not keyed")
    joined = prefix + form.write(hashlib.new(name_of_hash, make.key + plain).digest())
    yield make("secret and body hashed without HMAC", {header: joined}, plain, why="not an HMAC")
    other = "sha1" if name_of_hash == "sha256" else "sha256"
    yield make("digest of another hash", sign(plain, make.key, other), plain, why="wrong length")


def signed(make, sign, bodies, at, form, prefix="", keys=None, **options):
    """The records of every sender that signs the bytes of the body.

    `sign(body, key)` gives the headers; the one named `at` ends in the digest. `keys` are a good
    and a wrong one where the receiver has no secret. The first of the bodies is the one that the
    changed requests are made of.
    """
    key, other_key = keys or (make.key, make.other_key)
    for what, body in bodies.items():
        yield make(what, sign(body, key), body)
    plain = next(iter(bodies.values()))
    good = sign(plain, key)
    for what, body in changed_bodies(plain):
        yield make(what, good, body, why="the body is not the one signed")
    if plain.startswith((b"{", b"[")):
        yield make("the same JSON, written again", good, again(plain),
                   why="the same value in other bytes")
    if noted := bodies.get("emoji and accents"):
        yield make("emoji replaced by its escape", sign(noted, key), escaped(noted),
                   why="the same value in other bytes")
    yield make("wrong secret", sign(plain, other_key), plain, why="signed with another secret")
    if not keys:
        yield make("two secrets at the receiver, signed with the second", good, plain,
                   secrets=[make.former_secret, make.secret])
        yield make("secret with a line end", sign(plain, key + b"\n"), plain,
                   why="signed with another secret")
    yield from misread(make, good, plain, at, form, prefix, **options)


def misread(make, good, body, at, form, prefix="", once=True):
    """Records of a signature that is another one, or none, in the header `at`, which may be there
    only once unless told otherwise."""

    def put(value):
        return {**good, at: value}

    value = good[at]
    yield make("one bit of the signature", put(form.flipped(value)), body, why="another digest")
    yield make("no signature header", put(None), body, why="no signature")
    yield make("empty signature header", put(""), body, why="no signature in the header")
    for what, other, why in form.malformed(value):
        if other:
            yield make(what, put(other), body, why=why)
    if prefix:
        yield make("no prefix", put(value.replace(prefix, "")), body, why=f"no {prefix}")
        yield make("another prefix", put(value.replace(prefix, "v7=")), body, why=f"no {prefix}")
    if once:
        yield make("two headers that differ", put([value, form.flipped(value)]), body,
                   why="two answers to one question")


def timed(make, sign, body, clock, past, future=None, header=None):
    """The records of every sender that signs a time.

    `sign(body, at=...)` signs and sends that time; with `shown` it sends another one.
    `clock(seconds, units)` writes a time so far from now; `header` is where it is sent.
    """
    future = past if future is None else future
    yield make(f"{past} s old", sign(body, at=clock(-past)), body)
    if future:
        yield make(f"{future} s ahead", sign(body, at=clock(future)), body)

    for what, at, why in [
        (f"one unit older than {past} s", clock(-past, -1), "stale"),
        ("a year old", clock(-31_536_000), "stale"),
        (f"one unit more than {past} s ahead", clock(past, 1), "from the future"),
        ("a year ahead", clock(31_536_000), "from the future"),
        ("a word for the time", "soon", "no timestamp"),
        ("empty time", "", "no timestamp"),
    ]:
        yield make(what, sign(body, at=at), body, why=why)
    yield make("renewed time, old signature", sign(body, at=clock(), shown=clock(1)), body,
               why="the time is signed")
    if header:
        good = sign(body, at=clock())
        yield make("no timestamp header", {**good, header: None}, body, why="no timestamp")
        yield make("two times that differ", {**good, header: [clock(), clock(1)]}, body,
                   why="two answers to one question")


def seconds(away=0, units=0):
    return str(NOW + away + units)


def millis(away=0, units=0):
    return str((NOW + away) * 1000 + units)


def iso(away=0, units=0):
    """RFC 3339 in whole seconds."""
    at = datetime.fromtimestamp(NOW + away + units, timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_nanos(away=0, units=0):
    """RFC 3339 with nanoseconds."""
    total = (NOW + away) * 10**9 + units
    at = datetime.fromtimestamp(total // 10**9, timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + f".{total % 10**9:09}Z"


def bodies(event, *, empty=True, raw=True):
    """An event as different senders, and versions of them, would write it."""
    noted = {**event, "note": NOTE} if isinstance(event, dict) else event
    if not isinstance(event, dict):
        noted = [{**event[0], "note": NOTE}, *event[1:]]
    found = {
        "compact JSON": compact(event),
        "JSON with spaces, escapes and line ends": spaced(event),
        "emoji and accents": compact(noted),
        "emoji as escapes": escaped(compact(noted)),
    }
    if raw:
        found["bytes that are not UTF-8"] = NOT_UTF8
    if empty:
        found["empty body"] = b""
    return found


def compact(event):
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def spaced(event):
    text = json.dumps(event, ensure_ascii=False, indent="\t", separators=(",", " : "))
    return text.replace("/", "\\/").replace("\n", "\r\n").encode() + b"\n"


def again(body):
    """The same JSON value as another library writes it."""
    return json.dumps(json.loads(body)).encode()


def changed_bodies(body):
    """Bodies that are all but the one given."""
    middle = len(body) // 2
    yield "one bit of the body", bytes([body[0] ^ 1]) + body[1:]
    yield "one bit in the middle of the body", \
        body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1:]
    yield "a line end behind the body", body + b"\n"
    yield "last byte of the body missing", body[:-1]
    yield "body missing", b""


def escaped(body):
    """The same JSON value with every character outside ASCII escaped."""

    def escape(character):
        units = character.encode("utf-16-be")
        pairs = range(0, len(units), 2)
        return "".join(f"\\u{int.from_bytes(units[at:at + 2]):04x}" for at in pairs)

    text = body.decode()
    return "".join(c if c.isascii() else escape(c) for c in text).encode()


def mac(key, message, name_of_hash="sha256"):
    return hmac.new(key, message, name_of_hash).digest()


def b64(data):
    return base64.b64encode(data).decode()


def spare_bits(text):
    """The same bytes for a decoder that does not look at the unused bits of the last digit."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    digits = text.rstrip("=")
    assert digits != text
    changed = alphabet[alphabet.index(digits[-1]) ^ 1]
    return digits[:-1] + changed + text[len(digits):]


def token(make, header, bodies, prefix=""):
    """The records of a sender that proves itself by a secret in a header; no body is covered."""
    secret = make.secret
    for what, body in bodies.items():
        yield make(what, {header: prefix + secret}, body)
    plain = next(iter(bodies.values()))
    yield make("header name in lower case", {header.lower(): prefix + secret}, plain)
    yield make("two secrets at the receiver, the second sent", {header: prefix + secret}, plain,
               secrets=[make.former_secret, secret])
    for what, value, why in [
        ("one bit of the secret", secret[:-1] + chr(ord(secret[-1]) ^ 1), "another secret"),
        ("another secret of the same length", secret[::-1], "another secret"),
        ("secret in capitals", secret.upper(), "case matters"),
        ("the start of the secret", secret[:-1], "another secret"),
        ("first letter of the secret", secret[:1], "another secret"),
        ("more behind the secret", secret + "0", "another secret"),
        ("secret twice", f"{secret},{secret}", "another secret"),
        ("SHA-256 of the secret", hashlib.sha256(secret.encode()).hexdigest(), "another secret"),
        ("base64 of the secret", b64(secret.encode()), "another secret"),
        ("HMAC of the body", mac(secret.encode(), plain).hex(), "another secret"),
    ]:
        yield make(what, {header: prefix + value}, plain, why=why)
    yield make("no header", {header: None}, plain, why="no secret")
    yield make("empty header", {header: ""}, plain, why="no secret in the header")
    yield make("two headers that differ", {header: [prefix + secret, prefix + secret[:-1]]}, plain,
               why="two answers to one question")
