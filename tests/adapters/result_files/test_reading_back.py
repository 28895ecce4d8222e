"""Delivered rows are shown again: only complete batches, the newest first; foreign files raise an error."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, ReadableTarget
from streaming.adapters.result_files import reading
from tests.adapters.result_files.test_delivering import IDENTITY, Target, batch, row
from tests.object_store import ObjectStore, object_store


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as found:
        yield found


@pytest.fixture(params=["file", "s3"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    return Target(tmp_path, request.getfixturevalue("store") if request.param == "s3" else None)


def put(target: Target, name: str, content: bytes) -> None:
    if target.store is not None:
        target.store.put(target.bucket, f"out/{name}", content)
        return
    path = target.root / "out" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def pages_of(target: Target, limit: int, **options: Any) -> list[Any]:
    """The field `n` of all rows, page by page."""
    adapter = target.adapter(**options)
    assert isinstance(adapter, ReadableTarget)
    found, ids, before = [], set(), None
    while True:
        page = adapter.delivered_rows(limit, before)
        assert len(page.rows) <= limit
        found += [int(each.values["n"]) for each in page.rows]
        ids |= {each.id for each in page.rows}
        before = page.next
        if before is None:
            assert len(ids) == len(found)
            return found


@pytest.mark.parametrize("form", ["json_lines", "csv", "parquet"])
@pytest.mark.parametrize("by_day", [True, False])
def test_pages_hold_each_row_once_newest_first(target: Target, form: str, by_day: bool) -> None:
    assert pages_of(target, 3, format=form, by_day=by_day) == []
    adapter = target.adapter(format=form, by_day=by_day)
    adapter.deliver([batch(1, row(0, 1), row(1, 2), row(30, 3)), batch(2, row(2, 4), row(31, 5), row(32, 6))])
    wanted = [5, 6, 3, 4, 1, 2] if by_day else [4, 5, 6, 1, 2, 3]
    for limit in (1, 2, 4, 50):
        assert pages_of(target, limit, format=form, by_day=by_day) == wanted
    [first, *_] = adapter.delivered_rows(1, None).rows  # type: ignore[attr-defined]
    assert list(first.values)[:2] == ["window_start", "window_end"] or form == "parquet"
    assert first.values["window_start"][:19] == ("1970-01-02T07:00:00" if by_day else "1970-01-01T02:00:00")
    assert first.values["plate"] == "B"


def test_incomplete_rows_and_rows_of_another_output_are_not_shown(target: Target) -> None:
    target.adapter(format="json_lines").deliver([batch(1, row(0, 1))])
    target.adapter(format="json_lines", identity="other").deliver([batch(1, row(0, 9))])
    line = b'{"start": null, "end": null, "payload": {"n": 7}}\n'
    put(target, f"day=1970-01-01/000000000002-0000-{IDENTITY}.jsonl", line)
    put(target, "day=1970-01-01/else.jsonl", line)
    assert pages_of(target, 10, format="json_lines") == [1]


def test_a_changed_layout_shows_old_and_new_files(target: Target) -> None:
    target.adapter(format="json_lines").deliver([batch(1, row(0, 1))])
    later = target.adapter(format="parquet", by_day=False)
    later.delivered()
    later.deliver([batch(2, row(0, 2))])
    assert pages_of(target, 10, format="csv") == [1, 2]


def test_many_small_files_end_a_page_early(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_FILES", 2)
    target.adapter(format="json_lines").deliver([batch(at, row(0, at)) for at in range(1, 6)])
    page = target.adapter(format="json_lines").delivered_rows(50, None)  # type: ignore[attr-defined]
    assert len(page.rows) == 2
    assert pages_of(target, 50, format="json_lines") == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        ("jsonl", b"no json\n"),
        ("jsonl", b"[]\n"),
        ("jsonl", b'{"start": 1}\n'),
        ("jsonl", b"[" * 100_000 + b"\n"),
        ("jsonl", b'{"payload": "' + b"x" * (2 << 20) + b'"}\n'),
        ("jsonl", b"\xff\xfe\n"),
        ("csv", b'n\n"' + b"x" * 200_000 + b'"\n'),
        ("parquet", b"PAR1 no parquet PAR1"),
        ("parquet", b""),
    ],
)
def test_foreign_files_raise_an_error(target: Target, suffix: str, content: bytes) -> None:
    target.adapter(format="json_lines").deliver([batch(2, row(0, 1))])
    put(target, f"day=1970-01-01/000000000001-0000-{IDENTITY}.{suffix}", content)
    with pytest.raises(
        AdapterError, match=r"does not contain results as they were written|is not a complete " r"Parquet file"
    ):
        pages_of(target, 10, format="json_lines")


@pytest.mark.parametrize("before", ["", "x", "a/b:1", f"../000000000001-0000-{IDENTITY}:x", ":", "9" * 5_000])
def test_an_invalid_page_is_refused(tmp_path: Path, before: str) -> None:
    target = Target(tmp_path, None)
    target.adapter(format="json_lines").deliver([batch(1, row(0, 1))])
    with pytest.raises(AdapterError, match="isn't a page of delivered rows"):
        target.adapter(format="json_lines").delivered_rows(5, before)  # type: ignore[attr-defined]
