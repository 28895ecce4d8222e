"""Secret texts `<prefix>_<key id>_<secret>`; only an HMAC of the secret is stored.

The key id finds the row; the secret is compared with its HMAC, whose key is derived from Django's SECRET_KEY and the
purpose. So a reader of the database can neither use such a text nor make one, and a new SECRET_KEY invalidates all.
"""

import re
import secrets
from dataclasses import dataclass
from typing import Final

from django.utils.crypto import constant_time_compare, salted_hmac

KEY_ID: Final = re.compile(r"[0-9a-f]{12}")
"""Only this is looked up in the database: other texts may hold characters that a database refuses."""
NO_DIGEST: Final = "0" * 64


@dataclass(frozen=True)
class SecretText:
    """A new text; `key_id` and `digest` are stored, `text` is handed out once."""

    key_id: str
    digest: str
    text: str


@dataclass(frozen=True)
class SecretPurpose:
    """The purpose of such texts; `prefix` lets programs that search files for secrets recognise one of ours."""

    prefix: str
    salt: str

    def make(self) -> SecretText:
        """Return a new text with 256 random bits."""
        key_id, secret = secrets.token_hex(6), secrets.token_hex(32)
        return SecretText(key_id, self._digest(key_id, secret), f"{self.prefix}_{key_id}_{secret}")

    def key_id(self, text: str) -> str | None:
        """Return the key that finds the row of `text`; None if it isn't a text of this purpose."""
        prefix, key_id, _ = _parts(text)
        return key_id if prefix == self.prefix and KEY_ID.fullmatch(key_id) else None

    def opens(self, text: str, kept: str | None) -> bool:
        """Return whether `text` has the secret with digest `kept`; takes the same time with and without a digest."""
        _, key_id, secret = _parts(text)
        return constant_time_compare(self._digest(key_id, secret), kept or NO_DIGEST) and kept is not None

    def _digest(self, key_id: str, secret: str) -> str:
        return salted_hmac(self.salt, f"{key_id}:{secret}", algorithm="sha256").hexdigest()


def _parts(text: str) -> tuple[str, str, str]:
    prefix, _, rest = text.partition("_")
    key_id, _, secret = rest.partition("_")
    return prefix, key_id, secret
