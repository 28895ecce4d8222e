"""The schedule of compaction: a little at a time in the driver, next to the query."""

import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import newest_manifest
from streaming.spark.sink.compaction import compact
from streaming.spark.sink.points_at_rest import Pointed, keep_points_at_rest
from streaming.storage.result_location import RESULTS

log = logging.getLogger(__name__)

EVERY_S: Final = 60.0
"""The time between the end of one round of all bindings and the start of the next."""


class CompactionScheduler:
    """Compacts the bindings of the newest manifest in turn.

    With a limit of age it visits every folder of results in the organisation's folder: results of deleted bindings, and
    of bindings that moved to another carrier, grow old too.
    """

    def __init__(self, carrier: CarrierFolder, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._carrier = carrier
        self._monotonic = monotonic
        self._waiting: deque[str] = deque()
        self._next_round = monotonic() + EVERY_S
        self._pointed: Pointed = {}

    def turn(self, budget_s: float) -> None:
        """Work for about `budget_s`, if a round is due. Raises `OSError`.

        A binding whose batches cannot be merged or aged is skipped until the next round.
        """
        until = self._monotonic() + budget_s
        if not self._waiting:
            if self._monotonic() < self._next_round:
                return
            self._pointed = keep_points_at_rest(self._carrier, self._pointed)
            self._waiting.extend(self._folders())
            self._next_round = self._monotonic() + EVERY_S
        while self._waiting and self._monotonic() < until:
            name = self._waiting[0]
            if not self._compact(name):
                self._waiting.popleft()

    def _compact(self, name: str) -> bool:
        """Return True if there was anything to do for the binding whose folder of results is called `name`."""
        beside = Path(self._carrier.settings.home) / name
        try:
            return compact(self._carrier.results_called(name), beside, keep_s=self._carrier.settings.keep_results_s)
        except Exception:  # a binding's fault ends here, the others continue
            log.exception("Could not merge old batches in %s. They stay readable as they are.", name)
            return False

    def _folders(self) -> list[str]:
        """Return the folders of results of all bindings, each once."""
        manifest = newest_manifest(self._carrier.folder)
        found = set() if manifest is None else {totals.folder for totals in manifest.bindings.values()}
        if self._carrier.settings.keep_results_s is not None:
            pooled = self._carrier.settings.pooled
            for above in {folder.partition("/")[0] + "/" for folder in found} if pooled else {""}:
                names = self._carrier.shared_of(above.rstrip("/")).folders(RESULTS)
                found |= {f"{above}{RESULTS}/{name}" for name in names}
        return sorted(found)
