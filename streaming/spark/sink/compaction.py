"""Compaction: merge old batches of a binding, both commits and parts; readers notice nothing.

64 neighbouring commits of about the same number of batches each become one, and 64 of those again. The newest commits
are left alone: their batch may run again, and size counters request them by name. Merged files are deleted some time
later, so that readers can finish.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from streaming.storage.blobs import BlobFolder, Tag
from streaming.storage.restarts import with_restarts
from streaming.storage.results import (
    Commit,
    CommitSpan,
    MergedPart,
    PartKind,
    ResultPart,
    RunBatches,
    all_spans,
    joined,
    part_path,
    read_span,
    spans_of,
)
from streaming.storage.stored import exclusive, on_this_machine, remove
from streaming.wire.deliveries import kept_from

NEWEST_LEFT: Final = 128
"""The number of newest commits that are never merged."""
MERGED_AT_ONCE: Final = 64
FEWEST_MERGED: Final = 16
MOST_BYTES: Final = 8 << 20
"""The largest merged part: a reader of one page reads a whole part."""
READ_FOR_S: Final = 60.0
"""The time that a reader may take between a commit and its parts."""
_KINDS: Final[tuple[PartKind, ...]] = ("results", "late")


def compact(
    folder: BlobFolder, beside: Path | None = None, *, keep_s: float | None = None, now_s: float | None = None
) -> bool:
    """Do one piece of work for the binding with results in `folder`; return False without work. Raises `OSError`.

    `beside` is its folder on this machine (None: `folder` itself), with the lock and the marks of unread rows.
    `keep_s`: delete rows older than this. `now_s` is the time, in seconds of the epoch.
    """
    now = time.time() if now_s is None else now_s
    tags = folder.tags("commits")
    if not tags or (len(tags) <= NEWEST_LEFT + FEWEST_MERGED and keep_s is None):
        return False
    beside = on_this_machine(folder, beside)
    if keep_s is not None and _age(folder, beside, now - keep_s):
        return True
    with exclusive(beside):
        return _sweep(folder, tags, now) or _merge_some(folder, spans_of(tags))


def _age(folder: BlobFolder, beside: Path, before_s: float) -> bool:
    """Delete the rows of batches before `before_s`, one span at a time, but never the newest commit.

    Rows that a delivery has not sent yet stay, however old they are.
    """
    spans = spans_of(folder.tags("commits"))
    oldest = read_span(folder, spans[0]) if len(spans) > 1 else None
    if oldest is None or int(oldest.totals.get("at", 0)) >= before_s * 1_000_000:
        return False
    delivered = kept_from(beside)
    if delivered is not None and oldest.batch > delivered:
        return False
    for kind in reversed(_KINDS):
        remove(folder, kind, oldest.batch, beside=beside)
    return True


def _sweep(folder: BlobFolder, tags: Mapping[str, Tag], now_s: float) -> bool:
    """Delete merged files that nobody reads any more."""
    counting = spans_of(tags)
    covering = {span.name: span for span in counting if span.first != span.last}
    old = [span for name, span in covering.items() if tags[name][1] <= (now_s - READ_FOR_S) * 1e9]
    gone = [span for span in all_spans(tags) if any(each.covers(span) for each in old)]
    for span in sorted(gone):
        commit = read_span(folder, span)
        for part in () if commit is None else commit.parts:
            folder.remove(part.path)
        folder.remove(f"commits/{span.name}")
    return bool(gone)


def _merge_some(folder: BlobFolder, spans: Sequence[CommitSpan]) -> bool:
    for group in _alike(spans[: max(0, len(spans) - NEWEST_LEFT)]):
        commits = list(_small_enough(folder, group))
        if len(commits) >= FEWEST_MERGED:
            earlier = spans[: spans.index(group[0])]
            _merge(folder, read_span(folder, earlier[-1]) if earlier else None, commits)
            return True
    return False


def _alike(spans: Sequence[CommitSpan]) -> Iterator[Sequence[CommitSpan]]:
    """Yield runs of neighbours of about the same number of batches each, as many as are merged at once."""
    begin = 0
    for place in range(1, len(spans) + 1):
        if place == len(spans) or _size(spans[place]) != _size(spans[begin]) or place - begin == MERGED_AT_ONCE:
            if place - begin == MERGED_AT_ONCE:
                yield spans[begin:place]
            begin = place


def _size(span: CommitSpan) -> int:
    return ((span.last - span.first + 1).bit_length() - 1) // 6


def _small_enough(folder: BlobFolder, group: Sequence[CommitSpan]) -> Iterator[Commit]:
    """Yield the commits of `group` until a merged part would become too large."""
    total = dict.fromkeys(_KINDS, 0)
    for span in group:
        commit = read_span(folder, span)
        if commit is None:
            return
        for part in commit.parts:
            total[part.kind] += part.bytes or 0
        if max(total.values()) > MOST_BYTES:
            return
        yield commit


def _merge(folder: BlobFolder, before: Commit | None, commits: Sequence[Commit]) -> None:
    """Write one commit, after its parts, that replaces all of `commits`, which follow `before`."""
    first = commits[0].batch if commits[0].first is None else commits[0].first
    last = commits[-1]
    parts = [part for kind in _KINDS if (part := _merged_part(folder, kind, commits, first)) is not None]
    runs: list[RunBatches] = []
    for commit in commits:
        before = commit.model_copy(update={"runs": with_restarts(before, commit)})
        runs += before.runs
    whole = Commit(batch=last.batch, first=first, parts=parts, totals=last.totals, runs=joined(runs))
    folder.write(f"commits/{CommitSpan(last.batch, first).name}", whole.model_dump_json().encode())


def _merged_part(folder: BlobFolder, kind: PartKind, commits: Sequence[Commit], first: int) -> ResultPart | None:
    places: list[MergedPart] = []
    pieces: list[bytes] = []
    for commit in commits:
        mine = [part for part in commit.parts if part.kind == kind]
        for index, part in enumerate(mine):
            content = folder.read(part.path)
            if content is None:
                continue  # a deleted part has no rows
            content = b"".join(line + b"\n" for line in content.split(b"\n")[: part.rows])
            own = MergedPart(batch=commit.batch, part=index, rows=part.rows, bytes=len(content))
            places += part.merged or [own]
            pieces.append(content)
    if not places:
        return None
    path = part_path(kind, commits[-1].batch, f"m{first}")
    writing = folder.writing(path)
    writing.add(pieces)
    writing.finish()
    rows, size = sum(place.rows for place in places), sum(len(piece) for piece in pieces)
    return ResultPart(kind=kind, path=path, rows=rows, bytes=size, merged=places)
