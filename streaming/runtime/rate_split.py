"""How an organisation's limit of events each second is divided over its carriers, each of which keeps its own part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LEAST_KEPT: Final = 10
"""A carrier that uses little of its part keeps one such part of it at least, so that it can begin to read."""


@dataclass(frozen=True)
class CarrierNeed:
    """What a carrier needs: how many bindings it runs, the events that they read each second, whether more wait."""

    bindings: int
    rate: int = 0
    held: bool = False


def shares(limit: int, needs: Mapping[str, CarrierNeed]) -> dict[str, int]:
    """The events that each carrier may read each second; about `limit` in all.

    Each binding counts as much as any other, as within a carrier. Where a carrier is held back, those that are not
    keep twice what they read (a tenth of their part at least), and what they do not need goes to those held back. Each
    may read 1 where the limit is not 0, so that none waits for ever.
    """
    bindings = sum(need.bindings for need in needs.values())
    if limit <= 0 or bindings == 0:
        return dict.fromkeys(needs, 0)
    parts = {name: limit * need.bindings // bindings for name, need in needs.items()}
    hungry = {name: need.bindings for name, need in needs.items() if need.held}
    if hungry:
        for name, need in needs.items():
            if not need.held:
                parts[name] = min(parts[name], max(2 * need.rate, parts[name] // LEAST_KEPT))
        spare = limit - sum(parts.values())
        for name, count in hungry.items():
            parts[name] += spare * count // sum(hungry.values())
    return {name: max(1, part) for name, part in parts.items()}
