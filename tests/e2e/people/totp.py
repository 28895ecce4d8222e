"""Codes of an authenticator app: RFC 6238 with SHA-1, six digits, 30 seconds."""

import base64
import hashlib
import hmac
import time

PERIOD_S = 30


def shown_code(secret: str) -> str:
    """Return the current code for a secret in base32; spaces are ignored."""
    key = base64.b32decode(secret.replace(" ", ""))
    counter = int(time.time()) // PERIOD_S
    digest = hmac.new(key, counter.to_bytes(8, "big"), hashlib.sha1).digest()
    at = digest[-1] & 0x0F
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
