"""Decode text in two threads: most of the work is in Arrow and numpy, which release the interpreter lock."""

from collections import deque
from collections.abc import Callable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from streaming.wire.rows.arrived import Arrived

THREADS: Final = 2
WORTH_A_THREAD: Final = 20_000
"""Parts with fewer records than this are decoded in the calling thread."""
Part = TypeVar("Part", bound=Sized)


def decoded(parts: Iterator[Part], decode: Callable[[Part], Arrived]) -> Iterator[Arrived]:
    """Apply `decode` to each of `parts`, in their order; at most `THREADS` results are pending."""
    with ThreadPoolExecutor(THREADS, "decode") as threads:
        waiting: deque[Future[Arrived]] = deque()
        for part in parts:
            if not waiting and len(part) < WORTH_A_THREAD:
                yield decode(part)
                continue
            waiting.append(threads.submit(decode, part))
            if len(waiting) == THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
