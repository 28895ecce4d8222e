"""Transcripts, read once for all tests of a process: reading a thousand of them takes seconds."""

from functools import cache
from pathlib import Path

from streaming.transcripts.load import LoadedTranscript, load


@cache
def repository_transcripts() -> tuple[LoadedTranscript, ...]:
    """Return every transcript below this folder, in the order in which `load` gives them."""
    return tuple(load([Path(__file__).parent]))


def with_shared(shared: Path) -> list[LoadedTranscript]:
    """Return the transcripts of the folder `shared`, then those of the repository."""
    return [*load([shared]), *repository_transcripts()]
