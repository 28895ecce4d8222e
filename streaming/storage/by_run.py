"""All committed rows of a binding with their runs, oldest first: for exports and for the size of each run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice

from streaming.storage.results import (
    Commit,
    CommitSpan,
    MergedPart,
    PartKind,
    ResultFolder,
    ResultPart,
    blobs,
    commit_path,
    committed_spans,
    read_span,
    run_of,
)


@dataclass(frozen=True)
class KeptByRun:
    """The stored rows and bytes of one run; `run` None: of batches whose run is unknown."""

    run: str | None
    results: int
    late: int
    result_bytes: int
    late_bytes: int


def kept_by_run(folder: ResultFolder) -> list[KeptByRun]:
    """Return the stored rows and bytes of each run, newest first; their sum is what `stored_after` counts.

    Raises `OSError`.
    """
    found: dict[str | None, KeptByRun] = {}

    def add(run: str | None, kind: PartKind, rows: int, size: int) -> None:
        kept = found.pop(run, KeptByRun(run, 0, 0, 0, 0))  # the run that is added to last moves to the end
        if kind == "results":
            kept = replace(kept, results=kept.results + rows, result_bytes=kept.result_bytes + size)
        else:
            kept = replace(kept, late=kept.late + rows, late_bytes=kept.late_bytes + size)
        found[run] = kept

    for span, commit in _committed(folder):
        for part in commit.parts:
            for place in places_of(folder, commit, part):
                add(run_of(commit, place.batch), part.kind, place.rows, place.bytes)
        add(run_of(commit, span.last), "results", 0, blobs(folder).size(commit_path(span)))
    return list(reversed(found.values()))


def lines_by_run(folder: ResultFolder, kind: PartKind) -> Iterator[tuple[str | None, bytes]]:
    """Yield each committed row as a line with its newline, and the run that made it; deleted parts have no rows.

    The lines of two runs may alternate. Lines are read lazily: a part may be larger than the memory.
    """
    for _, commit in _committed(folder):
        for part in commit.parts:
            if part.kind != kind:
                continue
            with blobs(folder).opened(part.path) or BytesIO() as file:
                for place in places_of(folder, commit, part):
                    run = run_of(commit, place.batch)
                    for line in islice(file, place.rows):
                        yield run, line.removesuffix(b"\n") + b"\n"


def places_of(folder: ResultFolder, commit: Commit, part: ResultPart) -> list[MergedPart]:
    """Return the origins of the rows of `part`: the parts merged into it, in order, or the batch itself."""
    size = part.bytes if part.bytes is not None else blobs(folder).size(part.path)
    return part.merged or [MergedPart(batch=commit.batch, part=0, rows=part.rows, bytes=size)]


def _committed(folder: ResultFolder) -> Iterator[tuple[CommitSpan, Commit]]:
    for span in committed_spans(folder):
        commit = read_span(folder, span)
        if commit is not None:
            yield span, commit
