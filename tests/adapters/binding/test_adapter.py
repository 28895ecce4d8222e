"""Results as an input: each row and CTI once, in order, however commits are merged and spans are divided."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, ReplayingAdapter
from streaming.adapters.entry_journal import shared_journal
from streaming.definition.streams.stream import StreamDefinition
from streaming.spark.sink import compaction
from streaming.storage.blobs import LocalFolder
from streaming.storage.stored import remove
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.deliveries import advance_reader, kept_from, tend_readers
from tests.adapters.binding.feeding import BINDING, Feeder, read, row

BATCHES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=30
)
BEGINNING: dict[str, Any] = {
    "after": "first", "incomplete_before": {}, "until": {}, "alike": [], "open_from": None, "open_until": None,
    "rows_again": 0, "sentence": "It began anew.",
}  # fmt: skip


def event(start: int, end: int | None, payload: dict[str, Any], edge: EdgeKind | None = None) -> Event:
    return Event(Tick(start), INFINITY if end is None else Tick(end), payload, edge)


def fill(feeder: Feeder, batches: list[tuple[int, int, bool, bool]]) -> list[object]:
    """Commit batches; each is the number of rows of the output and of another, and whether it has a CTI, and a new
    one.
    """
    wanted: list[object] = []
    cti = 0
    last_cti: int | None = None
    for place, (mine, others, has_cti, moves) in enumerate(batches):
        rows = [row(n, cti + n, cti + n + 5) for n in range(mine)]
        wanted += [event(each.start, each.end, each.payload) for each in rows]
        cti += 3 * moves
        now = cti if has_cti or last_cti is not None else None
        feeder.commit(rows, now, other=[row(place, 0, 1, "other") for _ in range(others)])
        if now is not None and now != last_cti:
            wanted.append(Cti(Tick(now)))
        last_cti = now
    return wanted


def merge(feeder: Feeder, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compaction, "NEWEST_LEFT", 2)
    patch.setattr(compaction, "FEWEST_MERGED", 2)
    while compaction.compact(LocalFolder(feeder.folder), now_s=4e9):
        pass


def forget_process() -> None:
    shared_journal.cache_clear()


@given(batches=BATCHES, cuts=st.sets(st.integers(0, 150)), limit=st.integers(1, 40), merged=st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_any_cuts_and_merges_give_the_same_rows_and_ctis(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[tuple[int, int, bool, bool]],
    cuts: set[int],
    limit: int,
    merged: int,
) -> None:
    feeder = Feeder(tmp_path_factory.mktemp("feeder"))
    wanted = fill(feeder, batches)
    found: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        reached, whole = 0, True
        adapter = feeder.reader()
        for turn in itertools.count():
            following = adapter.latest({"0": reached}, now=0, limit_rows=limit)["0"]
            if following == reached:
                break
            found += read(adapter, reached, following)
            reached = following
            if turn == merged:
                whole = reached == len(wanted)
                merge(feeder, patch)
                forget_process()
                adapter = feeder.reader()
        rest = iter(wanted)
        assert all(each in rest for each in found), "nothing is added and nothing changes places"
        assert [each for each in found if isinstance(each, Event)] == [
            each for each in wanted if isinstance(each, Event)
        ]
        assert not wanted or found[-1] == wanted[-1], "only the last CTI must not be replaced by a later one"
        assert found == wanted or not whole, "each CTI keeps its place, unless it was merged before it was read"
        merge(feeder, patch)
    ends = sorted({0, reached, *(cut for cut in cuts if cut < reached)})
    again = [each for low, high in itertools.pairwise(ends) for each in read(feeder.reader(), low, high)]
    assert again == found


def test_missing_batches_have_no_rows_and_later_ones_are_read(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    adapter = feeder.reader()
    assert adapter.lanes() == ("0",)
    assert adapter.latest({}, now=0, limit_rows=9) == {"0": 0}
    feeder.commit([row(1, 0, 5)], 3)
    assert adapter.latest({"0": 0}, now=0, limit_rows=9) == {"0": 2}
    assert not adapter.finished({"0": 2})
    feeder.commit([row(2, 6, 9)], INFINITY)
    feeder.commit([], INFINITY)
    assert adapter.latest({"0": 2}, now=0, limit_rows=9) == {"0": 4}
    assert read(adapter, 0, 4) == [event(0, 5, {"n": 1}), Cti(Tick(3)), event(6, 9, {"n": 2}), Cti(INFINITY)]
    assert adapter.finished({"0": 4})
    assert not adapter.finished({"0": 3})
    feeder.commit([], 7, run="second", beginning={**BEGINNING, "how": "oldest_open"})
    assert not adapter.finished({"0": 4}), "the binding resumed"


def test_an_end_that_was_not_final_is_not_passed_on(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], INFINITY)
    feeder.commit([row(2, 6, 9)], 6, run="second", beginning={**BEGINNING, "how": "oldest_open"})
    adapter = feeder.reader()
    assert adapter.latest({}, now=0, limit_rows=9) == {"0": 3}
    assert read(adapter, 0, 3) == [event(0, 5, {"n": 1}), event(6, 9, {"n": 2}), Cti(Tick(6))]


@pytest.mark.parametrize(
    ("before", "after", "beginning"),
    [
        (9, 4, None),
        (9, None, None),
        (INFINITY, INFINITY, None),
        (4, 9, {**BEGINNING, "how": "beginning"}),
    ],
)
def test_results_restarted_without_state_stop_a_reader_and_are_read_by_a_new_one(
    tmp_path: Path, before: int, after: int | None, beginning: dict[str, Any] | None
) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], before)
    adapter = feeder.reader()
    reached = adapter.latest({}, now=0, limit_rows=9)
    feeder.commit([row(2, 0, 5)], after, run="second", beginning=beginning)
    for again in (adapter, adapter, feeder.reader()):
        with pytest.raises(
            AdapterError, match=r"restarted without its state.*Start this binding from the beginning"
        ) as caught:
            again.latest(reached, now=0, limit_rows=9)
        assert caught.value.domain == "user"
    fresh = feeder.reader(journal="anew")
    (end,) = fresh.latest({}, now=0, limit_rows=9).values()
    assert read(fresh, 0, end)[0] == event(0, 5, {"n": 2})


def test_a_version_that_resumes_is_read_further(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    adapter = feeder.reader()
    reached = adapter.latest({}, now=0, limit_rows=9)
    feeder.commit([row(2, 5, 9)], 5, run="second", beginning={**BEGINNING, "how": "old_positions"})
    feeder.commit([row(3, 9, 10)], 10, run="third")
    forget_process()
    assert feeder.reader().latest(reached, now=0, limit_rows=9) == {"0": 5}
    assert read(feeder.reader(), 2, 5) == [event(5, 9, {"n": 2}), event(9, 10, {"n": 3}), Cti(Tick(10))]


def stream(shape: str, **settings: Any) -> StreamDefinition:
    return StreamDefinition.model_validate({"shape": shape, "fields": {"n": "long"}, **settings})


def test_edges_are_edges_and_whole_rows_among_them_a_start_and_an_end(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, None, edge="start", key="a"), row(2, 1, 4), row(3, 2, None)], 2)
    feeder.commit([row(1, 0, 7, edge="end", key="a")], 8)
    adapter = feeder.reader(stream("edge"))
    assert adapter.latest({}, now=0, limit_rows=99) == {"0": 7}
    wanted = [
        event(0, INFINITY, {"n": 1}, EdgeKind.START),
        event(1, INFINITY, {"n": 2}, EdgeKind.START),
        event(1, 4, {"n": 2}, EdgeKind.END),
        event(2, INFINITY, {"n": 3}, EdgeKind.START),
        Cti(Tick(2)),
        event(0, 7, {"n": 1}, EdgeKind.END),
        Cti(Tick(8)),
    ]
    assert [each for at in range(7) for each in read(adapter, at, at + 1)] == wanted


@pytest.mark.parametrize(
    ("attributes", "shape", "sentence"),
    [
        ({"edge": "start", "key": "a"}, "interval", "Set its shape to 'edge'"),
        ({"edge": "end", "key": "a", "deleted": True}, "edge", "Put 'to intervals' before"),
        ({}, "point", "Set its shape to 'interval'"),
        (
            {"pane": {"start": 0, "end": 5, "timing": "early", "index": 0, "is_last": False}, "key": "a"},
            "interval",
            "set 'emit: final'",
        ),
    ],
)
def test_rows_that_cannot_be_events_stop_the_reader_with_an_error(
    tmp_path: Path, attributes: dict[str, Any], shape: str, sentence: str
) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5, **attributes)], 5)
    adapter = feeder.reader(stream(shape))
    with pytest.raises(AdapterError, match=sentence):
        read(adapter, 0, adapter.latest({}, now=0, limit_rows=9)["0"])


def test_a_stream_of_results_has_no_times_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="Leave out the event time"):
        Feeder(tmp_path).reader(stream("point", rowtime="implicit"))


def test_a_payload_of_other_fields_is_malformed_and_counted(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    adapter = feeder.reader(StreamDefinition.model_validate({"shape": "interval", "fields": {"n": "string"}}))
    adapter.latest({}, now=0, limit_rows=9)
    (chunk,) = adapter.read("0", 0, 1)
    assert [reason.value for reason in chunk.malformed.values()] == ["bad_payload"]
    assert '"n": 1' in chunk.raw([0])[0]


def test_decimals_and_timestamps_are_read_exactly(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    given_row = row(1, 0, 5)
    given_row.payload.clear()
    given_row.payload.update({"d": "1.50", "t": "2026-01-01T00:00:00Z", "a": ["2.5"]})
    feeder.commit([given_row])
    fields = {"d": "decimal(10, 2)", "t": "timestamp", "a": "array<decimal(5, 1)>"}
    adapter = feeder.reader(StreamDefinition.model_validate({"shape": "interval", "fields": fields}))
    adapter.latest({}, now=0, limit_rows=9)
    (event,) = read(adapter, 0, 1)
    assert isinstance(event, Event)
    assert (str(event.payload["d"]), event.payload["t"], str(event.payload["a"][0])) == (
        "1.50",
        1_767_225_600_000_000,
        "2.5",
    )


DAMAGED_FILES = [
    ("commits/0.json", '{"batch": 0', "The file commits/0.json of"),
    ("results/part-0-0.jsonl", "{", "The file results/part-0-0.jsonl of"),
    ("results/part-0-0.jsonl", '{"output":"out","st', "A file with rows of batch 0 of"),
]


@pytest.mark.parametrize("shape", ["interval", "edge"])
@pytest.mark.parametrize(("name", "content", "sentence"), DAMAGED_FILES)
def test_a_damaged_file_is_named_with_what_to_do(
    tmp_path: Path, name: str, content: str, sentence: str, shape: str
) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    (feeder.folder / name).write_text(content + "\n")
    adapter = feeder.reader(stream(shape))
    with pytest.raises(AdapterError, match=f"{sentence} the binding {BINDING}.*damaged.*restore it from") as caught:
        read(adapter, 0, adapter.latest({}, now=0, limit_rows=9)["0"])
    assert caught.value.domain == "external", "it is tried again"


def test_the_damaged_start_of_a_run_is_named(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    reached = feeder.reader().latest({}, now=0, limit_rows=9)
    feeder.commit([row(2, 5, 9)], 9, run="second", beginning={**BEGINNING, "how": "beginning"})
    path = tmp_path / "kept" / BINDING / "begin" / "first.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    forget_process()
    with pytest.raises(AdapterError, match=f"The file kept/{BINDING}/begin/first.json of"):
        feeder.reader().latest(reached, now=0, limit_rows=9)


def test_rows_deleted_before_they_were_read_are_reported(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    for n in range(3):
        feeder.commit([row(n, n, n + 1)], n)
    adapter = feeder.reader()
    assert isinstance(adapter, ReplayingAdapter)
    assert adapter.latest({}, now=0, limit_rows=2) == {"0": 2}
    assert adapter.holds("0", 0, 2)
    remove(feeder.folder, "results", 1)
    assert not adapter.holds("0", 0, 2)
    with pytest.raises(AdapterError, match="results were deleted before they were read"):
        read(adapter, 0, 2)


def test_a_mark_keeps_unread_rows_and_the_previous_batch(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path)
    for n in range(4):
        feeder.commit([row(n, n, n + 1)])
    tend_readers(feeder.folder, ["r.cars", "gone.cars"])
    tend_readers(feeder.folder, ["r.cars"])
    assert kept_from(feeder.folder) == -1
    adapter = feeder.reader(reader="r.cars")
    seen = []
    for reached in (0, 1, 2, 2, 3, 4):
        adapter.latest({"0": reached}, now=0, limit_rows=9)
        seen.append(kept_from(feeder.folder))
    assert seen == [-1, -1, 0, 0, 1, 2]
    tend_readers(feeder.folder, [])
    adapter.latest({"0": 4}, now=0, limit_rows=9)
    advance_reader(feeder.folder, "r.cars", 3)
    assert kept_from(feeder.folder) is None, "a deleted reader stays deleted"
