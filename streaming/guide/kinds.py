"""The kinds with a page in the guide, from the definition; a new kind there is a new page here."""

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel

from streaming.definition.graph import Node, TopKNode, WindowNode
from streaming.definition.windows import FixedPanes, WindowSpec
from streaming.guide.examples import examples_of
from streaming.reference.windows import fixed_windows
from streaming.reference.windows.pane_rules import pane_rule


def _by_kind(union: Any) -> Mapping[str, type[BaseModel]]:
    members = get_args(get_args(union)[0])
    return {get_args(model.model_fields["kind"].annotation)[0]: model for model in members}


NODES: Final = _by_kind(Node)
WINDOWS: Final = _by_kind(WindowSpec)
SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("feed", "feed:InputFeed", "substreams:SubstreamClocks"),
    "shift": ("operators.lifetimes.shift:ShiftOperator",),
    "set_duration": ("operators.lifetimes.set_duration", "operators.lifetimes.set_duration:SetDuration"),
    "extend": (
        "operators.lifetimes.extend",
        "operators.lifetimes.extend:ExtendRule",
        "operators.lifetimes.extend:ShorteningRule",
    ),
    "clip": ("operators.joins.clip", "operators.joins.clip:ClipRule"),
    "point_at_end": ("operators.lifetimes.point_at_end", "operators.lifetimes.point_at_end:PointAtEnd"),
    "to_intervals": ("operators.lifetimes.to_intervals", "operators.lifetimes.to_intervals:ToIntervals"),
    "order_edges": ("operators.lifetimes.order_edges", "operators.lifetimes.order_edges:OrderEdges"),
    "chop": ("operators.lifetimes.chop", "operators.lifetimes.chop:Chop"),
    "stitch": ("operators.lifetimes.stitch", "operators.lifetimes.stitch:Stitch"),
    "join": ("operators.joins.join", "operators.joins.left_outer", "operators.joins.matching"),
    "anti_join": ("operators.joins.anti_join", "operators.joins.anti_join:AntiJoin", "operators.joins.matching"),
    "semi_join": ("operators.joins.semi_join", "operators.joins.semi_join:SemiJoin", "operators.joins.matching"),
    "asof_join": ("operators.joins.asof_join", "operators.joins.asof_join:AsofJoin", "operators.joins.matching"),
    "window": (
        "windows.window",
        "windows.emission",
        "windows.emission:RowEmission",
        "windows.empties",
        "windows.empties:FilledWindows",
    ),
    "top_k": ("windows.top_k", "windows.top_k:TopK"),
    "match_recognize": ("sequences.sequence", "sequences.sequence:SequenceOperator", "sequences.search"),
    "analytic": ("analytic.operator", "analytic.operator:Analytic", "analytic.frames", "analytic.functions"),
    "output": ("output", "operators.output_times", "operators.output_times:LatestInput"),
}
"""Where the reference defines a kind of node: modules and their classes, unless it is the operator of the same name.

Kinds of windows are defined where their panes are.
"""


def docstring_of(thing: object) -> str:
    """Return the docstring of `thing` with its line breaks."""
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "")


def meaning_of(kind: str) -> list[tuple[str, str]]:
    """Return the places in the reference that define `kind`, each with its docstring."""
    if kind in WINDOWS:
        return [_meaning_of_windows(kind)]
    found = []
    for place in SOURCES.get(kind, (f"operators.{kind}",)):
        module, _, name = place.partition(":")
        thing = importlib.import_module(f"streaming.reference.{module}")
        found.append((_file(thing.__name__), docstring_of(getattr(thing, name) if name else thing)))
    return found


def _meaning_of_windows(kind: str) -> tuple[str, str]:
    """Return where the panes of `kind` are defined: with the fixed windows, or by a separate rule."""
    nodes = examples_of(f"window_{kind}")[0].case.graph.nodes
    panes = next(node.window.panes() for node in nodes if isinstance(node, WindowNode | TopKNode))
    if isinstance(panes, FixedPanes):
        return _file(fixed_windows.__name__), docstring_of(fixed_windows)
    rule = type(pane_rule(panes))
    return _file(rule.__module__), docstring_of(rule)


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
