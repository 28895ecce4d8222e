"""The panes of a window or top_k node."""

from streaming.definition.windows import FixedPanes
from streaming.engine.operators.windows.empties import filling_of
from streaming.engine.operators.windows.fixed_panes import FixedPaneSource
from streaming.engine.operators.windows.group_panes import group_source
from streaming.engine.operators.windows.pane_source import PaneSource
from streaming.planning.plan import TopKSpec, WindowSpec


def source_of(spec: WindowSpec | TopKSpec) -> PaneSource:
    """Return the panes of a window or top_k node over events."""
    if not isinstance(spec.panes, FixedPanes):
        return group_source(spec, spec.panes)
    if isinstance(spec, TopKSpec):
        return FixedPaneSource(spec.node, spec.panes, spec.grace)
    return FixedPaneSource(spec.node, spec.panes, spec.grace, spec.emit, filling_of(spec))
