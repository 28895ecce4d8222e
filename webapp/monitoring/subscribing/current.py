"""The rows of an output that stand at a time: the fold of all its changes, in a limited process."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from streaming.storage.blobs import LocalFolder
from streaming.storage.results import Commit
from webapp.core.limited.jobs import READING, limited
from webapp.monitoring.committed_pieces import LAST_PART, CommittedPieces, DamagedResults, MergedTooFast
from webapp.monitoring.exporting.reading import beginnings_of
from webapp.monitoring.row_keys import KeyFilter
from webapp.monitoring.subscribing.output_rows import OutputCursor, stored_row

MOST_BYTES_A_PAGE: Final = 4 << 20
"""A page ends before its rows exceed this size together; only its first row may exceed it alone."""
DAMAGED: Final = (
    "A file with these results is damaged. Contact your administrator, who can restore the file from a backup."
)
TOO_FAST: Final = "The results are merged faster than they can be read. Try again in a minute."


@dataclass(frozen=True)
class CurrentWork:
    """A page of the rows of the output `node` that stand at `as_of`, from the batches `begin` to `upto` of `folder`.

    `as_of` None: the last tick of the output's rows. `key` selects rows by fields, whose types are `types`. `after` is
    the id of the last row of the previous page.
    """

    folder: str
    node: str
    begin: int
    upto: int
    as_of: int | None
    key: Mapping[str, str | None]
    types: Mapping[str, str]
    after: str | None
    limit: int


@dataclass(frozen=True)
class CurrentRows:
    """The rows of a page, each with `id` and `run`; `has_more`: rows follow. `problem`: why there is no page.

    `missing` counts the rows of all outputs in files that are missing.
    """

    as_of: int | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    has_more: bool = False
    missing: int = 0
    problem: str | None = None


@limited(
    "The rows that stand at this time",
    "Delete results that nobody needs any more, or subscribe to the stream of this output and keep its rows yourself.",
    READING,
)
def current_rows(work: CurrentWork) -> CurrentRows:
    """Return the page."""
    try:
        rows = FoldedRows(work)
        as_of = rows.last_tick() if work.as_of is None else work.as_of
        page = CurrentRows() if as_of is None else _page(work, as_of, rows.standing_at(as_of))
        return replace(page, missing=rows.missing)
    except (DamagedResults, OSError):
        return CurrentRows(problem=DAMAGED)
    except MergedTooFast:
        return CurrentRows(problem=TOO_FAST)


def _page(work: CurrentWork, as_of: int, rows: list[dict[str, Any]]) -> CurrentRows:
    after = None if work.after is None else OutputCursor.parse(work.after)
    chosen: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        if after is not None and OutputCursor.parse(row["id"]).order <= after.order:
            continue
        size += len(json.dumps(row))
        if chosen and (len(chosen) == work.limit or size > MOST_BYTES_A_PAGE):
            return CurrentRows(as_of, chosen, has_more=True)
        chosen.append(row)
    return CurrentRows(as_of, chosen)


class FoldedRows:
    """The rows of an output after all their changes; `missing` counts the rows of missing files in the last pass."""

    def __init__(self, work: CurrentWork) -> None:
        self._work = work
        self.missing = 0

    def standing_at(self, as_of: int) -> list[dict[str, Any]]:
        """Return the rows with the key whose lifetime contains `as_of`, in the order of their last changes."""
        keys = KeyFilter(self._work.key, self._work.types)
        standing: dict[str, dict[str, Any]] = {}
        ids: dict[str, list[str]] = {}  # of final rows by content, which the repair of a row repeats
        for row in self._rows():
            key, deleted = row.get("key"), bool(row.get("deleted"))
            stands = row["start"] <= as_of and (row["end"] is None or as_of < row["end"])
            stands = stands and keys.matches(row["payload"])
            if key is not None:
                standing.pop(f"key {key}", None)
                if stands and not deleted:
                    standing[f"key {key}"] = row
            elif stands and deleted:
                if same := ids.get(_content(row)):
                    del standing[same.pop(0)]
            elif stands:
                ids.setdefault(_content(row), []).append(row["id"])
                standing[row["id"]] = row
        return list(standing.values())

    def last_tick(self) -> int | None:
        """Return the last tick of a lifetime that ends, or the largest start, of the rows after all their changes.

        None without a row.
        """
        ticks: Counter[int] = Counter()
        replaceable: dict[str, int] = {}
        for row in self._rows():
            tick = row["start"] if row["end"] is None else row["end"] - 1
            key, deleted = row.get("key"), bool(row.get("deleted"))
            if key is None:
                ticks[tick] += -1 if deleted else 1
            elif deleted:
                replaceable.pop(key, None)
            else:
                replaceable[key] = tick
        standing = (tick for tick, rows in ticks.items() if rows > 0)
        return max(chain(standing, replaceable.values()), default=None)

    def _rows(self) -> Iterator[dict[str, Any]]:
        work, self.missing = self._work, 0
        beginnings = beginnings_of(work.node)
        for piece in CommittedPieces(LocalFolder(work.folder), work.upto, (work.begin - 1, LAST_PART)):
            if isinstance(piece, Commit):
                continue
            self.missing += piece.rows if piece.is_missing else 0
            for number, line in enumerate(piece.lines):
                if line.startswith(b'{"output"') and not line.startswith(beginnings):
                    continue
                row = stored_row(line)
                if row.get("output") == work.node:
                    yield {"id": str(OutputCursor(piece.batch, piece.part, number)), "run": piece.run, **row}


def _content(row: Mapping[str, Any]) -> str:
    return json.dumps([row["start"], row["end"], row["payload"]], sort_keys=True)
