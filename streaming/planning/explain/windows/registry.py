"""The registry: every kind of windows, one entry each. A test says that none is missing."""

from collections.abc import Mapping
from typing import Any, Final

from streaming.definition.graph import (
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TumblingWindow,
)
from streaming.planning.explain.windows.count import COUNT
from streaming.planning.explain.windows.fixed import HOPPING, TIME_INTERVAL, TUMBLING
from streaming.planning.explain.windows.kind import Windowed, WindowKind
from streaming.planning.explain.windows.session import SESSION
from streaming.planning.explain.windows.snapshot import SNAPSHOT

WINDOW_KINDS: Final[Mapping[type[Any], WindowKind]] = {
    TumblingWindow: TUMBLING,
    HoppingWindow: HOPPING,
    TimeIntervalWindow: TIME_INTERVAL,
    SessionWindow: SESSION,
    SnapshotWindow: SNAPSHOT,
    CountWindow: COUNT,
}


def window_kind(node: Windowed) -> WindowKind:
    """The entry of the windows of `node`."""
    return WINDOW_KINDS[type(node.window)]
