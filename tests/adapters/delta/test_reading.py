"""A table is read version by version: each appended row once, the same rows for the same span in any process."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import InputAdapter, ReplayingAdapter, SampledAdapter
from streaming.adapters.entry_journal import shared_journal
from streaming.adapters.preview import sample
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.rows.arrived_rows import elements
from tests.adapters.delta.tables import STREAM, Lake
from tests.adapters.inputs import chunks, malformed, payloads, rows


def numbers(adapter: InputAdapter, step: int = 1_000_000) -> list[Any]:
    return payloads(rows(adapter, step), "n")


def test_versions_are_read_in_order_each_row_once_and_compaction_is_ignored(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append(range(5))
    lake.append([9, 7, 8])
    lake.compact()
    lake.append([20])
    lake.table.create_checkpoint()
    adapter = lake.reader()
    assert numbers(adapter) == [0, 1, 2, 3, 4, 9, 7, 8, 20]
    found = rows(lake.reader(None))
    assert found[6] == Event(Tick(70), Tick(71), {"n": 7, "k": "k1"}, None)
    assert not adapter.finished(adapter.latest({}, now=0, limit_rows=100)), "more may come"
    finite = lake.reader(None, follow=False)
    assert finite.finished(finite.latest({}, now=0, limit_rows=100))
    assert not finite.finished({"0": 3})


VERSIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 5)),
        st.tuples(st.just("compact"), st.just(0)),
        st.tuples(st.just("look"), st.integers(1, 4)),
        st.tuples(st.just("restart"), st.just(0)),
        st.tuples(st.just("checkpoint"), st.just(0)),
    ),
    min_size=5,
    max_size=14,
)


@given(steps=VERSIONS, cuts=st.sets(st.integers(1, 60), max_size=6))
@settings(max_examples=12, deadline=None)
def test_whatever_is_written_between_polls_each_row_is_read_once_and_again_the_same(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]], cuts: set[int]
) -> None:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    lake.append([0])
    adapter, reached, read, written = lake.reader(), 0, [], 1
    for what, many in [*steps, ("look", 1_000)]:
        if what == "append":
            lake.append(range(written, written + many))
            written += many
        elif what == "look":
            end = adapter.latest({"0": reached}, now=0, limit_rows=many)["0"]
            read += [each for chunk in adapter.read("0", reached, end) for each in elements(chunk)]
            reached = end
        elif what == "restart":
            shared_journal.cache_clear()
            adapter = lake.reader()
        else:
            (lake.compact if what == "compact" else lake.table.create_checkpoint)()
    assert payloads(read, "n") == list(range(written))
    shared_journal.cache_clear()
    other = lake.reader()
    bounds = [0, *sorted(each for each in cuts if each < reached), reached]
    again = [
        each
        for low, high in itertools.pairwise(bounds)
        for chunk in other.read("0", low, high)
        for each in elements(chunk)
    ]
    assert again == read


def test_it_starts_where_the_options_say(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    for number in range(4):
        lake.append([number * 10])
    at = [each["timestamp"] for each in reversed(lake.table.history())]

    def begun(name: str, **options: Any) -> list[Any]:
        adapter = lake.reader(name, **options)
        first = numbers(adapter)
        lake.append([99])
        after = numbers(lake.reader(name, **options))
        DeltaTable(lake.path).restore(3)  # each start sees the same versions
        (lake.log / f"{lake.table.version():020}.json").unlink()
        (lake.log / f"{lake.table.version():020}.json").unlink()
        return [first, after]

    assert begun("version", start="version", start_version=2) == [[20, 30], [20, 30, 99]]
    assert begun("snapshot", start="snapshot") == [[0, 10, 20, 30], [0, 10, 20, 30, 99]]
    assert begun("latest", start="latest") == [[], [99]]
    instant = str(pa.scalar(at[3], pa.timestamp("ms", "UTC")).cast(pa.string()))
    wanted = [number * 10 for number in range(4) if at[number] >= at[3]]
    assert begun("time", start="time", start_time=instant) == [wanted, [*wanted, 99]]


def test_partition_columns_and_columns_added_later_are_in_every_row(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    days = pa.array(["2026-11-23", "2026-11-24"]).cast(pa.date32())
    lake.append([1, 2], by=["k", "day"], day=days, k=["a b/c%", None])
    lake.append([3], day=days[:1], k=["ü"], more=[1.5], tags=[["x"]])
    fields = {"n": "long", "k": "string", "day": "timestamp", "more": "double", "tags": "array<string>"}
    stream = STREAM.model_copy(update={"fields": fields})
    for start in ("beginning", "snapshot"):
        found = {each.payload["n"]: each.payload for each in rows(lake.reader(start, stream, start=start))}
        assert {n: each["k"] for n, each in found.items()} == {1: "a b/c%", 2: None, 3: "ü"}
        assert [found[n]["day"] for n in (1, 2)] == [1_795_392_000_000_000, 1_795_478_400_000_000]
        assert [(found[n]["more"], found[n]["tags"]) for n in (1, 3)] == [(None, None), (1.5, ["x"])]


def test_ctis_are_in_a_column_and_rows_arrive_when_their_version_was_written(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append([1, 2, 3, 4, 5], cti=[None, "15", None, "infinity", "soon"])
    lake.append([6])
    found = rows(lake.reader(None, cti_column="cti"))
    assert [found[1], found[3]] == [Cti(Tick(15)), Cti(INFINITY)]
    assert payloads([found[0], found[2], found[5]], "n") == [1, 3, 6]
    assert rows(lake.reader(None, cti_column="cti", cti_strict=True))[1] == Cti(Tick(16))
    assert [row[1].value for row in malformed(lake.reader(None, cti_column="cti"))] == ["bad_cti"]
    implicit = StreamDefinition(fields={"n": "long"}, rowtime=Rowtime.IMPLICIT)
    at = [each["timestamp"] * 1_000 for each in reversed(lake.table.history())]
    [first, second] = chunks(lake.reader(None, implicit))
    assert (first.start.tolist(), second.start.tolist()) == ([at[0]] * 5, [at[1]])
    assert first.arrival is not None
    assert first.arrival.tolist() == [at[0]] * 5


def test_a_broken_row_affects_no_other_and_is_shown_whole(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append([1, 2], ts=[None, 20], other=["x", "y"])
    [(position, reason, raw)] = malformed(lake.reader(None))
    assert (position, reason.value) == (0, "bad_time")
    assert '"other":"x"' in raw
    assert len(sample(lake.reader(None), 10, now=0)) == 2


def test_a_sample_has_the_types_that_the_table_declares(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append([1, 2], by=["k"], price=pa.array(["1.10", "2.20"]).cast(pa.decimal128(10, 2)))
    adapter = lake.reader(None)
    assert isinstance(adapter, SampledAdapter)
    found = adapter.sample_records(30, 1 << 20, now=0)
    assert found.types == {"ts": "long", "n": "long", "k": "string", "price": "decimal(10,2)"}
    assert found.whole
    assert sorted(record["k"] for span in found.spans for record in span.records) == ["k0", "k1"]


def test_what_was_read_can_be_read_again_until_its_file_is_gone(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append(range(3))
    lake.append(range(3, 6))
    adapter = lake.reader()
    assert isinstance(adapter, ReplayingAdapter)
    adapter.latest({}, now=0, limit_rows=4)
    assert adapter.holds("0", 0, 4)
    assert not adapter.holds("0", 0, 100)
    lake.compact()
    lake.vacuum()
    assert not adapter.holds("0", 0, 4)
