"""Placeholders for large values that an update did not change, which are therefore not in the log."""

import base64
import hashlib
import uuid
from functools import lru_cache
from typing import Any


def is_unavailable(value: Any, placeholder: str) -> bool:
    """Return True if `value` is the connector's placeholder, in the form that the column's type has."""
    if isinstance(value, str):
        return value in _texts(placeholder)
    if isinstance(value, list) and value:
        only = value[0] if len(value) == 1 else None
        return value == list(placeholder.encode()) or (isinstance(only, str) and only in _texts(placeholder))
    return isinstance(value, dict) and value == {placeholder: placeholder}


@lru_cache(maxsize=16)
def _texts(placeholder: str) -> frozenset[str]:
    """The placeholder as text, as bytes, as a UUID, and as the JSON text of an hstore."""
    data = placeholder.encode()
    named = uuid.UUID(bytes=hashlib.md5(data, usedforsecurity=False).digest(), version=3)
    return frozenset({placeholder, base64.b64encode(data).decode(), str(named), f'{{"{placeholder}":"{placeholder}"}}'})
