"""Aggregates over the panes of windows, in columns; reference/aggregates.py says what each of them means."""

from typing import Final

from streaming.engine.aggregates.pane_rows import PaneRows

MERGEABLE: Final = frozenset({"count", "sum", "avg", "min", "max"})
"""The functions that the feed can fold into partials of bounded size (fold.py)."""

__all__ = ["MERGEABLE", "PaneRows"]
