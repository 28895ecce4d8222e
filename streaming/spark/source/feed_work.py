"""The division of a batch's work among the tasks of the feed: a function of its two offsets."""

import traceback
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from streaming.adapters.contract import Position
from streaming.spark.errors import explain_binding
from streaming.spark.query.binding_life import BEGINS, CarriedBinding
from streaming.spark.query.offset import BindingTurn, Offset
from streaming.spark.query.savepoints import SavepointHead, head_of
from streaming.spark.query.state_change import StateChange

TOGETHER = "/"
"""The name of the clock of merged lanes; other clocks are called `<input>/<lane>`."""


@dataclass(frozen=True)
class LaneWork:
    """One lane in one batch: read `[start, end)`, which may be empty, then CTI infinity if `last`.

    `joins`: the lanes that the input had before this lane was discovered, in this batch (T14); None: it was not.
    """

    input: str
    lane: str
    start: Position
    end: Position
    last: bool
    joins: tuple[str, ...] | None = None


@dataclass
class BindingWork:
    """The work of one task for one binding. Only one of the tasks reports `turn`; `held` as in `CarriedBinding`.

    `together`: one clock for all lanes, which are all here, even idle ones; `beat`: the time of the batch counts for
    it, and it had nothing to read until `quiet`. `saves`: the lane clocks of this task go into a savepoint.
    `enters`: the savepoint to restore, from which this task takes the clocks in `clocks`. `begins`: in this batch its
    lanes only get their first clocks; `again`: its rows are replayed. `widens`: the control entry whose state its
    buckets must convert first; one of the tasks notifies them. `fault`: the batch leaves the binding out, and its run
    fails with this error.
    """

    key: str
    entry: int
    redo: int = 0
    lanes: list[LaneWork] = field(default_factory=list)
    turn: BindingTurn | None = None
    held: int | None = None
    together: bool = False
    beat: bool = False
    quiet: int = 0
    saves: SavepointHead | None = None
    enters: str | None = None
    clocks: frozenset[str] = frozenset()
    begins: bool = False
    again: bool = False
    widens: int | None = None
    fault: StateChange | None = None


@dataclass
class TaskWork:
    """The work of one feed task in batch `batch`, planned at `tick`.

    `living` are the generations whose lane clocks may be needed again.
    """

    carrier: str
    partition: int
    batch: int
    tick: int
    bindings: dict[str, BindingWork] = field(default_factory=dict)
    living: frozenset[str] = frozenset()


def share_out(
    carrier: str,
    partitions: int,
    end: Offset,
    excluded: Mapping[str, StateChange] = MappingProxyType({}),
    probe: frozenset[str] | None = None,
) -> list[TaskWork]:
    """Return the tasks of the batch that ends at `end`, without idle tasks.

    A lane always goes to the same partition, which stores its clock. The lanes of one binding are spread evenly, unless
    they are merged. A savepoint concerns every partition. The bindings in `excluded` only fail. Of the others, only
    those in `probe` have work (None: all).
    """
    living = frozenset(_living(end))
    tasks = [TaskWork(carrier, number, end.n, end.tick, living=living) for number in range(partitions)]
    turns = {turn.key: turn for turn in end.turns}
    items = {item.key: item for item in end.every}
    entries = {key: item.entry for key, item in items.items()}
    entries |= {key: turn.entry for key, turn in turns.items() if key not in entries}
    for key, entry in entries.items():
        if probe is not None and key not in probe:
            continue
        fault = excluded.get(key)
        try:
            if fault is None:
                _share_one(tasks, end, items.get(key), turns.get(key))
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            fault = StateChange.failed(explain_binding(error, "planning the batch", traceback.format_exc()))
        if fault is not None:
            for task in tasks:
                task.bindings.pop(key, None)
            tasks[_home(key) % partitions].bindings[key] = BindingWork(key, entry, fault=fault)
    return [task for task in tasks if task.bindings]


