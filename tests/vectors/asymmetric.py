"""Keys and certificates made for the vectors, and signatures that come out the same every time.

Needs the package `cryptography`.
"""

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEYS = Path(__file__).with_name("keys")


def private_key(name):
    pem = (KEYS / f"{name}.pem").read_bytes()
    return serialization.load_pem_private_key(pem, password=None)


def ed25519_key(name):
    """A key and the 32 bytes of its public part."""
    key = private_key(name)
    return key, key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def spki(key):
    """The public part as DER."""
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def certificate(name):
    return (KEYS / f"{name}.crt.pem").read_text()
