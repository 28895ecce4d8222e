"""The kinds that the guide has a page for, read from the definition; a new kind there is a new page here."""

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel

from streaming.definition.graph import Node, WindowSpec


def _by_kind(union: Any) -> Mapping[str, type[BaseModel]]:
    members = get_args(get_args(union)[0])
    return {get_args(model.model_fields["kind"].annotation)[0]: model for model in members}


NODES: Final = _by_kind(Node)
WINDOWS: Final = _by_kind(WindowSpec)
SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("feed", "feed.InputFeed", "substreams.SubstreamClocks"),
    "shift": ("shift.ShiftOperator",),
    "set_duration": ("set_duration", "set_duration.SetDuration"),
    "extend": ("extend", "extend.ExtendRule", "extend.ShorteningRule"),
    "clip": ("clip", "clip.ClipRule"),
    "point_at_end": ("point_at_end", "point_at_end.PointAtEnd"),
    "to_intervals": ("to_intervals", "to_intervals.ToIntervals"),
    "order_edges": ("order_edges", "order_edges.OrderEdges"),
    "join": ("join", "left_outer", "matching"),
    "anti_join": ("anti_join", "anti_join.AntiJoin", "matching"),
    "semi_join": ("semi_join", "semi_join.SemiJoin", "matching"),
    "asof_join": ("asof_join", "asof_join.AsofJoin", "matching"),
    "window": ("window", "emission", "emission.RowEmission", "empties", "empties.FilledWindows"),
    "top_k": ("top_k", "top_k.TopK"),
    "output": ("output", "output_times", "output_times.LatestInput"),
    "tumbling": ("fixed_windows",),
    "hopping": ("fixed_windows",),
    "time_interval": ("fixed_windows",),
    "session": ("session", "session.SessionPaneRule"),
    "snapshot": ("snapshot", "snapshot.SnapshotPaneRule"),
    "count": ("count", "count.CountPaneRule"),
}
"""Where the reference says what a kind means: modules, and classes in them, unless it is the module of that name."""


def said_of(thing: object) -> str:
    """The docstring of `thing` with its line breaks as they are."""
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "")


def meaning_of(kind: str) -> list[tuple[str, str]]:
    """The places in the reference that say what `kind` means, each with its docstring."""
    found = []
    for place in SOURCES.get(kind, (kind,)):
        module, _, name = place.partition(".")
        thing: object = importlib.import_module(f"streaming.reference.{module}")
        found.append((f"streaming/reference/{module}.py", said_of(getattr(thing, name) if name else thing)))
    return found
