"""Writing many small blobs while the content of the next ones is made: a file costs the system about what its content
costs Python, and an object store much more."""

from collections import deque
from contextlib import AbstractContextManager
from functools import partial
from threading import TIMEOUT_MAX
from types import TracebackType
from typing import Final

from streaming.spark.abandonable_calls import AbandonableCall
from streaming.wire.storage import BlobFolder

_TOGETHER: Final = 32
"""So many are handed over at once: to hand over one costs as much as to write it."""
_AT_ONCE: Final = 4
"""So many threads write: a store that is slower than that is waited for."""

_BlobToWrite = tuple[BlobFolder, str, bytes]


class CommitWriting(AbstractContextManager["CommitWriting"]):
    """What was given to `write` is written, in any order, when the `with` block is left. Then it raises `OSError` where
    one could not be; so nothing that makes them count may be written before."""

    def __init__(self) -> None:
        self._waiting: list[_BlobToWrite] = []
        self._under_way: deque[AbandonableCall[None]] = deque()

    def write(self, folder: BlobFolder, name: str, content: bytes) -> None:
        """Let `content` be stored in `folder` under `name`, as `BlobFolder.write` does. Raises `OSError` for others."""
        self._waiting.append((folder, name, content))
        if len(self._waiting) >= _TOGETHER:
            self._hand_over()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if fault is None:
            self._hand_over()
        for each in self._under_way:
            each.wait(TIMEOUT_MAX)
        while fault is None and self._under_way:
            self._under_way.popleft().result()

    def _hand_over(self) -> None:
        together, self._waiting = self._waiting, []
        if len(self._under_way) >= _AT_ONCE:
            oldest = self._under_way.popleft()
            oldest.wait(TIMEOUT_MAX)
            oldest.result()
        if together:
            self._under_way.append(AbandonableCall(partial(_write, together)))


def _write(together: list[_BlobToWrite]) -> None:
    for folder, name, content in together:
        folder.write(name, content)
