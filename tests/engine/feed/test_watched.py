"""Rows whose outcome is decided after the shuffle, and the buckets that they are sent to."""

from collections.abc import Sequence
from typing import Any

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Long
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.columns.flows import Flows
from streaming.engine.columns.ipc import from_bytes
from streaming.engine.exchange.envelopes import WATCHED_SCHEMA, Envelope, LaneTurn
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.planning.columns import AggregateColumn
from streaming.planning.plan import Branch, InputPlan, QueryPlan, WindowSpec
from streaming.planning.steps import FilterStep, ShiftStep, Step
from streaming.temporal.events import Cti, Event, interval, point
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import NO_CTI, Tick, Ticks
from streaming.temporal.windows import HoppingWindows
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of

FIELDS = {"k": "string", "v": "long"}
TYPES = parse_fields(FIELDS)


def expression(text: str) -> Expression:
    found = typed(parse(text), TYPES)
    assert isinstance(found, TypedExpression)
    return found.expression


def branch(name: str, *steps: Step, keys: tuple[str, ...] = ("k",)) -> Branch:
    return Branch(name, steps, TYPES, TYPES, keys=keys)


def folded(name: str, *, size: int = 10, hop: int = 10, grace: int = 0) -> Branch:
    counted = AggregateColumn("n", "count", None, None, None, Long())
    windows = HoppingWindows(Ticks(size), Ticks(hop))
    fields = {"k": TYPES["k"], "n": Long()}
    spec = WindowSpec(name, windows, grace, one_clock=True, group_by=("k",), aggregates=(counted,), fields=fields)
    return Branch(name, (), TYPES, TYPES, spec, keys=("k",))


def plan(
    *branches: Branch, shape: str = "point", buckets: int = 1, longer: int | None = None, **more: Any
) -> QueryPlan:
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, "lanes": ["a"]})
    advance = AdvanceTime(late=Late.KEEP)
    only = InputPlan("s", stream, TYPES, advance, ("a",), branches, watch_longer=longer)
    return QueryPlan({"s": only}, (), {}, buckets, **{"watched": True, **more})


def turn(of: QueryPlan, *elements: Event | Cti) -> LaneTurn:
    feed = LaneFeed(of, "s", "a", None)
    rows = [JudgedRow(number, each, f"raw {number}") for number, each in enumerate(elements)]
    feed.take(arrived_of(rows, of.inputs["s"].stream))
    return feed.finish(end=False)


def watched_rows(sent: LaneTurn) -> list[tuple[int, str, str, str | None]]:
    """Return for each watched row the bucket, the source, the clock's outcome and the reason of a refusal so far."""
    found = []
    for each in sent.envelopes:
        if each.kind == "watched":
            table = from_bytes(each.chunk)
            assert table.schema.equals(WATCHED_SCHEMA)
            rows = table.to_pylist()
            found += [(each.bucket, row["source"], row["outcome"], row["refused"]) for row in rows]
    return found


def flows_of(envelopes: Sequence[Envelope]) -> dict[int, Flows]:
    events = [each for each in envelopes if each.kind == "events"]
    return {each.bucket: Flows.of_table(from_bytes(each.chunk).replace_schema_metadata(None)) for each in events}


def test_a_late_kept_row_is_watched_and_not_listed() -> None:
    sent = turn(plan(branch("w")), Cti(Tick(20)), point(7, {"k": "x"}), point(25, {"k": "x"}))
    assert watched_rows(sent) == [(0, "s/a/1", "late_kept", None)]
    assert sent.late.num_rows == 0
    assert sent.counts.outcomes == {Outcome.LATE_KEPT: 1, Outcome.ON_TIME: 1}
    (flows,) = flows_of(sent.envelopes).values()
    assert flows.source is not None
    assert flows.source.to_pylist() == ["s/a/1", None]
    assert flows.lates.tolist() == [20, NO_CTI]


def test_where_nothing_is_watched_a_late_kept_row_is_listed_at_once() -> None:
    sent = turn(plan(branch("out"), watched=False), Cti(Tick(20)), point(7, {"k": "x"}))
    assert watched_rows(sent) == []
    assert [row["outcome"] for row in sent.late.to_pylist()] == ["late_kept"]
    (flows,) = flows_of(sent.envelopes).values()
    assert flows.source is None


def test_a_row_is_sent_to_the_buckets_of_its_flows_and_to_the_first_without_flows() -> None:
    of = plan(branch("w", FilterStep("f", expression("v > 0"))), buckets=3)
    rows = [point(at, {"k": f"key {at}", "v": at % 2}) for at in range(8)]
    sent = turn(of, Cti(Tick(20)), *rows)
    expected = {
        (bucket, source)
        for bucket, flows in flows_of(sent.envelopes).items()
        for source in (flows.source.to_pylist() if flows.source is not None else ())
    }
    assert len({bucket for bucket, _ in expected}) > 1
    gone = {(0, f"s/a/{1 + at}") for at in range(8) if at % 2 == 0}
    assert {(bucket, source) for bucket, source, _, _ in watched_rows(sent)} == expected | gone


def test_a_row_that_a_window_of_the_feed_takes_is_not_watched() -> None:
    sent = turn(plan(branch("w"), folded("t", grace=15)), Cti(Tick(20)), point(7, {"k": "x"}), point(4, {"k": "x"}))
    assert watched_rows(sent) == []
    assert [row["outcome"] for row in sent.late.to_pylist()] == ["late_kept", "late_kept"]


def test_a_refusal_of_a_window_of_the_feed_is_sent_if_others_may_still_take_the_row() -> None:
    sent = turn(plan(branch("w"), folded("t", grace=5)), Cti(Tick(20)), point(7, {"k": "x"}))
    assert watched_rows(sent) == [(0, "s/a/1", "late_kept", "window_closed")]


def test_a_long_row_is_watched_and_one_that_is_as_long_as_allowed_is_not() -> None:
    of = plan(branch("w"), shape="interval", longer=10)
    sent = turn(of, interval(0, 10, {"k": "x"}), interval(0, 11, {"k": "x"}))
    assert watched_rows(sent) == [(0, "s/a/1", "on_time", None)]
    assert sent.late.num_rows == 0


def test_too_many_windows_outweigh_closed_ones() -> None:
    of = plan(folded("closed"), folded("many", size=1, hop=1, grace=100_000), shape="interval")
    sent = turn(of, Cti(Tick(200_000)), interval(0, 9_000, {"k": "x"}), interval(0, 150_000, {"k": "y"}))
    assert [(row["outcome"], row["reason"]) for row in sent.late.to_pylist()] == [
        ("dropped_window_closed", "window_closed"),
        ("malformed", "too_many_windows"),
    ]
    assert sent.counts.outcomes == {Outcome.DROPPED_WINDOW_CLOSED: 1, Outcome.MALFORMED: 1}


def test_after_a_shift_the_cti_that_a_late_row_met_is_shifted_too() -> None:
    of = plan(branch("w", ShiftStep("h", 100)), stamps=True)
    (flows,) = flows_of(turn(of, Cti(Tick(20)), point(7, {"k": "x"})).envelopes).values()
    assert (flows.start.tolist(), flows.lates.tolist(), flows.stamps.tolist()) == ([107], [120], [107])
