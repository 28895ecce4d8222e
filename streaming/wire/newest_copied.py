"""The newest committed rows of one kind, copied from an object store to this machine.

Who computes on rows of strangers (`webapp/core/limited`) is given a folder, and never what opens the store.
"""

from pathlib import Path
from typing import Final

from streaming.wire.results import PartKind, commit_path, committed_spans, read_span, span_of
from streaming.wire.storage import BlobFolder, LocalFolder

MOST_BYTES: Final = 64 << 20
MOST_COMMITS: Final = 500
"""Each costs a request, and one more for each of its parts."""


def copy_newest(folder: BlobFolder, kind: PartKind, into: Path) -> int:
    """Copy commits with their parts of `kind`, newest first; the batch from which on all is there, -1: all that is.

    It ends before MOST_BYTES, unless the newest commit has more alone. Raises `OSError`.
    """
    target = LocalFolder(into)
    left = MOST_BYTES
    complete_from = -1
    for count, span in enumerate(reversed(committed_spans(folder))):
        commit = read_span(folder, span)
        parts = [] if commit is None else [part for part in commit.parts if part.kind == kind]
        left -= sum(part.bytes or folder.size(part.path) for part in parts)
        if count and (left < 0 or count == MOST_COMMITS):
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
