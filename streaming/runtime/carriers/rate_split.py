"""Division of an organisation's limit of events per second over its carriers; each one enforces its own part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LEAST_KEPT: Final = 10
"""A carrier that uses little of its part keeps at least a tenth of it, so that it can start to read."""


@dataclass(frozen=True)
class CarrierNeed:
    """The needs of a carrier: its number of bindings, the events that they read per second, and if more wait."""

    bindings: int
    rate: int = 0
    held: bool = False


def shares(limit: int, needs: Mapping[str, CarrierNeed]) -> dict[str, int]:
    """Return the events that each carrier may read per second, about `limit` in total.

    All bindings count equally, as within a carrier. If the limit delays some carriers, the others keep twice the rate
    at which they read (at least a tenth of their part), and the rest goes to the delayed ones. Each carrier may read at
    least 1 unless the limit is 0, so that none waits forever.
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
