"""Texts that open something, `<prefix>_<key id>_<secret>`, of which only an HMAC is kept.

The key id finds the row; the secret is compared with its HMAC, whose key is derived from Django's SECRET_KEY and the
purpose: who reads the database can neither use such a text nor make one, and a new SECRET_KEY ends them all.
"""

import re
import secrets
from dataclasses import dataclass
from typing import Final

from django.utils.crypto import constant_time_compare, salted_hmac

KEY_ID: Final = re.compile(r"[0-9a-f]{12}")
"""Nothing else is looked up: a text may hold what a database cannot."""
NO_DIGEST: Final = "0" * 64


@dataclass(frozen=True)
class SecretText:
    """A new text; `key_id` and `digest` are kept, `text` is given away once."""

    key_id: str
    digest: str
    text: str


@dataclass(frozen=True)
class SecretPurpose:
    """What such texts are for; `prefix` lets programs that look for secrets in files know one of ours."""

    prefix: str
    salt: str

    def make(self) -> SecretText:
        """Return a new text with 256 random bits."""
        key_id, secret = secrets.token_hex(6), secrets.token_hex(32)
        return SecretText(key_id, self._digest(key_id, secret), f"{self.prefix}_{key_id}_{secret}")

    def key_id(self, text: str) -> str | None:
        """Return by what to look up `text`; None if it is none of this purpose."""
        prefix, key_id, _ = _parts(text)
        return key_id if prefix == self.prefix and KEY_ID.fullmatch(key_id) else None

    def opens(self, text: str, kept: str | None) -> bool:
        """Return whether `text` has the secret whose digest is `kept`, in the same time with and without one."""
        _, key_id, secret = _parts(text)
        return constant_time_compare(self._digest(key_id, secret), kept or NO_DIGEST) and kept is not None

    def _digest(self, key_id: str, secret: str) -> str:
        return salted_hmac(self.salt, f"{key_id}:{secret}", algorithm="sha256").hexdigest()


def _parts(text: str) -> tuple[str, str, str]:
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    return prefix, key_id, secret
