"""Writing many small blobs while Python makes the content of the next ones.

Writing a file costs the system about as much time as its content costs Python; on an object store it costs much more.
"""

from collections import deque
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from threading import TIMEOUT_MAX
from types import TracebackType
from typing import Final

from streaming.spark.abandonable_calls import AbandonableCall
from streaming.storage.blobs import BlobFolder

_TOGETHER: Final = 32
"""The number of blobs in one call: to hand over a single blob costs as much as to write it."""
_AT_ONCE: Final = 4
"""The number of threads that write; with a slower store the caller waits."""


@dataclass(frozen=True)
class _BlobToWrite:
    """A blob of `key`."""

    key: str
    folder: BlobFolder
    name: str
    content: bytes


class CommitWriting(AbstractContextManager["CommitWriting"]):
    """A context that has written everything passed to `write`, in any order, when the `with` block ends.

    `failed` then holds, by key, why a blob could not be written. Do not write anything before that makes a blob count.
    """

    def __init__(self) -> None:
        self._waiting: list[_BlobToWrite] = []
        self._under_way: deque[AbandonableCall[dict[str, Exception]]] = deque()
        self.failed: dict[str, Exception] = {}

    def write(self, key: str, folder: BlobFolder, name: str, content: bytes) -> None:
        """Store `content` of `key` in `folder` under `name`, as `BlobFolder.write` does."""
        self._waiting.append(_BlobToWrite(key, folder, name, content))
        if len(self._waiting) >= _TOGETHER:
            self._hand_over()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if fault is None:
            self._hand_over()
        while self._under_way:
            self._await_oldest()

    def _hand_over(self) -> None:
        together, self._waiting = self._waiting, []
        if len(self._under_way) >= _AT_ONCE:
            self._await_oldest()
        if together:
            self._under_way.append(AbandonableCall(partial(_write, together)))

    def _await_oldest(self) -> None:
        oldest = self._under_way.popleft()
        oldest.wait(TIMEOUT_MAX)
        self.failed |= oldest.result()


def _write(together: list[_BlobToWrite]) -> dict[str, Exception]:
    """Write all blobs; return, by key, why a blob could not be written."""
    failed: dict[str, Exception] = {}
    for each in together:
        try:
            each.folder.write(each.name, each.content)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            failed[each.key] = error
    return failed
