"""Encryption of an organisation's secrets under its own keys, derived from those of the installation.

`PUNCTUAL_SECRETS_KEYS` contains the keys of the installation, newest first: the newest encrypts, all of them decrypt. A
secret can only be decrypted in its own organisation, and a runner gets only the keys of its own organisation.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from streaming.wire.sealed import Keyring, sealed, token_of
from webapp.core.context import current_organisation

_PURPOSE = b"punctual/secrets-of-connections/1/"
_OF_POOLS = b"punctual/keys-for-pooled-runners/1/"
_held: dict[UUID, list[str]] = {}


def hold_keys(organisation: UUID, keys: list[str]) -> None:
    """Give this process, which has no key of the installation, the keys of one organisation."""
    _held[organisation] = keys


def organisation_keys(organisation: UUID) -> list[str]:
    """Return the keys of `organisation`, newest first, as `Keyring` takes them."""
    if organisation in _held:
        return _held[organisation]
    keys: Sequence[str] = settings.SECRETS_KEYS
    return [derived_key(key, _PURPOSE + organisation.bytes) for key in keys]


def pool_keys(pool: str) -> list[str]:
    """Return the keys of a pooled runner, newest first: they decrypt only what `sealed_for_pool` returns."""
    keys: Sequence[str] = settings.SECRETS_KEYS
    return [derived_key(key, _OF_POOLS + pool.encode()) for key in keys]


def sealed_for_pool(pool: str, organisation: UUID) -> str:
    """Return the keys of `organisation` as the pooled runner that serves it reads them from Redis."""
    return Fernet(pool_keys(pool)[0]).encrypt(json.dumps(organisation_keys(organisation)).encode()).decode()


def keyring() -> Keyring:
    """Return the keyring that decrypts the secrets of the organisation in context."""
    return Keyring(organisation_keys(current_organisation()))


def seal(text: str) -> dict[str, str]:
    """Return `text` as it is stored, encrypted for the organisation in context under its newest key."""
    return sealed(_newest().encrypt(text.encode()).decode())


def sealed_anew(value: Any) -> dict[str, str] | None:
    """Return a secret of the organisation in context under its newest key; None if it already is.

    `value` is the stored form; a text, stored before its option was a secret, is encrypted. Raises `SealBroken`.
    """
    token = token_of(value)
    if token is None:
        return seal(value) if isinstance(value, str) else None
    try:
        _newest().decrypt(token)
    except InvalidToken:
        return seal(keyring().open(token))
    return None


def _newest() -> Fernet:
    return Fernet(organisation_keys(current_organisation())[0])


def derived_key(key: str, purpose: bytes) -> str:
    """Return 32 bytes for one purpose as URL-safe base64; a key of the installation can't be computed from them."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(key.encode())
    return base64.urlsafe_b64encode(derived).decode()
