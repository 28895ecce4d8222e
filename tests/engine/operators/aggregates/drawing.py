"""Random members of panes, and the reference's results for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Fields,
    Struct,
    Type,
)
from streaming.definition.windows import SessionPanes
from streaming.engine.columns.flows import Flows
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import WindowSpec
from streaming.reference.aggregates.result_column import aggregate_value
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, Flow
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_TICKS, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

DOUBLES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e150, 1e150),
    st.sampled_from((0.0, -0.0, 0.1, 1.5, 1e15, 1e15 + 0.125, -2.5, 1e308, -1.5e308)),
)
LONGS = st.one_of(
    st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.sampled_from((2**62, 2**62 + 1, -(2**63), 2**63 - 1))
)
CENTS = DecimalOf(10, 2)
WIDE = DecimalOf(38, 6)
PAIR = Struct((("a", LONG), ("b", STRING)))
TEXTS = st.sampled_from(("", "a", "b", "ab", "é", "\U0001f600", "\uffff"))
VALUES: Final[Mapping[Type, st.SearchStrategy[Any]]] = {
    LONG: LONGS,
    DOUBLE: DOUBLES,
    STRING: TEXTS,
    BOOLEAN: st.booleans(),
    TIMESTAMP: st.one_of(st.integers(-3, 3), st.integers(FIRST_TICK, LAST_TICK)),
    CENTS: st.integers(-(10**10) + 1, 10**10 - 1).map(lambda units: Decimal(units).scaleb(-2)),
    WIDE: st.one_of(st.integers(-2, 2), st.integers(10**38 - 5, 10**38 - 1)).map(lambda units: scaled(units, 6)),
    Array(LONG): st.lists(st.one_of(st.none(), st.integers(-2, 2)), max_size=2),
    PAIR: st.tuples(st.one_of(st.none(), st.integers(-1, 1)), st.one_of(st.none(), TEXTS)).map(
        lambda both: {"a": both[0], "b": both[1]}
    ),
}
FRACTIONS = st.sampled_from(("0", "1", "0.5", "0.25", "0.95", "0.333", "0.1"))
WHERE: Final = ("w > 0", "w % 2 = 0 or w is null", "w > 100")


def scaled(units: int, scale: int) -> Decimal:
    """Return a decimal of up to 38 digits, exactly."""
    return Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -scale))


def expression(text: str, fields: Fields) -> Expression:
    """Return the typed expression."""
    found = typed(parse(text), fields)
    assert isinstance(found, TypedExpression), found
    return found.expression


@dataclass(frozen=True)
class Member:
    """One event: its group, value and the number that filters read, its lifetime, and its panes by index."""

    group: str | None
    value: Any
    w: int | None
    start: int
    end: int
    first: int
    last: int
    id: str | None = None


@dataclass(frozen=True)
class Scene:
    """Members of panes of a window: hopping ones, with numbers that groups share (`shared`), or others."""

    spec: WindowSpec
    members: tuple[Member, ...]
    size: int
    hop: int
    shared: bool

    def bounds(self, number: Int64s) -> tuple[Int64s, Int64s]:
        """Return the bounds; panes of separate groups are 1,000 numbers apart; the last of each group never ends."""
        index = number if self.shared else number % 1_000 - 100
        start = index * self.hop
        return start, np.where(index >= 8, INFINITY, start + self.size)

    def number(self, group: str | None, index: int) -> int:
        """Return the number of the pane `index` of the group."""
        return index if self.shared else index + 100 + 1_000 * ("a", "b", None).index(group)

    def flows(self) -> Flows:
        """Return the members in columns; with ids if some member has one."""
        ids = [each.id for each in self.members]
        of = self.spec.aggregates[0].of_type or LONG
        return Flows(
            np.array([each.start for each in self.members], np.int64),
            np.array([each.end for each in self.members], np.int64),
            {
                "g": pa.array([each.group for each in self.members], pa.string()),
                "v": pa.array([each.value for each in self.members], arrow_type(of)),
                "w": pa.array([each.w for each in self.members], pa.int64()),
            },
            id=pa.array(ids, pa.string()) if any(ids) else None,
            stamp=np.array([each.start + 1 for each in self.members], np.int64),
        )

    def panes(self) -> tuple[Int64s, Int64s]:
        """Return the first and last pane of each member."""
        first = [self.number(each.group, each.first) for each in self.members]
        last = [self.number(each.group, each.last) for each in self.members]
        return np.array(first, np.int64), np.array(last, np.int64)

    def within(self) -> dict[tuple[int, str | None], list[Member]]:
        """Return the members of each pane."""
        found: dict[tuple[int, str | None], list[Member]] = {}
        for each in self.members:
            for index in range(each.first, each.last + 1):
                found.setdefault((self.number(each.group, index), each.group), []).append(each)
        return found


class Deaf:
    """A witness that records nothing."""

    cause: CausingCti | None = None

    def took(self, node: str, flow: Flow) -> None:
        """Fail: aggregates never report this."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Fail: aggregates never report this."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Fail: aggregates never report this."""

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """Ignore the failure: it is not compared."""


def expected(scene: Scene, aggregate: AggregateColumn, members: Sequence[Member], number: int) -> Any:
    """Return the reference's result for the members of one pane."""
    start, end = (int(bound[0]) for bound in scene.bounds(np.array([number])))
    flows = [
        Flow(
            place,
            Tick(each.start),
            Tick(each.end),
            {"g": each.group, "v": each.value, "w": each.w},
            frozenset(),
            Tick(0),
        )
        for place, each in enumerate(members)
    ]
    return aggregate_value(aggregate, flows, (Tick(start), Tick(end)), "w", Deaf())


