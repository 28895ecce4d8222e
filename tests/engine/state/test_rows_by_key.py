"""Rows by key: all stored rows are read, whatever was cut, merged and moved down, with few other reads."""

from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.engine.columns.hashing import hash_of
from streaming.engine.state import rows_by_key as keyed
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.temporal.ticks import INFINITY

SCHEMA = pa.schema([("k", pa.string()), ("v", pa.int64())])
KEYS = st.one_of(st.none(), st.text("ab", max_size=3))
ROWS = st.lists(st.tuples(KEYS, st.one_of(st.integers(0, 20), st.just(INFINITY))), max_size=30)


class Box:
    """Stored tables; each turn opens them again."""

    def __init__(self) -> None:
        self.tables: dict[str, bytes] = {}
        self.head: dict[str, Any] = {}
        self.reads: list[str] = []

    def _load(self, name: str) -> bytes | None:
        self.reads.append(name)
        return self.tables.get(name)

    def open(self) -> NodeState:
        return NodeState(self._load, self.head)

    def close(self, state: NodeState) -> None:
        for name in state.dropped:
            self.tables.pop(name, None)
        self.tables |= state.written


def rows_of(state: NodeState) -> RowsByKey:
    return RowsByKey(state, "rows", ["k"], SCHEMA)


def table(rows: Sequence[tuple[str | None, int, int]]) -> tuple[pa.Table, Any]:
    columns = {
        "k": pa.array([row[0] for row in rows], pa.string()),
        "v": pa.array([row[1] for row in rows], pa.int64()),
    }
    return pa.table(columns), np.array([row[2] for row in rows], np.int64)


def counted(found: pa.Table) -> Counter[Any]:
    return Counter(zip(found["k"].to_pylist(), found["v"].to_pylist(), strict=True))


@given(
    steps=st.lists(st.tuples(st.sampled_from(["append", "rewrite", "forget"]), ROWS, st.integers(0, 20)), max_size=12),
    asked=st.lists(KEYS, max_size=4),
    most=st.sampled_from([1, 3, 4096]),
)
def test_what_is_read_is_what_was_put(
    steps: list[tuple[str, list[tuple[str | None, int]], int]], asked: list[str | None], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keyed, "MOST_ROWS", most)
        box, model, numbers = Box(), list[tuple[str | None, int, int]](), count()
        for what, drawn, cti in steps:
            rows = [(key, next(numbers), due) for key, due in drawn]
            state = box.open()
            stored = rows_of(state)
            if what == "append":
                stored.append(*table(rows))
                model += rows
            elif what == "rewrite":
                given_rows, due = table(rows)
                keys = {row[0] for row in rows}
                stored.rewrite(stored.slots_of([given_rows["k"].combine_chunks()], len(rows)), given_rows, due)
                model = [row for row in model if row[0] not in keys] + rows
            else:
                stored.forget(cti)
                kept = stored.read(None)
                assert counted(kept) >= Counter(row[:2] for row in model if row[2] > cti)
                assert counted(kept) <= Counter(row[:2] for row in model)
                model = [row for row in model if row[:2] in counted(kept)]
            box.close(state)
        stored = rows_of(box.open())
        assert counted(stored.read(None)) == Counter(row[:2] for row in model)
        assert stored.rows == len(model)
        slots = stored.slots_of([pa.array(asked, pa.string())], len(asked))
        found = counted(stored.read(slots))
        assert found == Counter(row[:2] for row in model if row[0] in asked)
        due = [row[0] for row in model if row[2] <= 10]
        assert set(stored.due_slots(10)) == set(stored.slots_of([pa.array(due, pa.string())], len(due)))


def test_few_tables_are_read_for_few_keys_and_few_written_for_few_rows() -> None:
    box = Box()
    state = box.open()
    many = [(f"key {number}", number, INFINITY) for number in range(100_000)]
    rows_of(state).append(*table(many))
    box.close(state)
    box.reads.clear()
    state = box.open()
    stored = rows_of(state)
    assert counted(stored.read(stored.slots_of([pa.array(["key 7", "key 8"])], 2))) == {
        ("key 7", 7): 1,
        ("key 8", 8): 1,
    }
    stored.append(*table(many[:100]))
    assert len(set(box.reads)) <= 5
    assert len(state.written) <= 3


def test_one_key_with_many_rows_is_not_written_again_and_again() -> None:
    box, written = Box(), 0
    for _ in range(64):
        state = box.open()
        rows_of(state).append(*table([("a", number, INFINITY) for number in range(1000)]))
        written += sum(len(each) for each in state.written.values())
        box.close(state)
    assert rows_of(box.open()).rows == 64_000
    assert written < 12 * sum(map(len, box.tables.values()))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.string(), ["", "a", "b", "ab", "ba", "é", None, "aa"]),
        (pa.int64(), [0, 1, -1, 2**63 - 1, None]),
        (pa.float64(), [0.0, 1.5, -1.5, None]),
        (pa.bool_(), [True, False, None]),
        (pa.decimal128(10, 2), [0, 1, -1, None]),
    ],
)
def test_different_values_have_different_hashes_wherever_they_stand(kind: pa.DataType, values: list[Any]) -> None:
    column = pa.array(values, kind)
    hashes = hash_of([column], len(values)).tolist()
    assert len(set(hashes)) == len(values)
    for place in range(len(values)):
        assert hash_of([column.slice(place)], len(values) - place).tolist() == hashes[place:]


def test_minus_zero_is_zero_and_no_keys_are_one_key() -> None:
    assert len(set(hash_of([pa.array([0.0, -0.0])], 2).tolist())) == 1
    assert len(set(hash_of([], 2).tolist())) == 1


def test_a_stored_hash_is_found_again_by_every_later_version() -> None:
    """The hash is fixed: changing it would lose the content of checkpoints."""
    columns = [pa.array(["a", None, "long text"]), pa.array([1, -1, 0])]
    assert hash_of(columns, 3).tolist() == [1459333105558043128, 2911658891502075804, 17825204164155413450]
    assert hash_of([pa.array(["l" * 300, "l" * 301])], 2).tolist() == [17883843665573303596, 7554205263225948253]
