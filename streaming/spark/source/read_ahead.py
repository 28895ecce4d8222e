"""Read-ahead: a second core decodes one lane of files while the first judges and folds (ENGINE.md)."""

from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from streaming.spark.abandonable_calls import AbandonableCall

T = TypeVar("T")
_LOOK_AGAIN_S = 3_600.0


def ahead(chunks: Iterator[T]) -> Iterator[T]:
    """Yield the same chunks in the same order; a thread decodes the next one ahead. Errors keep their place."""
    waiting = AbandonableCall(partial(next, chunks, None))
    while (chunk := _awaited(waiting)) is not None:
        waiting = AbandonableCall(partial(next, chunks, None))
        yield chunk


def _awaited(errand: "AbandonableCall[T | None]") -> T | None:
    while not errand.wait(_LOOK_AGAIN_S):
        continue
    return errand.result()
