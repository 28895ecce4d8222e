"""Events of an output where reading was interrupted: every event, restarts too, comes once and in order."""

from itertools import count
from pathlib import Path

import pytest

from tests.webapp.exports.stored import final_row
from tests.webapp.subscribing.followed import Followed, read
from webapp.monitoring.committed_pieces import DamagedResults
from webapp.monitoring.subscribing import following
from webapp.monitoring.subscribing.following import next_frames
from webapp.monitoring.subscribing.output_rows import NOTHING_RECEIVED, OutputCursor


@pytest.mark.parametrize("text", ["-1", "7", "7-0-3", "7-0--1"])
def test_a_cursor_is_read_as_it_is_written(text: str) -> None:
    assert str(OutputCursor.parse(text)) == text
    assert OutputCursor.parse("-1") == NOTHING_RECEIVED


@pytest.mark.parametrize("text", ["", "-2", "-1-0-0", "7-0", "7-0--2", "7--1-0"])
def test_other_texts_are_no_cursors(text: str) -> None:
    with pytest.raises(ValueError, match="isn't the id of an event of this stream"):
        OutputCursor.parse(text)


def test_a_restart_is_an_event_after_a_read_that_failed_before_it(tmp_path: Path) -> None:
    output = Followed(tmp_path)
    output.results.commit([final_row(0, {"n": 1})], cti=10)
    output.results.run = "two"
    output.results.commit([final_row(0, {"n": 1})], cti=5)
    part = output.results.folder / "results" / "part-0-0.jsonl"
    content = part.read_bytes()
    part.write_bytes(b"")
    subscriber = output.subscriber()
    with pytest.raises(DamagedResults):
        read(subscriber)
    part.write_bytes(content)
    assert [each.name for each in read(subscriber)] == ["row", "committed", "restarted", "row", "committed"]


def test_a_restart_whose_batch_has_no_rows_is_continued_by_the_end_of_the_batch(tmp_path: Path) -> None:
    output = Followed(tmp_path)
    output.results.commit([final_row(0, {"n": 1})], cti=10)
    output.results.run = "two"
    output.results.commit(cti=5)
    events = output.events()
    assert [(str(each.cursor), each.name) for each in events[2:]] == [("1-0--1", "restarted"), ("1", "committed")]
    assert output.events(events[2].cursor) == events[3:]
    assert output.events(events[3].cursor) == []


def other_row(n: int) -> dict[str, object]:
    return {"output": "other", "start": n, "end": n + 1, "payload": {"x": n}}


def ids(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("id: ")]


def test_lines_without_events_end_a_text_with_the_id_after_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "EVENTS_AT_ONCE", 2)
    output = Followed(tmp_path)
    output.results.commit([*map(other_row, range(250)), final_row(0, {"n": 1})], cti=10)
    items = output.subscriber().read()
    assert next_frames(items) == "id: 0-0-199\n\n"
    assert ids(next_frames(items)) == ["id: 0-0-250", "id: 0"]
    assert next_frames(items) == ""
    again = output.subscriber(OutputCursor(0, 0, 199)).read()
    assert ids("".join(iter(lambda: next_frames(again), ""))) == ["id: 0-0-199", "id: 0-0-250", "id: 0"]


def test_lines_that_were_received_do_not_set_the_id_back(tmp_path: Path) -> None:
    output = Followed(tmp_path)
    output.results.commit([final_row(n, {"n": n}) for n in range(250)], cti=10)
    items = output.subscriber(OutputCursor(0, 0, 248)).read()
    assert ids("".join(iter(lambda: next_frames(items), ""))) == ["id: 0-0-249", "id: 0"]


def test_a_batch_without_events_has_an_id(tmp_path: Path) -> None:
    output = Followed(tmp_path)
    output.results.commit([final_row(0, {"n": 1})], cti=10)
    output.results.commit([other_row(0)], cti=10)
    text = next_frames(output.subscriber().read())
    assert ids(text) == ["id: 0-0-0", "id: 0", "id: 1"]
    assert text.endswith("\n\nid: 1\n\n")


@pytest.mark.parametrize(("limit", "value"), [("BYTES_AT_ONCE", 1), ("SECONDS_AT_ONCE", 2.0)])
def test_a_text_ends_after_some_bytes_or_seconds(
    limit: str, value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, limit, value)
    output = Followed(tmp_path)
    output.results.commit([final_row(n, {"n": n}) for n in range(3)], cti=10)
    items, seconds = output.subscriber().read(), count()
    texts = list(iter(lambda: next_frames(items, lambda: float(next(seconds))), ""))
    expected = {"BYTES_AT_ONCE": [1, 1, 1, 1], "SECONDS_AT_ONCE": [2, 2]}
    assert [len(ids(each)) for each in texts] == expected[limit]
