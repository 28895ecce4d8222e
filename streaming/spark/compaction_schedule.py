"""Whose old batches are merged when: a little at a time in the driver, beside the query."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.spark.compaction import tidy
from streaming.spark.layout import CarrierFolder
from streaming.spark.manifests import newest_manifest
from streaming.wire.result_location import RESULTS

EVERY_S: Final = 60.0
"""So long after the last round of all bindings the next one begins."""


class Tidying:
    """Goes round the bindings that the newest manifest knows.

    Where old rows are to go, it goes round all that keep any in the organisation's folder: those of a binding that was
    deleted, or that another carrier had, grow old too.
    """

    def __init__(self, carrier: CarrierFolder, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._carrier = carrier
        self._monotonic = monotonic
        self._waiting: deque[str] = deque()
        self._next_round = monotonic() + EVERY_S

    def turn(self, budget_s: float) -> None:
        """Work for about `budget_s`, if it is time for any. Raises `OSError`."""
        until = self._monotonic() + budget_s
        if not self._waiting:
            if self._monotonic() < self._next_round:
                return
            self._waiting.extend(self._folders())
            self._next_round = self._monotonic() + EVERY_S
        while self._waiting and self._monotonic() < until:
            name = self._waiting[0]
            beside = Path(self._carrier.settings.home) / name
            if not tidy(self._carrier.results_called(name), beside, keep_s=self._carrier.settings.keep_results_s):
                self._waiting.popleft()

    def _folders(self) -> list[str]:
        """The folders of results of all bindings, each once."""
        manifest = newest_manifest(self._carrier.folder)
        found = set() if manifest is None else {totals.folder for totals in manifest.bindings.values()}
        if self._carrier.settings.keep_results_s is not None:
            pooled = self._carrier.settings.pooled
            for above in {folder.partition("/")[0] + "/" for folder in found} if pooled else {""}:
                names = self._carrier.shared_of(above.rstrip("/")).folders(RESULTS)
                found |= {f"{above}{RESULTS}/{name}" for name in names}
        return sorted(found)
