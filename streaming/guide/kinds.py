"""The kinds that the guide has a page for, read from the definition; a new kind there is a new page here."""

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel

from streaming.definition.graph import Node, TopKNode, WindowNode
from streaming.definition.windows import WindowSpec
from streaming.guide.examples import examples_of
from streaming.reference import fixed_windows
from streaming.reference.pane_rules import pane_rule
from streaming.temporal.windows import HoppingWindows


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
}
"""Where the reference says what a kind of node means: modules, and classes in them, unless it is the module of that
name. Kinds of windows have it where their panes do."""


def said_of(thing: object) -> str:
    """The docstring of `thing` with its line breaks as they are."""
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "")


def meaning_of(kind: str) -> list[tuple[str, str]]:
    """The places in the reference that say what `kind` means, each with its docstring."""
    if kind in WINDOWS:
        return [_meaning_of_windows(kind)]
    found = []
    for place in SOURCES.get(kind, (kind,)):
        module, _, name = place.partition(".")
        thing: object = importlib.import_module(f"streaming.reference.{module}")
        found.append((f"streaming/reference/{module}.py", said_of(getattr(thing, name) if name else thing)))
    return found


def _meaning_of_windows(kind: str) -> tuple[str, str]:
    """Where panes as of the first example of `kind` have their meaning: as fixed windows, or by a rule of their own."""
    nodes = examples_of(f"window_{kind}")[0].case.graph.nodes
    panes = next(node.window.panes() for node in nodes if isinstance(node, WindowNode | TopKNode))
    if isinstance(panes, HoppingWindows):
        return _file(fixed_windows.__name__), said_of(fixed_windows)
    rule = type(pane_rule(panes))
    return _file(rule.__module__), said_of(rule)


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
