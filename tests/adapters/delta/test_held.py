"""The figures of a table, counted by its log, equal what a run from the beginning, or since a time, reads."""

from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import InputAdapter
from streaming.adapters.seeking import LaneHeld, SeekingAdapter
from streaming.wire.beginning import BeginAtTime
from tests.adapters.delta.tables import Lake


def held(source: InputAdapter, since: int | None = None) -> LaneHeld:
    assert isinstance(source, SeekingAdapter)
    [lane] = source.held(now=0, since=since)
    return lane


def read(source: InputAdapter) -> int:
    [end] = source.latest({}, now=0, limit_rows=1_000).values()
    return end


@pytest.mark.parametrize(
    "options", [{"start": "snapshot"}, {"start": "version", "start_version": 1}, {"start": "latest"}]
)
def test_it_counts_what_a_run_from_the_beginning_reads(tmp_path: Path, options: dict[str, Any]) -> None:
    lake = Lake(tmp_path)
    for numbers in (range(5), range(3), range(2)):
        lake.append(numbers)
    lake.compact()
    lane = held(lake.reader(None, **options))
    assert lane.rows == read(lake.reader(**options))
    assert (lane.bytes == 0) == (options["start"] == "latest")


def test_it_counts_what_was_appended_since_a_time(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append(range(5))
    first = held(lake.reader(None)).until_at
    assert first is not None
    lake.append(range(3))
    since = held(lake.reader(None)).until_at
    assert since is not None
    assert since > first
    lane = held(lake.reader(None), since)
    assert (lane.rows, lane.rows_since) == (8, 3)
    source = lake.reader("later")
    assert isinstance(source, SeekingAdapter)
    source.begin_at(BeginAtTime(kind="time", at=since), "cars", now=0)
    assert read(source) == 3


def test_versions_that_changed_rows_and_uncounted_files_have_no_figures(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.append(range(5))
    lake.table.delete("n = 1")
    assert held(lake.reader(None, start="version", start_version=0)).rows == 5
    log = lake.log / f"{0:020}.json"
    log.write_text(log.read_text().replace("numRecords", "someRecords"))
    lane = held(lake.reader(None, start="version", start_version=0), since=0)
    assert (lane.rows, lane.rows_since) == (None, None)
    assert lane.bytes is not None
    assert lane.bytes > 0
