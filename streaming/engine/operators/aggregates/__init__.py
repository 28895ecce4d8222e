"""Aggregates over the panes of windows, in columns; reference/aggregates.py defines each of them.

`PaneAggregator` takes members of panes and returns their rows. Mergeable aggregates (measures.py) are folded once for
all members that are in the same panes and then spread over runs of panes (spans.py). Their cost depends on members and
rows, never on the number of panes of a member. All other aggregates sort pairs of member and pane.
"""

from streaming.engine.operators.aggregates.pane_aggregator import PaneAggregator
from streaming.engine.operators.aggregates.pane_rows import PaneRows

__all__ = ["PaneAggregator", "PaneRows"]
