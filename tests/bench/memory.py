"""Peak memory of a process and all its children, sampled."""

import threading
from types import TracebackType

import psutil

INTERVAL_S = 0.2


class PeakMemory:
    """Context manager: `peak_bytes` is the largest sum of unshared memory (USS) seen over the process tree."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(INTERVAL_S):
            self.peak_bytes = max(self.peak_bytes, sum(_unshared(p) for p in [me, *me.children(recursive=True)]))


def _unshared(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0
