"""When carried bindings are looked at: as often as each wants its results fresh, and several in one batch.

To look at a binding is to ask its adapters what waits, which is then read at once. So a row waits for no longer than
from one look to the next, and who has nothing to read costs a question each time and no batch.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from streaming.spark.binding_life import CarriedBinding
from streaming.wire.storage import BlobFolder

SOON: Final = 250_000
"""In ticks: who has an answer to give, or rows that the limit held back, is looked at again after so long."""
EAGER: Final = 1_000_000
"""In ticks: how often who has just begun is looked at, if it does not want that more often."""
FRESHNESS: Final = "freshness.json"


class WatchedBinding(NamedTuple):
    """A carried binding since control entry `entry` added it last: what is added anew has not been looked at.

    A tuple, because it is a key of dictionaries: each binding is looked up seventeen times a planning.
    """

    binding: str
    entry: int

    @classmethod
    def of(cls, item: CarriedBinding) -> "WatchedBinding":
        """The binding as it is carried now."""
        return cls(item.binding, item.entry)


class LookTimes:
    """When each binding was looked at, in ticks of a clock that only rises; `eager`: `CarrierSettings.eager_s`."""

    def __init__(self, eager: int = 0) -> None:
        self._eager = eager
        self._begun: dict[WatchedBinding, int] = {}
        self._looked: dict[WatchedBinding, int] = {}
        self._again: dict[WatchedBinding, int] = {}

    def due(self, wanted: Mapping[WatchedBinding, int], now: int) -> set[WatchedBinding]:
        """Who of `wanted` (how long each may wait between two looks) has to be looked at now."""
        return {who for who, most in wanted.items() if self._next(who, most) <= now}

    def along(self, wanted: Mapping[WatchedBinding, int], now: int) -> set[WatchedBinding]:
        """Who is looked at too when there is a batch: who has waited for half of its time, or is to be asked again.

        Without this, bindings that were started at different times would each have batches of their own for ever.
        """
        again = wanted.keys() & self._again.keys()
        return again | {who for who, most in wanted.items() if self._next(who, most // 2) <= now}

    def next_at(self, wanted: Mapping[WatchedBinding, int]) -> int | None:
        """When somebody is due next; None where there is nobody."""
        return min((self._next(who, most) for who, most in wanted.items()), default=None)

    def looked(self, who: Collection[WatchedBinding], now: int) -> None:
        """They have been looked at."""
        for each in who:
            self._begun.setdefault(each, now)
            self._looked[each] = now
            self._again.pop(each, None)

    def again(self, who: Collection[WatchedBinding], at: int) -> None:
        """They are to be looked at again at `at`, or before that where it is their time."""
        self._again.update(dict.fromkeys(who, at))

    def keep(self, who: Collection[WatchedBinding]) -> None:
        """Forget all others."""
        for known in (self._begun, self._looked, self._again):
            for each in known.keys() - set(who):
                del known[each]

    def _next(self, who: WatchedBinding, most: int) -> int:
        looked = self._looked.get(who)
        eager = looked is not None and looked - self._begun[who] < self._eager
        usual = 0 if looked is None else looked + (min(most, EAGER) if eager else most)
        return min(usual, self._again.get(who, usual))


@dataclass(frozen=True)
class TimesOfBindings:
    """What the wall clock means for bindings: `dues` by generation, as `ManifestHead.dues`; `quiet`, by who is watched,
    the tick of the last look that found nothing to read."""

    dues: Mapping[str, int | None]
    quiet: Mapping[WatchedBinding, int]

    def is_due(self, item: CarriedBinding, tick: int) -> bool:
        """Whether time alone may move a CTI of `item` at `tick`."""
        due = self.dues.get(item.key, 0)
        return due is not None and due <= tick


def write_freshness(folder: BlobFolder, wanted: Mapping[str, int]) -> None:
    """Let the bindings of the carrier `folder` be as fresh as `wanted` (ticks) from the next look on."""
    folder.write(FRESHNESS, json.dumps(dict(wanted)).encode())


def read_freshness(folder: BlobFolder) -> Mapping[str, int]:
    """What was written last."""
    content = folder.read(FRESHNESS)
    found: dict[str, int] = {} if content is None else json.loads(content)
    return found
