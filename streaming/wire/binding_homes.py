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
