"""Records, and the small ways in which a signed request can be wrong."""

import base64
import hmac

NOW = 1_790_000_000


def maker(provider, scheme, secret, encoding="utf8", tolerance=None):
    """Returns a function that makes this provider's records; one with a reason is invalid."""
    assert len(secret) >= 16

    def make(name, headers, body=None, why="", repeated=None, count=None):
        record = {
            "provider": provider,
            "name": name,
            "scheme": scheme,
            "secret": secret,
            "secret_encoding": encoding,
            "headers": headers,
        }
        if repeated is not None:
            record["body_repeat"] = {"byte_utf8": repeated, "count": count}
        else:
            try:
                record["body_utf8"] = body.decode()
            except UnicodeDecodeError:
                record["body_base64"] = b64(body)
        record["now_unix"] = NOW
        record["tolerance_secs"] = tolerance
        record["expect"] = "invalid" if why else "valid"
        record["reason"] = why
        return record

    return make


def changed_bodies(body):
    """Bodies that are all but the one given."""
    yield "one bit of the body", bytes([body[0] ^ 1]) + body[1:]
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


def flip_hex(signature):
    """The last bit of the digest the other way round."""
    return signature[:-1] + f"{int(signature[-1], 16) ^ 1:x}"


def flip_base64(signature):
    """The first bit of the digest the other way round, in the same form."""
    version, comma, digest = signature.rpartition(",")
    data = base64.b64decode(digest)
    return version + comma + b64(bytes([data[0] ^ 0x80]) + data[1:])


def spare_bits(signature):
    """The same 32 bytes for a decoder that does not look at the unused bits of the last digit."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    assert signature.endswith("=") and not signature.endswith("==")
    changed = alphabet[alphabet.index(signature[-2]) ^ 1]
    return signature[:-2] + changed + "="
