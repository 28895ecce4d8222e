"""Reads delivered files back for a page: newest day first, within a day the newest batch, within limits.

Anybody may have changed the files, so the caller reads them in a process with limits.
"""

import csv
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Protocol

import pyarrow as pa

from streaming.adapters.contract import AdapterError, DeliveredPage, DeliveredRow
from streaming.adapters.file.found import FoundFile
from streaming.adapters.file.parquet import opened
from streaming.adapters.formats.parquet.sampling import first_rows, typed_columns
from streaming.adapters.places import why
from streaming.definition.payload.types import TIMESTAMP

MOST_FILES: Final = 200
"""The most files per page, even if the page is not full."""
MOST_LINE: Final = 1 << 20
_NAME: Final = re.compile(r"([0-9]{12,20})-([0-9]{4,9})-([A-Za-z0-9._-]+)\.(?:jsonl|csv|parquet)")
_ABOUT_LIFETIME: Final = {"start": "window_start", "end": "window_end", "key": "result_key"}


@dataclass(frozen=True, order=True)
class ResultName:
    """The parts of a result file's name; the order is that of batches and their parts."""

    number: int
    part: int
    identity: str


class ListedStore(Protocol):
    """The part of a result store that reading needs."""

    def folders(self) -> Sequence[str]:
        """The direct subfolders."""

    def files(self, folder: str) -> Sequence[FoundFile]:
        """The files in a folder."""


def result_name(name: str) -> ResultName | None:
    """Parse `name`, without folders; None for a file that is not ours."""
    found = _NAME.fullmatch(name)
    return None if found is None else ResultName(int(found[1]), int(found[2]), found[3])


@dataclass(frozen=True, order=True)
class ResultPlace:
    """A file's place in the order of pages, which are reversed: the largest first; its rows stay in their order."""

    folder: str
    name: ResultName


def read_back(store: ListedStore, whose: tuple[str, int], limit: int, before: str | None) -> DeliveredPage:
    """Rows of the files of `whose` (an identity and its last complete batch). Raises `AdapterError`."""
    start, skip = (None, 0) if before is None else _read_cursor(before)
    rows: list[DeliveredRow] = []
    for count, (place, file) in enumerate(_newest_first(store, whose, start)):
        if count == MOST_FILES:
            return DeliveredPage(rows, _cursor(place, 0))
        first = skip if place == start else 0
        for at, values in enumerate(_rows(file, first, limit - len(rows) + 1), first):
            cursor = _cursor(place, at)
            if len(rows) == limit:
                return DeliveredPage(rows, cursor)
            rows.append(DeliveredRow(cursor, file.path.rpartition("/")[2], values))
    return DeliveredPage(rows, None)


def _newest_first(
    store: ListedStore, whose: tuple[str, int], start: ResultPlace | None
) -> Iterator[tuple[ResultPlace, FoundFile]]:
    for folder in sorted(store.folders(), reverse=True):
        if start is not None and folder > start.folder:
            continue
        found = []
        for file in store.files(folder):
            name = result_name(file.path.rpartition("/")[2])
            if name is not None and name.identity == whose[0] and name.number <= whose[1]:
                found.append((ResultPlace(folder, name), file))
        for place, file in sorted(found, key=lambda each: each[0], reverse=True):
            if start is None or place <= start:
                yield place, file


def _cursor(place: ResultPlace, row: int) -> str:
    return f"{place.folder}/{place.name.number:012d}-{place.name.part:04d}-{place.name.identity}:{row}"


def _read_cursor(text: str) -> tuple[ResultPlace, int]:
    place, _, row = text.rpartition(":")
    folder, _, name = place.rpartition("/")
    found = result_name(f"{name}.jsonl")
    if found is None or not (row.isascii() and row.isdecimal() and len(row) < 10):
        raise AdapterError("This isn't a page of delivered rows. Start again at the first page.")
    return ResultPlace(folder, found), int(row)


def _rows(file: FoundFile, first: int, most: int) -> Iterator[Mapping[str, Any]]:
    """At most `most` rows of `file` from the row `first` on."""
    try:
        if file.path.endswith(".parquet"):
            yield from _of_parquet(file, first, most)
        else:
            with file.open() as stored:
                text = io.TextIOWrapper(stored, "utf-8", newline="")
                read = _of_csv(text) if file.path.endswith(".csv") else _of_lines(text)
                yield from islice(read, first, first + most)
    except MemoryError:
        raise  # Arrow's MemoryError is also an ArrowException
    except (ValueError, OSError, EOFError, RecursionError, zlib.error, csv.Error, pa.ArrowException) as error:
        raise AdapterError(
            f"The file '{file.path}' does not contain results as they were written ({why(error)}): "
            "somebody has changed "
            "it. If you need it, deliver again to another folder."
        ) from None


def _of_lines(text: io.TextIOWrapper) -> Iterator[Mapping[str, Any]]:
    while line := text.readline(MOST_LINE):
        row = json.loads(line)
        if not isinstance(row, dict) or not isinstance(row.get("payload"), dict):
            raise ValueError("a line isn't a row")
        attributes: dict[str, Any] = {
            _ABOUT_LIFETIME.get(str(name), str(name)): value for name, value in row.items() if name != "payload"
        }
        times = {name: attributes.pop(name, None) for name in ("window_start", "window_end")}
        payload: dict[str, Any] = row["payload"]
        yield {**times, **payload, **attributes}


def _of_csv(text: io.TextIOWrapper) -> Iterator[Mapping[str, Any]]:
    for row in csv.DictReader(text):
        yield {str(name): value or None for name, value in row.items()}


def _short(moment: str | None) -> str | None:
    """A moment as in JSON lines: without an empty fraction."""
    return None if moment is None else moment.replace(".000000", "").replace("+00:00", "Z")


def _of_parquet(file: FoundFile, first: int, most: int) -> Iterator[Mapping[str, Any]]:
    with opened(file) as found:
        types = typed_columns(found.schema_arrow)[0]
        moments = [name for name, of in types.items() if of == str(TIMESTAMP)]
        for group in range(found.metadata.num_row_groups):
            count = int(found.metadata.row_group(group).num_rows)
            if first < count and most > 0:
                rows = first_rows(found, group, types, first + most).records[first:]
                for row in rows:
                    yield {**row, **{name: _short(row[name]) for name in moments}}
                most -= len(rows)
            first = max(first - count, 0)
