"""The newest committed rows of one kind, copied from an object store to this machine.

A process that computes on untrusted rows (`webapp/core/limited`) gets this folder, never the store's credentials.
"""

from pathlib import Path
from typing import Final

from streaming.storage.blobs import BlobFolder, LocalFolder
from streaming.storage.results import PartKind, commit_path, committed_spans, read_span, span_of

MOST_BYTES: Final = 64 << 20
MOST_COMMITS: Final = 500
"""Each costs one request, plus one for each of its parts."""


def copy_newest(
    folder: BlobFolder,
    kind: PartKind,
    into: Path,
    *,
    most_bytes: int = MOST_BYTES,
    most_commits: int | None = MOST_COMMITS,
) -> int:
    """Copy commits with their parts of `kind`, newest first; return the first copied batch, -1 if all were copied.

    Copies at most `most_bytes` of at most `most_commits` commits, but always the newest commit. Raises `OSError`.
    """
    target = LocalFolder(into)
    left = most_bytes
    complete_from = -1
    for count, span in enumerate(reversed(committed_spans(folder))):
        commit = read_span(folder, span)
        parts = [] if commit is None else [part for part in commit.parts if part.kind == kind]
        left -= sum(part.bytes or folder.size(part.path) for part in parts)
        if count and (left < 0 or count == most_commits):
            return complete_from
        complete_from = span.first
        for part in parts:
            content = folder.read(part.path)
            if content is not None:
                target.write(part.path, content)
        if commit is not None:
            mine = commit.model_copy(update={"parts": parts})
            target.write(commit_path(span_of(commit)), mine.model_dump_json().encode())
    return -1
