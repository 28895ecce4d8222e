"""An aggregate, `middle(value)`: its entry, its reference function and its kernel; then `python -m streaming.run`.

What reads the table of aggregates does so when it is imported, so the entry comes first, as it would in its file.
"""

import sys
from typing import Any

import numpy as np
import pyarrow as pa

from streaming.definition.aggregate_functions import AGGREGATES, AcceptedValues, AggregateEntry
from streaming.definition.payload.types import is_ordered

MIDDLE = AggregateEntry(
    "middle(value)",
    "The value behind the first half of the sorted values.",
    AcceptedValues(is_ordered, "Take a number or a text."),
    lambda of: of,
    elsewhere=("halfway",),
)


def reference(values: Any) -> Any:
    """Return the median value: the meaning."""
    return values.sorted()[len(values.taken) // 2]


def kernel(aggregate: Any, pairs: Any) -> pa.Array:
    """Return the same for all slots at once."""
    del aggregate
    filled = pairs.counts > 0
    at = (pairs.offsets[:-1] + pairs.counts // 2)[filled]
    found = np.flatnonzero(filled).searchsorted(np.arange(pairs.slots))
    values = pairs.restore(pairs.sorted[at])
    return values.take(pa.array(found, mask=~filled))


def main() -> None:
    """Add it, then run the command line."""
    AGGREGATES[MIDDLE.name] = MIDDLE
    from streaming.engine.operators.aggregates import pane_aggregator
    from streaming.reference.aggregates import result_column as aggregates

    aggregates.FUNCTIONS[MIDDLE.name] = reference  # type: ignore[index]
    pane_aggregator._BY_PAIRS[MIDDLE.name] = kernel  # type: ignore[index]
    from streaming.run.__main__ import main as run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
