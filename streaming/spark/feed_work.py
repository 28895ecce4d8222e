"""How the work of a batch is shared out among the tasks of the feed: a function of its two offsets."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from streaming.adapters.contract import Position
from streaming.spark.binding_life import BEGINS, CarriedBinding
from streaming.spark.offset import BindingTurn, Offset
from streaming.spark.savepoints import SavepointHead, head_of

TOGETHER = "/"
"""The clock of lanes that are fed together, where others have `<input>/<lane>`."""


@dataclass(frozen=True)
class LaneWork:
    """One lane in one batch: read `[start, end)`, which may be empty, then CTI infinity if `last`.

    `joins`: the lanes that the input had before this one was first seen, in this batch (T14); None: it is one of them.
    """

    input: str
    lane: str
    start: Position
    end: Position
    last: bool
    joins: tuple[str, ...] | None = None


@dataclass
class BindingWork:
    """What one task does for one binding. `turn` is reported by one of the tasks alone; `held` as in `CarriedBinding`.

    `together`: one clock for all lanes, which are all here, resting ones too; `beat`: the time of the batch counts for
    it, and it had nothing to read until `quiet`. `saves`: the lane clocks that this task keeps go into a savepoint.
    `enters`: the savepoint that it begins with, of whose clocks this task takes those of `clocks`. `begins`: in this
    batch its lanes only get their first clocks; `again`: what they read was read before. `widens`: the control entry
    whose state its buckets have to change first; one of the tasks tells them.
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


@dataclass
class TaskWork:
    """Everything that one task of the feed does in batch `batch`, planned at `tick`.

    `living` are the generations whose lane clocks may be needed again.
    """

    carrier: str
    partition: int
    batch: int
    tick: int
    bindings: dict[str, BindingWork] = field(default_factory=dict)
    living: frozenset[str] = frozenset()


def share_out(carrier: str, partitions: int, end: Offset) -> list[TaskWork]:
    """The tasks of the batch that ends at `end`, those without work left out.

    A lane always goes to the same partition, which keeps its clock; the lanes of one binding are spread evenly, unless
    they are fed together. A savepoint concerns every partition.
    """
    living = frozenset(_living(end))
    tasks = [TaskWork(carrier, number, end.n, end.tick, living=living) for number in range(partitions)]
    turns = {turn.key: turn for turn in end.turns}
    for item in end.every:
        turn, together, begins = turns.get(item.key), item.generation.together, item.state in BEGINS
        for seat, work in zip(_seats(item), _lanes(item, turn, end.tick), strict=True):
            if work is not None:
                mine = _work_of(tasks[(_home(item.key) + (0 if together else seat)) % partitions], item)
                mine.lanes.append(work)
                mine.held, mine.together = item.held, together
                mine.begins = begins
                mine.again = (item.again is not None or item.generation.beside != "") and not begins
                mine.beat = together and item.beaten == end.tick
                mine.quiet = item.quiet
        if turn is not None and turn.save is not None:
            for task in tasks:
                _work_of(task, item).saves = head_of(item, turn.save, end.n)
        if item.savepoint is not None:
            _enter(item, tasks)
        if item.widens is not None:
            _work_of(tasks[_home(item.key) % partitions], item).widens = item.widens.entry
    for turn in end.turns:
        task = tasks[_home(turn.key) % partitions]
        task.bindings.setdefault(turn.key, BindingWork(turn.key, turn.entry)).turn = turn
    return [task for task in tasks if task.bindings]


def _enter(item: CarriedBinding, tasks: list[TaskWork]) -> None:
    names = [f"{name}/{lane}" for name, lanes in item.positions.items() for lane in lanes]
    seats = [(0, TOGETHER)] if item.generation.together else zip(_seats(item), names, strict=True)
    kept: list[set[str]] = [set() for _ in tasks]
    for seat, name in seats:
        kept[(_home(item.key) + seat) % len(tasks)].add(name)
    for task, clocks in zip(tasks, kept, strict=True):
        work = _work_of(task, item)
        work.enters, work.clocks = item.savepoint, frozenset(clocks)


def _seats(item: CarriedBinding) -> Iterator[int]:
    """Where each lane goes, counted from the home of the binding, in the order of the offset.

    A lane that comes later takes no seat of another, for it is the last one of its input: without this the lanes of
    the inputs behind it would go to partitions that do not have their clocks.
    """
    for number, lanes in enumerate(item.positions.values()):
        yield from range(number, number + len(lanes))


def _living(end: Offset) -> Iterator[str]:
    """What is carried, or parked so that it could go on; an ended one starts anew, but its last batch may yet fail."""
    yield from (item.key for item in end.carried.values())
    yield from (item.key for item in end.parked.values() if not item.now.ended or item.before is not None)


def _lanes(item: CarriedBinding, turn: BindingTurn | None, tick: int) -> list[LaneWork | None]:
    """The work of each lane in the order of the offset, None for a lane that rests."""
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
