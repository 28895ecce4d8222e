"""The versions of a reference table by key, and the edges that its input gives to joins (T48 to T53)."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Any

from streaming.temporal.events import Payload
from streaming.temporal.tables import Key, Snapshot, TableRules, Version
from streaming.temporal.ticks import FIRST_TICK, NO_CTI, Tick
from streaming.temporal.value_order import sort_key


@dataclass(frozen=True, slots=True)
class Candidate:
    """A version that may hold from some time on; `payload` is None for a deletion, `original` the start as received.

    `whole`: a snapshot says it. `order` is the value of the version field. `source` names the received row.
    """

    original: Tick
    whole: bool
    order: Any
    payload: Payload | None
    source: Any = None

    @property
    def rank(self) -> tuple[Any, ...]:
        """Return the sort key of candidates of one key that hold from one time on; the largest holds (T49, T52)."""
        return (self.original, self.whole, sort_key(self.order), self.payload is not None, sort_key(self.payload))


@dataclass(frozen=True, slots=True)
class SnapshotMark:
    """A snapshot ends every key that it lacks."""

    original: Tick
    keys: frozenset[Key]
    source: Any = None


@dataclass(frozen=True, slots=True)
class HeldVersion:
    """The present of a key: a version since `start`, or no payload since its deletion.

    `original` is the largest start as received of the rows that say so. `number` identifies its edge.
    """

    original: Tick
    payload: Payload | None
    start: Tick
    number: int
    source: Any = None


@dataclass(frozen=True, slots=True)
class VersionEdge:
    """The start of a version, or with `end` its end; `number` and `opened` are the number and source of its start."""

    start: Tick
    end: Tick | None
    payload: Payload
    number: int
    source: Any
    opened: Any

    @property
    def time(self) -> Tick:
        """Return the time of the change."""
        return self.start if self.end is None else self.end


@dataclass(frozen=True)
class VersionsState:
    """The complete state of a table."""

    cti: Tick
    number: int
    snapshot: Tick
    first: bool
    lanes: Mapping[str, Tick]
    pending: Mapping[Tick, Mapping[Key, Candidate]]
    marks: Mapping[Tick, SnapshotMark]


FRESH = VersionsState(NO_CTI, 0, NO_CTI, True, {}, {}, {})


class PendingVersions:
    """Candidates and snapshots by the time from which they hold; each is found by its time and by its key."""

    def __init__(self, by_time: Mapping[Tick, Mapping[Key, Candidate]], marks: Mapping[Tick, SnapshotMark]) -> None:
        self.by_time = {at: dict(by_key) for at, by_key in by_time.items()}
        self.marks = dict(marks)
        self.times: dict[Key, set[Tick]] = {}
        for at, by_key in self.by_time.items():
            for key in by_key:
                self.times.setdefault(key, set()).add(at)
        self._due = [*self.by_time, *self.marks]
        heapify(self._due)

    def add(self, at: Tick, key: Key, candidate: Candidate) -> None:
        """Add a candidate; of two of one key and time the one of the larger rank stays."""
        self._wait(at)
        by_key = self.by_time.setdefault(at, {})
        known = by_key.get(key)
        if known is None or known.rank < candidate.rank:
            by_key[key] = candidate
            self.times.setdefault(key, set()).add(at)

    def mark(self, at: Tick, mark: SnapshotMark) -> None:
        """Add a snapshot; of two of one time the one with the later original start stays."""
        self._wait(at)
        known = self.marks.get(at)
        if known is None or known.original < mark.original:
            self.marks[at] = mark

    def of_key(self, key: Key, until: Tick) -> Iterator[Candidate]:
        """Yield the candidates of a key that hold from `until` or from an earlier time on."""
        return (self.by_time[at][key] for at in self.times.get(key, ()) if at <= until)

    def first_before(self, cti: Tick) -> Tick | None:
        """Return the first time before `cti`; None if nothing is due."""
        return self._due[0] if self._due and self._due[0] < cti else None

    def remove_first(self) -> None:
        """Remove what holds from the first time on."""
        at = heappop(self._due)
        self.marks.pop(at, None)
        for key in self.by_time.pop(at, ()):
            times = self.times[key]
            times.discard(at)
            if not times:
                del self.times[key]

    def _wait(self, at: Tick) -> None:
        if at not in self.by_time and at not in self.marks:
            heappush(self._due, at)


class VersionTable:
    """All versions of a table that still matter: of each key the one that holds at the CTI, and all later ones.

    At any time the candidate of the largest rank counts, among those that hold from then or from an earlier time on. So
    the order in which rows and lanes arrive changes nothing. A deletion is remembered until a later snapshot, since it
    supersedes late versions. `held` is the version of each key at the CTI.
    """

    def __init__(
        self, rules: TableRules, state: VersionsState = FRESH, held: MutableMapping[Key, HeldVersion] | None = None
    ) -> None:
        self.rules = rules
        self.held: MutableMapping[Key, HeldVersion] = {} if held is None else held
        self._cti = state.cti
        self._number = state.number
        self._snapshot = state.snapshot
        self._first = state.first
        self._lanes = dict(state.lanes)
        self._pending = PendingVersions(state.pending, state.marks)
        self._known: int | None = None

    def state(self) -> VersionsState:
        """Return the state without `held`; a table from both continues seamlessly."""
        pending = self._pending
        return VersionsState(
            self._cti, self._number, self._snapshot, self._first, self._lanes, pending.by_time, pending.marks
        )

    def reach(self, cti: Tick) -> None:
        """Move to `cti` where nothing is due."""
        self._cti = max(self._cti, cti)

    def is_full(self, row: Version | Snapshot) -> bool:
        """See `Versions`. Only new keys can be too many."""
        most = self.rules.max_keys
        if isinstance(row, Snapshot):
            return len(row.rows) > most
        if row.deleted or len(self.held) + len(self._pending.times) < most:
            return False
        if self._is_known(self._key(row.payload)):
            return False
        if self._known is None:  # counted once, then maintained: to count takes as long as the table is large
            self._known = sum(not self._holds(key) for key in self._pending.times)
            self._known += sum(held.payload is not None for held in self.held.values())
        return self._known >= most

    def is_stale(self, lane: str, snapshot: Snapshot) -> bool:
        """See `Versions`."""
        return snapshot.start <= self._lanes.get(lane, NO_CTI)

    def is_superseded(self, version: Version, cti: Tick) -> bool:
        """See `Versions`. A snapshot says something of every key."""
        if self._snapshot > version.start or any(
            at <= cti and mark.original > version.start for at, mark in self._pending.marks.items()
        ):
            return True
        key = self._key(version.payload)
        held = self.held.get(key)
        if held is not None and held.original > version.start:
            return True
        return any(candidate.original > version.start for candidate in self._pending.of_key(key, cti))

    def sources(self) -> set[Any]:
        """Return the sources of the rows that will still change something; rows without a source are left out."""
        every = [each.source for by_key in self._pending.by_time.values() for each in by_key.values()]
        every += [mark.source for mark in self._pending.marks.values()]
        return {source for source in every if source is not None}

    def put(self, lane: str, row: Version | Snapshot, effective: Tick, since: Tick, source: Any = None) -> None:
        """See `Versions`."""
        if isinstance(row, Version):
            candidate = Candidate(row.start, False, self._order(row.payload), row.payload, source)
            self._add(effective, self._key(row.payload), replace(candidate, payload=None) if row.deleted else candidate)
            return
        self._lanes[lane] = row.start
        by_key = {self._key(payload): payload for payload in row.rows}
        beginning = max(FIRST_TICK, since)
        if self._first and self.rules.always and beginning < effective:
            for key, payload in by_key.items():
                self._add(beginning, key, Candidate(FIRST_TICK, True, None, payload, source))
        self._first = False
        for key, payload in by_key.items():
            self._add(effective, key, Candidate(row.start, True, self._order(payload), payload, source))
        self._pending.mark(effective, SnapshotMark(row.start, frozenset(by_key), source))

    def settle(self, cti: Tick) -> Iterator[VersionEdge]:
        """Yield the edges of all changes before `cti`, in order of time; from then on they are final."""
        if cti <= self._cti:
            return
        self._cti = cti
        while (at := self._pending.first_before(cti)) is not None:
            yield from self._settle(at, self._pending.by_time.get(at, {}), self._pending.marks.get(at))

    def _settle(self, at: Tick, changed: Mapping[Key, Candidate], mark: SnapshotMark | None) -> Iterator[VersionEdge]:
        """Let the candidates of the first time hold, and end the keys that its snapshot lacks."""
        keys = set(changed)
        if mark is not None:
            keys.update(key for key, held in self.held.items() if held.payload is not None and key not in mark.keys)
        before = 0 if self._known is None else sum(map(self._is_known, keys))
        self._pending.remove_first()
        for key in sorted(keys, key=sort_key):
            candidates = [changed[key]] if key in changed else []
            if mark is not None and key not in mark.keys:
                candidates.append(Candidate(mark.original, True, None, None, mark.source))
            yield from self._change(key, at, max(candidates, key=lambda each: each.rank))
        if self._known is not None:
            self._known += sum(map(self._is_known, keys)) - before
        if mark is not None:
            self._snapshot = max(self._snapshot, mark.original)
            gone = [key for key, held in self.held.items() if held.payload is None and held.original <= self._snapshot]
            for key in gone:
                del self.held[key]

    def _change(self, key: Key, at: Tick, new: Candidate) -> Iterator[VersionEdge]:
        """Let `new` hold from `at` on, unless a row of another lane with a later start already holds."""
        old = self.held.get(key)
        if new.original < (self._snapshot if old is None else old.original):
            return
        before = None if old is None else old.payload
        if old is not None and before is not None and new.payload is not None and _same(before, new.payload):
            self.held[key] = replace(old, original=new.original)
            return
        if old is not None and before is not None:
            yield VersionEdge(old.start, at, before, old.number, new.source, old.source)
        self._number += new.payload is not None
        self.held[key] = HeldVersion(new.original, new.payload, at, self._number, new.source)
        if new.payload is not None:
            yield VersionEdge(at, None, new.payload, self._number, new.source, new.source)

    def _add(self, effective: Tick, key: Key, candidate: Candidate) -> None:
        if self._known is not None and not self._is_known(key):
            self._known += 1
        self._pending.add(effective, key, candidate)

    def _is_known(self, key: Key) -> bool:
        """Return true if the key has a version or a waiting candidate: it counts towards the most keys."""
        return key in self._pending.times or self._holds(key)

    def _holds(self, key: Key) -> bool:
        held = self.held.get(key)
        return held is not None and held.payload is not None

    def _key(self, payload: Payload) -> Key:
        key = self.rules.key(payload)
        if key is None:
            raise AssertionError(f"a row without a key was not judged malformed: {payload}")
        return key

    def _order(self, payload: Payload) -> Any:
        return None if self.rules.version is None else payload.get(self.rules.version)


def distinct_rows(rules: TableRules, rows: Iterable[Payload]) -> tuple[list[Payload], list[Payload]]:
    """Return the row of each key of a snapshot, and the others: of two rows the greater one counts (T50)."""
    best: dict[Key, Payload] = {}
    others: list[Payload] = []
    for row in rows:
        key = rules.key(row)
        if key is None:
            raise AssertionError(f"a row without a key was not judged malformed: {row}")
        known = best.get(key)
        if known is None:
            best[key] = row
        elif _order_of(rules, known) < _order_of(rules, row):
            best[key] = row
            others.append(known)
        else:
            others.append(row)
    return list(best.values()), others


def _order_of(rules: TableRules, row: Payload) -> tuple[Any, ...]:
    version = None if rules.version is None else row.get(rules.version)
    return sort_key(version), sort_key(row)


def _same(one: Payload, other: Payload) -> bool:
    return sort_key(one) == sort_key(other)
