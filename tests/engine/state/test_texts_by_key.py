"""Entries behave like a dictionary, and a batch writes its changes only."""

import random
from collections.abc import Sequence
from unittest.mock import patch
from zlib import crc32

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine.feed.coupled_lanes import CoupledFeed
from streaming.engine.feed.lane_feed import LaneFeed
from streaming.engine.state import texts_by_key as entries_module
from streaming.engine.state.container import HEAD, Blob, packed, unpacked
from streaming.engine.state.texts_by_key import AscendingKeys, TextsByKey
from streaming.planning.plan import Branch, InputPlan, QueryPlan
from streaming.temporal.events import Cti, Event, edge_end, edge_start, point
from streaming.temporal.settings import AdvanceTime, Generate, Idle, Late
from streaming.temporal.ticks import Tick, Ticks
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of

FIELDS = {"k": "string", "v": "long"}
ALIKE = ("plumless", "buckeroo")
"""Two keys with one hash."""
KEYS = st.sampled_from((*ALIKE, "", "é", *map(str, range(12))))
Change = tuple[str, str | None, int]
CHANGES = st.lists(st.tuples(KEYS, st.none() | st.text(max_size=3), st.integers(-3, 3)), max_size=8)


def test_there_are_keys_with_one_hash() -> None:
    assert crc32(ALIKE[0].encode()) == crc32(ALIKE[1].encode())


@given(st.lists(CHANGES, max_size=12), st.booleans())
def test_entries_are_a_dictionary_however_they_are_cut_into_batches(
    batches: Sequence[Sequence[Change]], looks: bool
) -> None:
    expected: dict[str, tuple[str, int]] = {}
    held, stored, blobs = TextsByKey(), None, {}
    for changes in batches:
        for key, value, rank in changes:
            held.put(key, value, rank)
            expected.pop(key, None)
            if value is not None:
                expected[key] = value, rank
            assert held.get(key) == value
            assert len(held) == len(expected)
        if looks:
            assert {key: (value, rank) for key, value, rank in held.items()} == expected
        blobs = dict[str, Blob]()
        stored = held.write(blobs)
        assert set(blobs) == set(stored["pieces"])
        held = TextsByKey(stored, {name: memoryview(blob) for name, blob in blobs.items()})
    assert {key: (value, rank) for key, value, rank in held.items()} == expected
    assert all(held.get(key) == (expected[key][0] if key in expected else None) for key in (*ALIKE, "é", "1", "7"))
    ranked = held.ranked()
    assert {ranked.key(at): int(rank) for at, rank in enumerate(ranked.ranks)} == {
        key: rank for key, (_, rank) in expected.items()
    }
    if not expected:
        assert blobs == {}


@given(st.lists(st.integers(-3, 3), max_size=20), st.lists(st.integers(0, 19), max_size=25), st.integers(1, 5))
def test_the_lowest_remaining_key(ranks: list[int], taken: list[int], few: int) -> None:
    held = TextsByKey()
    for number, rank in enumerate(ranks):
        held.put(f"{number}", "", rank)
    with patch.object(entries_module, "_FIRST", few):
        ascending = AscendingKeys(held.ranked())
        left = dict(enumerate(ranks))
        for number in taken:
            ascending.take_out(f"{number}")
            left.pop(number, None)
            assert ascending.lowest == min(left.values(), default=None)


def test_an_entry_is_written_again_as_often_as_its_piece_has_become_four_times_as_large() -> None:
    chosen = random.Random(3)
    held, known = TextsByKey(), set[str]()
    changed, written, most = 0, 0, 0
    for _ in range(400):
        for _ in range(10):
            held.put(f"{chosen.randrange(4_000)}", "x", 0)
            changed += 1
        blobs: dict[str, Blob] = {}
        stored = held.write(blobs)
        written += sum(_rows(blobs[name]) for name in blobs.keys() - known)
        known, most = set(blobs), max(most, len(stored["pieces"]))
        held = TextsByKey(stored, blobs)
    levels = np.log2(4_000 / 10) / 2 + 1
    assert written < changed * (levels + 1)
    assert most <= 4 * levels


def _rows(piece: Blob) -> int:
    return len(list(TextsByKey({"pieces": ["p"], "count": 0}, {"p": piece}).items()))


@given(st.dictionaries(st.text(max_size=5), st.binary(max_size=30), max_size=5))
def test_an_archive_holds_what_was_put_in_where_numbers_can_be_read(blobs: dict[str, bytes]) -> None:
    state = packed({HEAD: b"{}", **blobs})
    found = unpacked(state)
    assert {name: bytes(blob) for name, blob in found.items()} == {HEAD: b"{}", **blobs}
    begin = np.frombuffer(state, np.uint8).ctypes.data
    assert all((np.frombuffer(blob, np.uint8).ctypes.data - begin) % 8 == 0 for blob in found.values() if len(blob))


