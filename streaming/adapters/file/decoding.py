"""Text is decoded by two threads: most of it happens in Arrow and numpy, which let Python's other threads run."""

from collections import deque
from collections.abc import Callable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from streaming.wire.arrived import Arrived

THREADS: Final = 2
WORTH_A_THREAD: Final = 20_000
"""Fewer records than these are decoded where they are asked for."""
Part = TypeVar("Part", bound=Sized)


def decoded(parts: Iterator[Part], decode: Callable[[Part], Arrived]) -> Iterator[Arrived]:
    """`decode` of each of `parts`, in their order; at most `THREADS` of them wait to be taken."""
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
