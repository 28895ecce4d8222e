"""The clocks of the keys of one lane: those that a batch needs are live, all others stay serialised (T15)."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from streaming.engine.feed.judging.tally import clock_of_json, clock_to_json
from streaming.engine.state.container import Blob
from streaming.engine.state.texts_by_key import AscendingKeys, TextRanks, TextsByKey, texted
from streaming.temporal.clock import LaneClock, LaneClockState
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_CTI, Tick

Written = Mapping[str, Any]
"""A clock as JSON values; with the idle rule and many keys, also the rule's data on the key."""
_SILENCE = ("heard_at", "idle")


class LaneKeys:
    """The keys of a lane. Few keys are JSON values; many are entries, by rising CTIs, and are read when needed.

    `live` are the clocks in use. Raising all keys raises a floor instead; no key is below it. `each`: every key is
    read, because the idle rule checks all of them.
    """

    def __init__(self, settings: AdvanceTime, *, each: bool = False) -> None:
        self.live: dict[str, LaneClock] = {}
        self.largest: Tick = NO_CTI
        self.suppressed = 0
        self._settings = settings
        self._each = each
        self._floor: int = NO_CTI
        self._kept: dict[str, Written] = {}
        self._entries: TextsByKey | None = None
        self._waiting: AscendingKeys | None = None

    @classmethod
    def of_few(cls, settings: AdvanceTime, kept: Mapping[str, Written], *, each: bool) -> "LaneKeys":
        """Restore the keys from the result of `few`."""
        keys = cls(settings, each=each)
        keys._kept = dict(kept)
        keys.largest = max((clock.get("largest_start", NO_CTI) for clock in kept.values()), default=NO_CTI)
        keys.suppressed = sum(clock.get("cti_suppressed", 0) for clock in kept.values())
        if not each:
            names = list(kept)
            ctis = np.fromiter((clock.get("cti", NO_CTI) for clock in kept.values()), np.int64, len(names))
            keys._waiting = AscendingKeys(TextRanks(ctis, names.__getitem__))
        return keys

    @classmethod
    def of_many(
        cls, settings: AdvanceTime, stored: Mapping[str, Any], blobs: Mapping[str, Blob], *, each: bool
    ) -> "LaneKeys":
        """Restore the keys from the result of `write`."""
        keys = cls(settings, each=each)
        keys._entries = TextsByKey(stored["keys"], blobs)
        keys._floor, keys.largest, keys.suppressed = stored["floor"], stored["largest"], stored["suppressed"]
        if each:
            keys._kept = {key: json.loads(text) for key, text, _ in keys._entries.items()}
        else:
            keys._waiting = AscendingKeys(keys._entries.ranked())
        return keys

    def __len__(self) -> int:
        """Return the number of keys."""
        if self._entries is None or self._each:
            return len(self._kept) + len(self.live)
        return len(self._entries) + sum(self._entries.get(key) is None for key in self.live)

    @property
    def many(self) -> bool:
        """Return true if they are entries already."""
        return self._entries is not None

    @property
    def lowest(self) -> int | None:
        """Return the lowest CTI of the keys that are not live; None without such keys, or if each counts separately."""
        lowest = None if self._waiting is None else self._waiting.lowest
        return None if lowest is None else max(lowest, self._floor)

    def ctis(self) -> dict[str, int]:
        """Return the CTIs of the keys that count separately."""
        found: dict[str, int] = {}
        if self._each:
            found = {key: max(clock.get("cti", NO_CTI), self._floor) for key, clock in self._kept.items()}
        return found | {key: clock.cti for key, clock in self.live.items()}

    def silence(self) -> tuple[dict[str, int], list[str]]:
        """Return the last arrival of each key, and the idle keys, if these were written with them."""
        heard = {key: clock["heard_at"] for key, clock in self._kept.items() if "heard_at" in clock}
        return heard, [key for key, clock in self._kept.items() if "idle" in clock]

    def begin(self, key: str, state: LaneClockState) -> LaneClock:
        """Add a new key."""
        self.live[key] = LaneClock(self._settings, state)
        return self.live[key]

    def wake(self, key: str) -> LaneClock | None:
        """Make a stored key live; None if no key has that name."""
        kept: Written | None = self._kept.pop(key, None)
        if kept is None and self._entries is not None and not self._each:
            text = self._entries.get(key)
            kept = None if text is None else json.loads(text)
        if kept is None:
            return None
        clock = self.begin(key, clock_of_json(kept))
        clock.raise_to(Tick(self._floor))
        if self._waiting is not None:
            self._waiting.take_out(key)
        return clock

    def raise_to(self, cti: Tick) -> list[str]:
        """Raise every key to at least `cti`; return the separately counted keys that moved."""
        moved = [key for key, clock in self.live.items() if clock.raise_to(cti)]
        if cti > self._floor:
            if self._each:
                before = self._floor
                moved += [key for key, each in self._kept.items() if max(each.get("cti", NO_CTI), before) < cti]
            self._floor = cti
        return moved

    def few(self) -> dict[str, Written]:
        """Return all of them as JSON values."""
        live = {key: clock_to_json(clock.state()) for key, clock in self.live.items()}
        return {key: self._raised(clock) for key, clock in self._kept.items()} | live

    def write(self, blobs: dict[str, Blob], silence: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Write all of them as entries in `blobs`, with the idle rule's data on some.

        Return the rest as JSON values.
        """
        first, entries = self._entries is None, TextsByKey() if self._entries is None else self._entries
        for key, kept in self._kept.items():
            known = silence.get(key, {})
            if first or known != {name: kept[name] for name in _SILENCE if name in kept}:
                _put(entries, key, self._raised(kept), known)
        for key, clock in self.live.items():
            _put(entries, key, clock_to_json(clock.state()), silence.get(key, {}))
        stored = {"floor": self._floor, "largest": self.largest, "suppressed": self.suppressed}
        return {**stored, "keys": entries.write(blobs)}

    def _raised(self, kept: Written) -> Written:
        """Return a clock as if it had been live when the floor rose."""
        clock = {name: value for name, value in kept.items() if name not in _SILENCE}
        if self._floor == NO_CTI:
            return clock
        return clock | {name: max(clock.get(name, NO_CTI), self._floor) for name in ("cti", "fixed_cti")}


def silences(heard_at: Mapping[str, int], idle: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the idle rule's data on each unit, in the form stored with it."""
    found: dict[str, dict[str, Any]] = {unit: {"heard_at": at} for unit, at in heard_at.items()}
    for unit in idle:
        found.setdefault(unit, {})["idle"] = True
    return found


def _put(entries: TextsByKey, key: str, clock: Written, silence: Mapping[str, Any]) -> None:
    entries.put(key, texted({**clock, **silence}), clock.get("cti", NO_CTI))
