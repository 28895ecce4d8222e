"""Which carriers have what the bindings of an organisation keep, as its runners note it: `carriers/homes.json`."""

import json
from pathlib import Path
from typing import Final

from streaming.wire.keys import POOL

CARRIERS: Final = "carriers"
"""The folder of an organisation's carriers, in its own; of a pool's too."""
SHARED: Final = "main"
"""The carrier of all bindings that have none of their own."""
FILE: Final = "homes.json"
APART: Final = "apart"
"""The second carrier of a pool: of what would hold up everybody in the shared one."""
OF: Final = "."
"""Between the id of an organisation, which has none, and that of its binding."""


def pools_of(folder: Path) -> set[str]:
    """The pools that keep something of the organisation in `folder`: none but these may carry it. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return set()
    return {said[0].partition(OF)[0] for said in content.values() if said[0].startswith(POOL)}


def apart_in(pool: str) -> str:
    """What the second carrier of `pool` is called where bindings are noted to be at home."""
    return f"{pool}{OF}{APART}"


def name_in_pool(organisation: str, binding: str) -> str:
    """What a binding is called in a pooled carrier: nothing of two organisations has one name."""
    return f"{organisation}{OF}{binding}"


def organisation_in(name: str) -> str:
    """The organisation of what a pooled carrier calls `name`."""
    return name.partition(OF)[0]


def carrier_of(folder: Path, binding: str) -> tuple[Path, str]:
    """The folder of the carrier of `binding`, of the organisation in `folder`, and what it is called there.

    Raises `OSError`.
    """
    home = home_of(folder, binding)
    if home.startswith(POOL):
        pool, _, carrier = home.partition(OF)
        return folder.parent / pool / CARRIERS / (carrier or SHARED), name_in_pool(folder.name, binding)
    return folder / CARRIERS / home, binding


def home_of(folder: Path, binding: str) -> str:
    """The carrier of `binding` as it was noted last, the shared one where nothing was. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return SHARED
    return str(content[binding][0]) if binding in content else SHARED
