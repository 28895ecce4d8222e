"""The hold of a backup: it ends when it is released, and on its own when nobody renews it."""

import json
from pathlib import Path

import pytest

from streaming.storage.backup_hold import (
    HOLD_FILE,
    answer_hold,
    has_answered,
    read_hold,
    release_hold,
    withdraw_answer,
    write_hold,
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr("streaming.storage.backup_hold.time.time", lambda: now[0])
    return now


def test_a_hold_lasts_ten_seconds_unless_it_is_renewed_or_released(tmp_path: Path, clock: list[float]) -> None:
    assert read_hold(tmp_path) is None
    write_hold(tmp_path, "first")
    clock[0] += 9.9
    hold = read_hold(tmp_path)
    assert hold is not None
    assert (hold.id, hold.until) == ("first", 1_010.0)
    assert read_hold(tmp_path, ahead_s=1.0) is None
    write_hold(tmp_path, "first")
    clock[0] += 9.9
    assert read_hold(tmp_path) is not None
    clock[0] += 0.1
    assert read_hold(tmp_path) is None
    write_hold(tmp_path, "second")
    release_hold(tmp_path)
    release_hold(tmp_path)
    assert read_hold(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"id": "x"}', '{"id": "x", "until": "soon"}'])
def test_an_unreadable_hold_holds_nobody(content: str, tmp_path: Path) -> None:
    (tmp_path / HOLD_FILE).write_text(content)
    assert read_hold(tmp_path) is None


def test_a_hold_until_a_time_that_no_backup_writes_holds_nobody(tmp_path: Path, clock: list[float]) -> None:
    (tmp_path / HOLD_FILE).write_text(json.dumps({"id": "x", "until": clock[0] + 3_600}))
    assert read_hold(tmp_path) is None


def test_an_answer_is_for_one_hold(tmp_path: Path) -> None:
    assert not has_answered(tmp_path, "first")
    answer_hold(tmp_path, "first")
    assert has_answered(tmp_path, "first")
    assert not has_answered(tmp_path, "second")
    withdraw_answer(tmp_path)
    assert not has_answered(tmp_path, "first")