def _share_one(tasks: Sequence[TaskWork], end: Offset, item: CarriedBinding | None, turn: BindingTurn | None) -> None:
    """Give `tasks` their work for one generation; `item` None: it has left the carrier, and has its last turn."""
    if item is not None:
        _share_lanes(tasks, end, item, turn)
        if turn is not None and turn.save is not None:
            for task in tasks:
                _work_of(task, item).saves = head_of(item, turn.save, end.n)
        if item.savepoint is not None:
            _enter(item, tasks)
        if item.widens is not None:
            _work_of(tasks[_home(item.key) % len(tasks)], item).widens = item.widens.entry
    if turn is not None:
        task = tasks[_home(turn.key) % len(tasks)]
        task.bindings.setdefault(turn.key, BindingWork(turn.key, turn.entry)).turn = turn


def _share_lanes(tasks: Sequence[TaskWork], end: Offset, item: CarriedBinding, turn: BindingTurn | None) -> None:
    together, begins = item.generation.together, item.state in BEGINS
    for seat, work in zip(_seats(item), _lanes(item, turn, end.tick), strict=True):
        if work is not None:
            mine = _work_of(tasks[(_home(item.key) + (0 if together else seat)) % len(tasks)], item)
            mine.lanes.append(work)
            mine.held, mine.together = item.held, together
            mine.begins = begins
            mine.again = (item.again is not None or item.generation.beside != "") and not begins
            mine.beat = together and item.beaten == end.tick
            mine.quiet = item.quiet


def _enter(item: CarriedBinding, tasks: Sequence[TaskWork]) -> None:
    names = [f"{name}/{lane}" for name, lanes in item.positions.items() for lane in lanes]
    seats = [(0, TOGETHER)] if item.generation.together else zip(_seats(item), names, strict=True)
    kept: list[set[str]] = [set() for _ in tasks]
    for seat, name in seats:
        kept[(_home(item.key) + seat) % len(tasks)].add(name)
    for task, clocks in zip(tasks, kept, strict=True):
        work = _work_of(task, item)
        work.enters, work.clocks = item.savepoint, frozenset(clocks)


def _seats(item: CarriedBinding) -> Iterator[int]:
    """Yield the partition of each lane, counted from the home of the binding, in the order of the offset.

    A later lane takes no seat of another lane, because it is the last of its input. Otherwise the lanes of the next
    inputs would go to partitions that do not have their clocks.
    """
    for number, lanes in enumerate(item.positions.values()):
        yield from range(number, number + len(lanes))


def _living(end: Offset) -> Iterator[str]:
    """Yield the carried generations, and the parked ones that may resume or whose last batch may still fail."""
    yield from (item.key for item in end.carried.values())
    yield from (item.key for item in end.parked.values() if not item.now.ended or item.before is not None)


def _lanes(item: CarriedBinding, turn: BindingTurn | None, tick: int) -> list[LaneWork | None]:
    """Return the work of each lane in the order of the offset, None for an idle lane."""
    ending = turn.end if turn is not None else ()
    before = item.stood.positions
    found: list[LaneWork] = []
    for name, lanes in item.positions.items():
        for lane, end in lanes.items():
            known = before.get(name, {})
            joins = None if lane in known else tuple(known)
            found.append(LaneWork(name, lane, known.get(lane, 0), end, name in ending, joins))
    works = [each.start != each.end or each.last or each.joins is not None for each in found]
    if item.state in BEGINS:
        return list(found)
    if item.generation.together:
        return list(found) if any(works) or item.beaten == tick else [None] * len(found)
    return [each if wanted else None for each, wanted in zip(found, works, strict=True)]


def _work_of(task: TaskWork, item: CarriedBinding) -> BindingWork:
    return task.bindings.setdefault(item.key, BindingWork(item.key, item.entry, item.redo))


def _home(key: str) -> int:
    return zlib.crc32(key.encode())
