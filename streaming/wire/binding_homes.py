"""The carriers that store the state of an organisation's bindings, recorded by its runners in `carriers/homes.json`."""

import json
from pathlib import Path
from typing import Final

from streaming.wire.keys import POOL

CARRIERS: Final = "carriers"
"""The folder of carriers, in the folder of their organisation or pool."""
SHARED: Final = "main"
"""The carrier of all bindings without a carrier of their own."""
FILE: Final = "homes.json"
APART: Final = "apart"
"""The second carrier of a pool, for bindings that would delay everybody in the shared one."""
OF: Final = "."
"""Separates the id of an organisation, which never contains it, from that of its binding."""


def pools_of(folder: Path) -> set[str]:
    """Return the pools with state of the organisation in `folder`: only these may carry it. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return set()
    return {home[0].partition(OF)[0] for home in content.values() if home[0].startswith(POOL)}


def apart_in(pool: str) -> str:
    """Return the name of the second carrier of `pool` in `homes.json`."""
    return f"{pool}{OF}{APART}"


def name_in_pool(organisation: str, binding: str) -> str:
    """Return the name of a binding in a pooled carrier, unique across organisations."""
    return f"{organisation}{OF}{binding}"


def organisation_in(name: str) -> str:
    """Return the organisation of the binding that a pooled carrier calls `name`."""
    return name.partition(OF)[0]


def carrier_of(folder: Path, binding: str) -> tuple[Path, str]:
    """Return the folder of the carrier of `binding`, of the organisation in `folder`, and the binding's name there.

    Raises `OSError`.
    """
    home = home_of(folder, binding)
    if home.startswith(POOL):
        pool, _, carrier = home.partition(OF)
        return folder.parent / pool / CARRIERS / (carrier or SHARED), name_in_pool(folder.name, binding)
    return folder / CARRIERS / home, binding


def home_of(folder: Path, binding: str) -> str:
    """Return the recorded carrier of `binding`, the shared one without a record. Raises `OSError`."""
    try:
        content = json.loads((folder / CARRIERS / FILE).read_text())
    except FileNotFoundError:
        return SHARED
    return str(content[binding][0]) if binding in content else SHARED
