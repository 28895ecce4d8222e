"""How the work of a batch is shared out among the tasks of the feed: a function of its two offsets."""

import zlib
from dataclasses import dataclass, field

from streaming.adapters.contract import Position
from streaming.spark.offset import Carried, Offset, Turn


@dataclass(frozen=True)
class LaneWork:
    """One lane in one batch: read `[start, end)`, which may be empty, then CTI infinity if `last`."""

    input: str
    lane: str
    start: Position
    end: Position
    last: bool


@dataclass
class BindingWork:
    """What one task does for one binding. `turn` is reported by one of the tasks alone; `held` as in `Carried`."""

    key: str
    entry: int
    redo: int = 0
    lanes: list[LaneWork] = field(default_factory=list)
    turn: Turn | None = None
    held: int | None = None


@dataclass
class TaskWork:
    """Everything that one task of the feed does in batch `batch`, planned at `tick`."""

    carrier: str
    partition: int
    batch: int
    tick: int
    bindings: dict[str, BindingWork] = field(default_factory=dict)


def share_out(carrier: str, partitions: int, end: Offset) -> list[TaskWork]:
    """The tasks of the batch that ends at `end`, those without work left out.

    A lane always goes to the same partition, which keeps its clock; the lanes of one binding are spread evenly.
    """
    tasks = [TaskWork(carrier, number, end.n, end.tick) for number in range(partitions)]
    turns = {turn.key: turn for turn in end.turns}
    for item in (*end.carried.values(), *end.parked.values()):
        for index, work in enumerate(_lanes(item, turns.get(item.key))):
            if work is not None:
                task = tasks[(_home(item.key) + index) % partitions]
                mine = _work_of(task, item.key, item.entry, item.redo)
                mine.lanes.append(work)
                mine.held = item.held
    for turn in end.turns:
        _work_of(tasks[_home(turn.key) % partitions], turn.key, turn.entry, 0).turn = turn
    return [task for task in tasks if task.bindings]


def _lanes(item: Carried, turn: Turn | None) -> list[LaneWork | None]:
    """The work of each lane in the order of the offset, None for a lane that rests."""
    ending = turn.end if turn is not None else ()
    before = item.before if item.before is not None else item.positions
    found: list[LaneWork | None] = []
    for name, lanes in item.positions.items():
        for lane, end in lanes.items():
            start = before.get(name, {}).get(lane, 0)
            works = start != end or name in ending
            found.append(LaneWork(name, lane, start, end, name in ending) if works else None)
    return found


def _work_of(task: TaskWork, key: str, entry: int, redo: int) -> BindingWork:
    return task.bindings.setdefault(key, BindingWork(key, entry, redo))


def _home(key: str) -> int:
    return zlib.crc32(key.encode())
