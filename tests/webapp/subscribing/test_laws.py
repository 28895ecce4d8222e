"""Laws: the rows that stand are the fold of the stream at every CTI, and a cut stream gives each row exactly once."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.spark.sink import compaction
from streaming.storage.blobs import LocalFolder
from tests.webapp.exports.stored import Row, final_row
from tests.webapp.subscribing.followed import Followed, fold, last_cursor, read, row_ids
from webapp.monitoring.subscribing import output_rows
from webapp.monitoring.subscribing.output_rows import NOTHING_RECEIVED, OutputCursor, OutputEvent

LATER_S = 10_000_000_000.0
ELSEWHERE = {"output": "other", "start": 0, "end": 1, "payload": {"x": 1}}


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merge sooner, so that a few batches behave like thousands."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 1)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", 4)
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 2)
    monkeypatch.setattr(output_rows, "LINES_AT_ONCE", 1)


@dataclass
class DrawnOutput:
    """The rows of an output as an engine may emit them, one after the other."""

    draw: st.DrawFn
    finals: list[Row] = field(default_factory=list)
    panes: dict[int, int] = field(default_factory=dict)
    edges: dict[int, Row] = field(default_factory=dict)

    def row(self) -> Row:
        kinds: list[Callable[[], Row]] = [self._final, self._pane, self._edge_start]
        kinds += [self._repair] if self.finals else []
        kinds += [self._edge_end] if self.edges else []
        return self.draw(st.sampled_from(kinds))()

    def restart(self) -> None:
        self.finals, self.panes, self.edges = [], {}, {}

    def _number(self) -> int:
        return self.draw(st.integers(0, 2))

    def _final(self) -> Row:
        made = final_row(self.draw(st.integers(0, 30)), {"n": self._number()})
        self.finals.append(made)
        return made

    def _repair(self) -> Row:
        gone = self.finals.pop(self.draw(st.integers(0, len(self.finals) - 1)))
        return {**gone, "deleted": True, "repair": "r"}

    def _pane(self) -> Row:
        pane = self._number()
        index = self.panes.get(pane, -1) + 1
        self.panes[pane] = index
        times: dict[str, Any] = {"start": 10 * pane, "end": 10 * pane + 10}
        shown = {**times, "timing": "early", "index": index, "is_last": False}
        deleted = index > 0 and self.draw(st.booleans())
        row = {"output": "out", **times, "payload": {"n": self._number()}, "key": f"p{pane}", "pane": shown}
        return {**row, "deleted": deleted}

    def _edge_start(self) -> Row:
        number = len(self.edges)
        fixed = {"output": "out", "start": self.draw(st.integers(0, 30)), "payload": {"n": self._number()}}
        self.edges[number] = {**fixed, "key": f"e{number}", "deleted": False}
        return {**self.edges[number], "end": None, "edge": "start"}

    def _edge_end(self) -> Row:
        edge = self.edges[self.draw(st.sampled_from(sorted(self.edges)))]
        end = edge["start"] + self.draw(st.integers(0, 15))
        return {**edge, "end": end, "edge": "end", "deleted": end == edge["start"]}


@dataclass(frozen=True)
class DrawnBatch:
    """One batch: its parts, the CTI after it, and whether its run started without state, which may be recorded."""

    parts: list[list[Row]]
    cti: int | None
    starts_over: bool
    recorded: bool


@st.composite
def batches(draw: st.DrawFn) -> list[DrawnBatch]:
    made, output, cti, recorded = [], DrawnOutput(draw), draw(st.integers(1, 10)), draw(st.booleans())
    for number in range(draw(st.integers(1, 8))):
        starts_over = number > 0 and draw(st.integers(0, 5)) == 0
        if starts_over:
            output.restart()
            cti = cti if recorded else 0
        cti += draw(st.integers(0, 10))
        parts = [[output.row() for _ in range(draw(st.integers(0, 4)))] for _ in range(draw(st.integers(0, 2)))]
        made.append(DrawnBatch([[ELSEWHERE, *part] for part in parts], cti, starts_over, recorded))
    return made


@contextmanager
def followed() -> Iterator[Followed]:
    with tempfile.TemporaryDirectory() as folder:
        yield Followed(Path(folder))


def commit(each: DrawnBatch, into: Followed) -> None:
    if each.starts_over:
        into.results.run = f"after {into.results.batch}"
    if each.recorded and (each.starts_over or not into.results.batch):
        into.results.restart = into.results.batch
    into.results.commit(*each.parts, cti=each.cti)


def merge(results: Followed) -> None:
    while compaction.compact(LocalFolder(results.results.folder), now_s=LATER_S):
        pass


KEYS = st.sampled_from([{}, {"n": "0"}, {"n": "1"}])


@settings(max_examples=150, deadline=None)
@given(batches(), KEYS, st.integers(0, 45), st.booleans())
def test_the_rows_that_stand_are_the_fold_of_the_stream_at_every_cti(
    drawn: list[DrawnBatch], key: dict[str, str], at: int, merged: bool
) -> None:
    with followed() as results:
        subscriber = results.subscriber(key=key)
        seen = []
        for number, each in enumerate(drawn):
            commit(each, results)
            seen += read(subscriber)
            assert each.cti is not None
            for as_of in (each.cti - 1, at):
                assert results.standing(as_of, upto=number, key=key) == fold(seen, as_of)
            if merged and number % 3 == 2:
                merge(results)
        everything = results.events(key=key)
        assert row_ids(everything) == row_ids(seen)
        for as_of in range(45):
            assert results.standing(as_of, key=key) == fold(everything, as_of) == fold(seen, as_of)


@settings(max_examples=150, deadline=None)
@given(batches(), KEYS, st.integers(0, 60), st.integers(0, 60), st.booleans())
def test_a_stream_that_is_cut_twice_gives_each_row_exactly_once(
    drawn: list[DrawnBatch], key: dict[str, str], first: int, second: int, merged: bool
) -> None:
    with followed() as results:
        for each in drawn:
            commit(each, results)
        everything = results.events(key=key)
        received = everything[:first]
        if merged:
            merge(results)
        received += results.events(last_cursor(received), key)[:second]
        received += results.events(last_cursor(received), key)
        assert row_ids(received) == row_ids(everything)
        assert fold(received, 12) == fold(everything, 12)


@settings(max_examples=100, deadline=None)
@given(batches(), st.sets(st.integers(0, 7), max_size=3), st.integers(0, 60))
def test_a_cut_stream_continues_after_its_last_event(drawn: list[DrawnBatch], missing: set[int], cut: int) -> None:
    with followed() as results:
        for each in drawn:
            commit(each, results)
        for batch in missing:
            (results.results.folder / "results" / f"part-{batch}-0.jsonl").unlink(missing_ok=True)
        everything = results.events()
        received = everything[:cut]
        cursor = OutputCursor.parse(str(last_cursor(received)))
        assert results.events(cursor) == everything[len(received) :]


@settings(max_examples=150, deadline=None)
@given(batches(), KEYS, st.integers(0, 60), st.booleans())
def test_a_stream_that_is_cut_after_lines_without_events_gives_each_row_exactly_once(
    drawn: list[DrawnBatch], key: dict[str, str], cut: int, merged: bool
) -> None:
    with followed() as results:
        for each in drawn:
            commit(each, results)
        everything = results.events(key=key)
        items = list(results.subscriber(key=key).read())[:cut]
        if merged:
            merge(results)
        received = [each for each in items if isinstance(each, OutputEvent)]
        last = items[-1] if items else NOTHING_RECEIVED
        received += results.events(last.cursor if isinstance(last, OutputEvent) else last, key)
        assert row_ids(received) == row_ids(everything)
        assert fold(received, 12) == fold(everything, 12)
