"""Signatures of files by this installation: Ed25519 keys, derived from those in `PUNCTUAL_SECRETS_KEYS`.

The newest key signs. The public keys of older ones are published as long as the variable contains them.
"""

import base64
from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

from webapp.core.secrets import derived_key

_PURPOSE: Final = b"punctual/signatures-of-files/1/"


def signature_of(content: bytes) -> str:
    """Return the signature of `content` with the newest key, as base64."""
    return base64.b64encode(_private_keys()[0].sign(content)).decode()


def public_keys() -> list[str]:
    """Return the 32 bytes of each public key as base64, the one that signs first."""
    return [
        base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
        for key in _private_keys()
    ]


def _private_keys() -> list[Ed25519PrivateKey]:
    keys: Sequence[str] = settings.SECRETS_KEYS
    return [Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(derived_key(key, _PURPOSE))) for key in keys]
