"""The available kinds of adapters: one for each folder here, and those of installed packages.

A package adds a kind by an entry point of the group `punctual.adapters`, whose name is that of the kind and whose
object is its `InputKind` or `OutputKind`:

    [project.entry-points."punctual.adapters"]
    ticker = "punctual_ticker:KIND"

A kind that can't be loaded affects no other: using it raises an error with the reason.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, Final

import streaming.adapters
from streaming.adapters.kinds import InputKind, OutputKind

GROUP: Final = "punctual.adapters"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class InstalledKinds:
    """All kinds by name, in the order of the menu; `broken` has the reason why a package's kind can't be used, by
    name.
    """

    inputs: Mapping[str, InputKind]
    outputs: Mapping[str, OutputKind]
    broken: Mapping[str, str] = field(default_factory=dict)


@cache
def installed_kinds() -> InstalledKinds:
    """The kinds of this installation; searched once per process."""
    return kinds_of(built_in_kinds(), sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)))


def kinds_of(built_in: Sequence[InputKind | OutputKind], brought: Sequence[EntryPoint]) -> InstalledKinds:
    """The kinds of this project and those of `brought`, which never replace an existing one."""
    found: list[InputKind | OutputKind] = list(built_in)
    broken: dict[str, str] = {}
    for entry in brought:
        kind, why = _load(entry)
        if kind is not None and any(type(kind) is type(one) and kind.kind == one.kind for one in found):
            why = f"an adapter '{kind.kind}' already exists"
        if kind is None or why:
            broken[entry.name] = why
            logger.error("The adapter '%s' of the package %s is not loaded: %s.", entry.name, _package(entry), why)
        else:
            found.append(kind)
    found.sort(key=lambda kind: (kind.menu, kind.kind))
    return InstalledKinds(
        inputs={kind.kind: kind for kind in found if isinstance(kind, InputKind)},
        outputs={kind.kind: kind for kind in found if isinstance(kind, OutputKind)},
        broken=broken,
    )


def built_in_kinds() -> list[InputKind | OutputKind]:
    """The kinds of the folders here, without those of installed packages."""
    folders = [found.name for found in iter_modules(streaming.adapters.__path__, "streaming.adapters.") if found.ispkg]
    return [import_module(f"{name}.kind").KIND for name in folders if find_spec(f"{name}.kind") is not None]


def _load(entry: EntryPoint) -> tuple[InputKind | OutputKind | None, str]:
    try:
        loaded: Any = entry.load()
    except Exception as error:  # noqa: BLE001  an error during a package's import must not affect other kinds
        return None, f"it can't be loaded ({type(error).__name__}: {error})"
    if not isinstance(loaded, InputKind | OutputKind):
        return None, f"'{entry.value}' is neither an InputKind nor an OutputKind of streaming.adapters.kinds"
    if loaded.kind != entry.name:
        return None, f"its entry point is named '{entry.name}', but its kind '{loaded.kind}'; both need the same name"
    return loaded, ""


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
