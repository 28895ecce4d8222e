"""Server paths in texts for people: paths in the organisation's data become relative, others are removed."""

import sys
from functools import cache
from pathlib import Path
from uuid import UUID

from django.conf import settings

from streaming.adapters.places import FILES


def without_server_paths(text: str, organisation: UUID) -> str:
    """Return `text` with the paths of the organisation's data relative to `files/`, and no other folder of the server.

    Adapters use relative paths themselves; this covers texts of libraries and systems, and of earlier runs.
    """
    if "/" not in text:
        return text
    for known in _data_folders(settings.PUNCTUAL_DATA):
        text = text.replace(f"{known}/{organisation}/{FILES}/", "").replace(f"{known}/{organisation}/", "")
        text = text.replace(known, "...")
    for known in (str(settings.BASE_DIR), sys.prefix, sys.base_prefix):
        text = text.replace(f"{known}/", ".../")
    return text


@cache
def _data_folders(data: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys((str(data), str(data.resolve()))))
