"""Decoding ahead: one lane of files uses a second core while the first judges and folds (ENGINE.md)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def ahead(chunks: Iterator[T]) -> Iterator[T]:
    """The same chunks in the same order; while one is used, a thread makes the next. Faults come where they were."""
    with ThreadPoolExecutor(1, thread_name_prefix="decode-ahead") as pool:
        waiting = pool.submit(next, chunks, None)
        while (chunk := waiting.result()) is not None:
            waiting = pool.submit(next, chunks, None)
            yield chunk
