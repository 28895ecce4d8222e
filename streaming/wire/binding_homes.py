"""Which carriers have what the bindings of an organisation keep, as its runners note it: `carriers/homes.json`."""

import json
from pathlib import Path
from typing import Final

from streaming.wire.keys import POOL

CARRIERS: Final = "carriers"
"""The folder of an organisation's carriers, in its own."""
FILE: Final = "homes.json"


def pools_of(folder: Path) -> set[str]:
    """The pools that keep something of the organisation in `folder`: none but these may carry it. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return set()
    return {said[0] for said in content.values() if said[0].startswith(POOL)}


def home_of(folder: Path, binding: str) -> str:
    """The carrier of `binding` as it was noted last, the shared one where nothing was. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return "main"
    return str(content[binding][0]) if binding in content else "main"
