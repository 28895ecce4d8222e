"""Redaction of events: no secret, no character that a database refuses, and a bounded size.

Callers replace the secrets that they know with placeholders. This is the second check, for secrets that somebody
pasted into an unexpected field.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from streaming.definition.counts import counted

MOST_BYTES: Final = 64 * 1024
"""Of one state, before or after, as JSON in UTF-8."""
CONCEALED: Final = "…"
_TOKEN: Final = re.compile(r"\b(pct|inv)_([0-9A-Za-z]+)_[0-9A-Za-z_-]{8,}")
"""Our tokens and invitations: the start may be visible, the rest must not."""
_SEALED: Final = re.compile(r"\bgAAAA[0-9A-Za-z_=-]{32,}")
"""A Fernet token, the form of an encrypted secret."""


def safe_text(text: str, most: int | None = None) -> str:
    """Return `text` without our tokens and encrypted secrets, storable in UTF-8, at most `most` characters."""
    storable = text.replace("\0", "�").encode("utf-8", "replace").decode()
    concealed = _SEALED.sub(CONCEALED, _TOKEN.sub(rf"\1_\2_{CONCEALED}", storable))
    return concealed if most is None else concealed[:most]


def safe_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return `state`, which JSON can hold, without secrets; above `MOST_BYTES` a note with its size and digest."""
    safe: dict[str, Any] = _safe(state)
    written = json.dumps(safe, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    if len(written) <= MOST_BYTES:
        return safe
    size = counted(len(written), "byte")
    note = f"Left out: {size}, more than the {MOST_BYTES:,} that an event keeps. Open the object itself."
    return {"left_out": note, "bytes": len(written), "sha256": hashlib.sha256(written).hexdigest()}


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, Mapping):
        if value.keys() == {"sealed"} and isinstance(value["sealed"], str):
            return {"sealed": True}
        return {safe_text(str(name)): _safe(each) for name, each in value.items()}
    return [_safe(each) for each in value] if isinstance(value, list | tuple) else value
