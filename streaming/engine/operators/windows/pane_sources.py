"""Which panes a window or top_k node has."""

from streaming.engine.operators.windows.empties import filling_of
from streaming.engine.operators.windows.fixed_panes import FixedPaneSource
from streaming.engine.operators.windows.group_panes import group_source
from streaming.engine.operators.windows.pane_source import PaneSource
from streaming.planning.plan import TopKSpec, WindowSpec
from streaming.temporal.windows import HoppingWindows


def source_of(spec: WindowSpec | TopKSpec) -> PaneSource:
    """The panes of a window or top_k node over events."""
    if not isinstance(spec.panes, HoppingWindows):
        return group_source(spec, spec.panes)
    if isinstance(spec, TopKSpec):
        return FixedPaneSource(spec.node, spec.panes, spec.grace)
    return FixedPaneSource(spec.node, spec.panes, spec.grace, spec.emit, filling_of(spec))