def aggregate_of(function: str, of: Type, where: str | None, k: int, fraction: str, name: str = "x") -> AggregateColumn:
    """Return the column of `function` over v."""
    fields = {"g": STRING, "v": of, "w": LONG}
    result = aggregate_type(function, of)
    assert result is not None
    return AggregateColumn(
        name=name,
        function=function,
        of=expression("v", fields),
        where=None if where is None else expression(where, fields),
        of_type=of,
        type=result,
        k=k if AGGREGATES[function].parameter == "k" else None,
        fraction=Fraction(fraction) if AGGREGATES[function].parameter == "fraction" else None,
    )


def fitting(of: Type) -> list[str]:
    """Return the functions that take values of this type."""
    return [function for function in sorted(AGGREGATES) if aggregate_type(function, of) is not None]


def window_of(aggregates: Sequence[AggregateColumn], *, shared: bool, size: int, hop: int) -> WindowSpec:
    """Return a window by g."""
    panes = HoppingWindows(Ticks(size), Ticks(hop)) if shared else SessionPanes(1, None)
    fields: Fields = {"g": STRING, **{each.name: each.type for each in aggregates}}
    return WindowSpec("w", panes, NO_TICKS, True, ("g",), tuple(aggregates), fields, "running")


@st.composite
def members(draw: st.DrawFn, of: Type, size: int, hop: int) -> list[Member]:
    """Draw members in one pane or more, which their lifetimes meet."""
    found = []
    for number in range(draw(st.integers(1, 10))):
        first = draw(st.integers(-3, 6))
        last = first + draw(st.sampled_from((0, 0, 0, 1, 2, 3, 5, 17)))
        start = first * hop + draw(st.integers(-2, size - 1))
        least = max(start, last * hop) + 1
        end = draw(st.one_of(st.integers(least, least + size), st.just(INFINITY)))
        value = draw(st.one_of(VALUES[of], VALUES[of], VALUES[of], st.none()))
        w = draw(st.sampled_from((None, 0, 1, 2)))
        found.append(Member(draw(st.sampled_from(("a", "b", None))), value, w, start, end, first, last, f"e{number}"))
    return found


@st.composite
def scenes(draw: st.DrawFn, functions: Sequence[str], of: Type, *, shared: bool | None = None) -> Scene:
    """Draw members of panes and a window with `functions` over values of type `of`."""
    size, hop = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    shared = draw(st.booleans()) if shared is None else shared
    aggregates = []
    for place, function in enumerate(functions):
        where = draw(st.sampled_from((None, None, *WHERE)))
        k, fraction = draw(st.integers(1, 3)), draw(FRACTIONS)
        aggregates.append(aggregate_of(function, of, where, k, fraction, f"x{place}"))
    drawn = draw(members(of, size, hop))
    return Scene(window_of(aggregates, shared=shared, size=size, hop=hop), tuple(drawn), size, hop, shared)
