"""The poll schedule of carried bindings: as often as each freshness requires, and several in one batch.

To poll a binding is to ask its adapters for waiting rows, which are then read at once. So a row waits no longer than
one poll interval. A binding with nothing to read costs a question at each poll, but no batch.
"""

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from streaming.spark.query.binding_life import CarriedBinding
from streaming.storage.blobs import BlobFolder

log = logging.getLogger(__name__)

SOON: Final = 250_000
"""In ticks: the delay until the next poll of a binding with a pending answer, or with rows that the limit cut off."""
EAGER: Final = 1_000_000
"""In ticks: the longest poll interval of a binding that has just started."""
FRESHNESS: Final = "freshness.json"


class WatchedBinding(NamedTuple):
    """A carried binding, with the last control entry that added it: a binding that is added again has not been polled.

    It is a tuple because it is a key of dictionaries: each binding is looked up seventeen times in a planning.
    """

    binding: str
    entry: int

    @classmethod
    def of(cls, item: CarriedBinding) -> "WatchedBinding":
        """Return the binding as it is carried now."""
        return cls(item.binding, item.entry)


class PollSchedule:
    """The last poll of each binding, in ticks of a clock that only rises; `eager`: `CarrierSettings.eager_s`."""

    def __init__(self, eager: int = 0) -> None:
        self._eager = eager
        self._started_at: dict[WatchedBinding, int] = {}
        self._looked: dict[WatchedBinding, int] = {}
        self._again: dict[WatchedBinding, int] = {}

    def due(self, wanted: Mapping[WatchedBinding, int], now: int) -> set[WatchedBinding]:
        """Return the bindings to poll now; `wanted` maps each to its longest poll interval."""
        return {who for who, most in wanted.items() if self._next(who, most) <= now}

    def along(self, wanted: Mapping[WatchedBinding, int], now: int) -> set[WatchedBinding]:
        """Return the bindings to poll too if there is a batch: past half of their interval, or marked `again`.

        Otherwise bindings that were started at different times would each have batches of their own for ever.
        """
        again = wanted.keys() & self._again.keys()
        return again | {who for who, most in wanted.items() if self._next(who, most // 2) <= now}

    def next_at(self, wanted: Mapping[WatchedBinding, int]) -> int | None:
        """Return when the next binding is due; None if there is no binding."""
        return min((self._next(who, most) for who, most in wanted.items()), default=None)

    def looked(self, who: Collection[WatchedBinding], now: int) -> None:
        """Record that the bindings have been polled."""
        for each in who:
            self._started_at.setdefault(each, now)
            self._looked[each] = now
            self._again.pop(each, None)

    def again(self, who: Collection[WatchedBinding], at: int) -> None:
        """Poll the bindings again at `at`, or earlier if they are due."""
        self._again.update(dict.fromkeys(who, at))

    def keep(self, who: Collection[WatchedBinding]) -> None:
        """Forget all other bindings."""
        for known in (self._started_at, self._looked, self._again):
            for each in known.keys() - set(who):
                del known[each]

    def _next(self, who: WatchedBinding, most: int) -> int:
        looked = self._looked.get(who)
        eager = looked is not None and looked - self._started_at[who] < self._eager
        usual = 0 if looked is None else looked + (min(most, EAGER) if eager else most)
        return min(usual, self._again.get(who, usual))


@dataclass(frozen=True)
class TimesOfBindings:
    """The meaning of the wall clock for bindings.

    `dues`: by generation, as in `ManifestHead.dues`. `quiet`: by binding, the tick of the last poll that found nothing
    to read.
    """

    dues: Mapping[str, int | None]
    quiet: Mapping[WatchedBinding, int]

    def is_due(self, item: CarriedBinding, tick: int) -> bool:
        """Return True if time alone may move a CTI of `item` at `tick`."""
        due = self.dues.get(item.key, 0)
        return due is not None and due <= tick


def write_freshness(folder: BlobFolder, wanted: Mapping[str, int]) -> None:
    """Set the freshness of the bindings of the carrier `folder` to `wanted` (ticks) from the next poll on."""
    folder.write(FRESHNESS, json.dumps(dict(wanted)).encode())


def read_freshness(folder: BlobFolder) -> Mapping[str, int]:
    """Read the last written freshness."""
    content = folder.read(FRESHNESS)
    try:
        found: dict[str, int] = {} if content is None else json.loads(content)
    except ValueError:
        log.exception("Could not read %s. The driver writes it again.", FRESHNESS)
        return {}
    return found
