"""Aggregates over the panes of windows, in columns; reference/aggregates.py says what each of them means.

`PaneAggregator` takes members of panes and gives their rows. What merges (measures.py) is folded once for all members
that are in the same panes and then spread over runs of panes (spans.py): the cost follows members and rows, never the
panes that a member is in. All else looks at pairs of member and pane, by sorting.
"""

from streaming.engine.operators.aggregates.pane_aggregator import PaneAggregator
from streaming.engine.operators.aggregates.pane_rows import PaneRows

__all__ = ["PaneAggregator", "PaneRows"]