def plan(shape: str, over: str | None, advance: AdvanceTime) -> QueryPlan:
    fields = parse_fields(FIELDS)
    stream = StreamDefinition.model_validate({"shape": shape, "fields": FIELDS, "lanes": ["a"]})
    branches = (Branch("out", (), fields, fields),)
    found = None if over is None else typed(parse(over), fields)
    expression = found.expression if isinstance(found, TypedExpression) else None
    only = InputPlan("s", stream, fields, advance, ("a",), branches, over=expression)
    return QueryPlan({"s": only}, (), {}, 1, together=over is not None)


def fed(of: QueryPlan, state: bytes | None, *elements: Event | Cti) -> bytes:
    rows = [JudgedRow(number, each, "raw") for number, each in enumerate(elements)]
    arrived = arrived_of(rows, of.inputs["s"].stream)
    if of.together:
        together = CoupledFeed(of, state, {"s": ["a"]})
        together.take("s", "a", arrived)
        return together.finish(()).state
    feed = LaneFeed(of, "s", "a", state)
    feed.take(arrived)
    return feed.finish(end=False).state


def added(state: bytes, before: bytes) -> int:
    """Return how many bytes of `state` are not in pieces that `before` has too."""
    known = unpacked(before).keys() - {HEAD}
    return sum(len(blob) for name, blob in unpacked(state).items() if name not in known)


MANY = 3_000
EVERY = AdvanceTime(Generate(delay=Ticks(0), every_count=1))


def test_a_batch_of_one_key_adds_one_key_to_the_state_of_many() -> None:
    of = plan("point", "k", EVERY)
    state = fed(of, None, *(point(number, {"k": f"{number}"}) for number in range(MANY)))
    assert len(state) > 100 * MANY > 100 * added(fed(of, state, point(MANY, {"k": "7"})), state)


def test_a_cti_of_a_lane_moves_all_its_keys_and_adds_none() -> None:
    of = plan("point", "k", AdvanceTime())
    state = fed(of, None, *(point(number, {"k": f"{number}"}) for number in range(MANY)))
    moved = fed(of, state, Cti(Tick(MANY)))
    assert added(moved, state) < MANY
    feed = CoupledFeed(of, moved, {"s": ["a"]})
    assert feed.finish(()).counts["s", "a"].cti == MANY


def test_a_batch_of_one_edge_adds_one_edge_to_the_state_of_many() -> None:
    of = plan("edge", None, AdvanceTime(late=Late.ADJUST))
    state = fed(of, None, *(edge_start(number, {"v": number}) for number in range(MANY)))
    one = fed(of, state, edge_end(7, MANY, {"v": 7}))
    assert len(state) > 50 * MANY > 20 * added(one, state)


def test_edges_that_are_few_again_are_json_again() -> None:
    of = plan("edge", None, AdvanceTime(late=Late.ADJUST))
    few = fed(of, None, *(edge_start(number, {"v": number}) for number in range(5)))
    many = fed(of, few, *(edge_start(number, {"v": number}) for number in range(5, MANY)))
    again = fed(of, many, *(edge_end(number, MANY, {"v": number}) for number in range(5, MANY)))
    assert (few[:1], many[:1], again[:1]) == (b"{", b"\0", b"{")
    assert b'"open_edges":[[0,' in again


STEPS = st.lists(
    st.lists(
        st.one_of(st.integers(1, 30), st.tuples(st.sampled_from("xy"), st.integers(-20, 20))), min_size=1, max_size=4
    ),
    min_size=4,
    max_size=8,
)
"""Batches of heartbeats, so much later than the previous one, and of events of a key, so much after the last one."""


def ctis_and_counts(of: QueryPlan, batches: Sequence[Sequence[int | tuple[str, int]]], few: int) -> list[object]:
    """Return CTIs and counts after each batch; more than `few` keys are many."""
    found: list[object] = []
    state, now, at, position = None, 0, 0, 0
    for batch in batches:
        feed = CoupledFeed(of, state, {"s": ["a"]})
        for each in batch:
            if isinstance(each, int):
                now += each
                feed.beat(now)
                continue
            at, position = at + each[1], position + 1
            rows = [JudgedRow(position, point(at, {"k": each[0]}), "raw", Tick(now) if position % 3 else None)]
            feed.take("s", "a", arrived_of(rows, of.inputs["s"].stream))
        with patch.object(entries_module, "FEW", few):
            turn = feed.finish(())
        state = turn.state
        found.append((turn.counts, turn.envelopes))
    return found


@example([[1, ("x", 10), ("y", 40)], [15, ("y", 10)], [10], [("x", -40)]], Idle.LEAVE_OUT, 0)
@given(STEPS, st.sampled_from(list(Idle)), st.sampled_from((0, 1)))
def test_keys_that_fell_silent_are_known_when_they_are_many(
    batches: Sequence[Sequence[int | tuple[str, int]]], idle: Idle, few: int
) -> None:
    of = plan("point", "k", AdvanceTime(Generate(delay=Ticks(0), every_count=1), idle_after=Ticks(20), idle=idle))
    assert ctis_and_counts(of, batches, few) == ctis_and_counts(of, batches, entries_module.FEW)
