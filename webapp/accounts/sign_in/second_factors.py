"""Second factors and passkeys: their name and host, and the encryption of what the database stores of them."""

import base64
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE: Final = b"punctual/second-factors/1"
SEALED: Final = ("secret", "seed")
"""The encrypted parts of authenticator apps and recovery codes."""


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """Answers to allauth's questions about second factors."""

    def _get_site_name(self) -> str:
        return "Punctual"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host that passkeys are bound to: the host of the pages.

        On one's own machine it is the host of the address bar, because browsers make passkeys for `localhost` but not
        for an IP address.
        """
        own = context.request.get_host().partition(":")[0] if settings.OWN_MACHINE else None
        return {"id": own or urlsplit(settings.ADDRESS_OF_PAGES).hostname or "localhost", "name": "Punctual"}

    def encrypt(self, text: str) -> str:
        """Return `text` encrypted under the newest key: a reader of the database alone cannot compute codes."""
        return _seal().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the decrypted text. Raises `InvalidToken` if no key of the installation opens it."""
        return _seal().decrypt(encrypted_text).decode()


def seal_anew() -> int:
    """Encrypt every second factor under the newest of `PUNCTUAL_SECRETS_KEYS` and return their number."""
    from allauth.mfa.models import Authenticator  # models are not loaded with the adapter

    seal, count = _seal(), 0
    for each in Authenticator.objects.iterator():
        rotated: dict[str, Any] = {
            name: seal.rotate(value).decode() for name, value in each.data.items() if name in SEALED
        }
        if rotated:
            each.data = {**each.data, **rotated}
            each.save(update_fields=["data"])
            count += 1
    return count


def _seal() -> MultiFernet:
    return MultiFernet([Fernet(_derived(key)) for key in settings.SECRETS_KEYS])


def _derived(key: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(key.encode())
    return base64.urlsafe_b64encode(derived)
