"""The state of a sequence: the rows of each group that may still matter, and the progress of its search (T37)."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.engine.columns.flows import Flows
from streaming.engine.columns.ranks import distinct
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.sequences import SequenceSpec
from streaming.reference.sequences.search import MOST_CONDITIONS
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

_TIMES: Final = [(name, pa.int64()) for name in ("@start", "@end", "@stamp")]
Group = tuple[Any, ...]


@dataclass
class StoredGroup:
    """The progress of the search in one group; rows count from its first stored one.

    `failures` are the row, name and kind of the failures that are counted. `most_conditions` is the limit of the next
    attempt; it is stored only if an attempt has lowered it.
    """

    position: int = 0
    covered: int = 0
    matches: int = 0
    failures: list[list[Any]] = field(default_factory=list)
    most_conditions: int = field(default_factory=lambda: MOST_CONDITIONS)

    @property
    def is_new(self) -> bool:
        """Return whether nothing has to be remembered."""
        return not (self.position or self.covered > 0 or self.matches or self.failures or self._lowered)

    @property
    def _lowered(self) -> list[int]:
        return [self.most_conditions] if self.most_conditions < MOST_CONDITIONS else []

    def to_json(self) -> str:
        """Return the progress as it is stored."""
        return json.dumps([self.position, self.covered, self.matches, self.failures, *self._lowered])


class GroupStore:
    """All groups of one node."""

    def __init__(self, state: NodeState, spec: SequenceSpec) -> None:
        self._spec = spec
        groups = arrow_schema({name: spec.reads[name] for name in spec.group_by})
        rows = pa.schema([*map(pa.field, *zip(*_TIMES, strict=True)), *arrow_schema(spec.reads)])
        self._rows = RowsByKey(state, "rows", spec.group_by, rows)
        self._progress = RowsByKey(state, "groups", spec.group_by, groups.append(pa.field("@progress", pa.string())))
        given = [*map(pa.field, *zip(*_TIMES, strict=True)), pa.field("@id", pa.string()), *arrow_schema(spec.fields)]
        self._given = RowsByKey(state, "given", spec.group_by, pa.schema(given)) if spec.running else None

    @property
    def hold(self) -> int:
        """Return the start of the earliest result that known rows could still give, INFINITY without one."""
        return self._rows.least_mark()

    def append(self, flows: Flows) -> None:
        """Add rows that are not known yet."""
        due = np.minimum(flows.start, INFINITY - self._spec.grace - 1) + self._spec.grace + 1
        self._rows.append(flows.to_table(), due)

    def slots_of(self, flows: Flows) -> Int64s:
        """Return the slots of the groups of `flows`, rising."""
        return distinct(self._rows.slots_of([flows.columns[name] for name in self._spec.group_by], len(flows)))

    def due(self, cti: int) -> Int64s:
        """Return the slots of the groups that have something to decide at the CTI."""
        return self._rows.due_slots(cti)

    def read(self, slots: Int64s) -> tuple[Flows, dict[Group, StoredGroup]]:
        """Return the rows and the progress of all groups in `slots`."""
        table = self._progress.read(slots)
        groups = zip(*(table.column(name).to_pylist() for name in self._spec.group_by), strict=True)
        keys: Iterable[Group] = groups if self._spec.group_by else [()] * table.num_rows
        stored = map(json.loads, table.column("@progress").to_pylist())
        progress = {key: StoredGroup(*each) for key, each in zip(keys, stored, strict=True)}
        return Flows.of_table(self._rows.read(slots)), progress

    def read_given(self, slots: Int64s) -> Flows | None:
        """Return the rows that have left and may still be retracted; None without `emit: running`."""
        return None if self._given is None else Flows.of_table(self._given.read(slots))

    def write(self, slots: Int64s, rows: Flows, due: Int64s, hold: Int64s) -> None:
        """Replace the rows of all groups in `slots`; each has the next CTI of its group, and what the group holds."""
        self._rows.rewrite(slots, rows.to_table(), due, hold)

    def write_progress(self, slots: Int64s, progress: Mapping[Group, StoredGroup]) -> None:
        """Replace the progress of all groups in `slots`."""
        kept = {key: each for key, each in progress.items() if not each.is_new}
        fields = arrow_schema({name: self._spec.reads[name] for name in self._spec.group_by})
        columns = {each.name: pa.array([key[at] for key in kept], each.type) for at, each in enumerate(fields)}
        texts = [each.to_json() for each in kept.values()]
        table = pa.table({**columns, "@progress": pa.array(texts, pa.string())})
        self._progress.rewrite(slots, table, np.full(len(kept), INFINITY))

    def write_given(self, slots: Int64s, given: Flows) -> None:
        """Replace the rows that may be retracted."""
        assert self._given is not None  # nosec B101 # only with `emit: running`
        self._given.rewrite(slots, given.to_table(), np.full(len(given), INFINITY))


def kept_rows(spec: SequenceSpec, starts: Sequence[int], position: int, at: int) -> int:
    """Return the first row that the search from `position` on, or a PREV in it, can still read (T31, T37)."""
    first = max(0, position - spec.furthest_before)
    if spec.reach is not None:
        base = min(starts[position], at) if position < len(starts) else at
        while first < position and starts[first] <= base - spec.reach:
            first += 1
    return first


def next_moment(spec: SequenceSpec, starts: Sequence[int], position: int, known: int, at: int) -> int:
    """Return the next CTI, less the grace, at which something is decided without further rows; INFINITY without one."""
    lengths = {spec.within, *spec.absences}
    if spec.looks_ahead:
        lengths.add(spec.reach)
    moments = [starts[known] + 1] if known < len(starts) else []
    for length in lengths:
        if length:
            first = bisect_right(starts, at - length, position, max(position, known))
            if first < known:
                moments.append(starts[first] + length)
    return min(moments, default=INFINITY)
