"""Every kind of node, window and setting has an explanation; a new one fails here until it has one."""

from typing import Any, get_args

from streaming.definition.graph import Emit, Empty, JoinType, Node, OutputTimestamp
from streaming.definition.streams.stream import Rowtime
from streaming.definition.windows import WindowSpec
from streaming.planning.explain import clocks, descriptions, text
from streaming.planning.explain.cti_rules import NODE_RULES
from streaming.planning.explain.model import BoundedBy
from streaming.planning.explain.registry import KINDS
from streaming.planning.explain.windows.registry import WINDOW_KINDS
from streaming.temporal.settings import Basis, Future, Idle, Late, LateEnd


def members(union: Any) -> set[Any]:
    return set(get_args(get_args(union)[0]))


def kinds(union: Any) -> set[str]:
    return {get_args(model.model_fields["kind"].annotation)[0] for model in members(union)}


def test_every_kind_of_node_has_an_entry() -> None:
    assert KINDS.keys() == members(Node)
    assert NODE_RULES.keys() == kinds(Node)


def test_every_kind_of_window_has_an_entry() -> None:
    assert WINDOW_KINDS.keys() == members(WindowSpec)


def test_every_mode_and_timestamp_has_a_sentence() -> None:
    assert descriptions.EMITS.keys() == set(get_args(Emit))
    assert descriptions.EMPTIES.keys() == set(get_args(Empty))
    assert descriptions.JOINS.keys() == descriptions.ASOF_JOINS.keys() == set(get_args(JoinType))
    assert descriptions.TIMESTAMPS.keys() == set(get_args(OutputTimestamp))


def test_every_policy_has_a_sentence() -> None:
    assert clocks.LATE.keys() == set(Late)
    assert clocks.LATE_ENDS.keys() == set(LateEnd)
    assert clocks.BASES.keys() == set(Basis)
    assert clocks.IDLE.keys() == set(Idle)
    assert clocks.FUTURES.keys() == set(Future)
    assert clocks.ROWTIMES.keys() == set(Rowtime)


def test_every_bound_has_a_sentence() -> None:
    assert text.BOUNDS.keys() == set(get_args(BoundedBy))
