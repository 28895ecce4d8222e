"""The histories that a batch reads: the lane that judges their rows, and the lanes that count (T56)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from streaming.adapters.contract import InputAdapter
from streaming.spark.query.history_input import histories_among
from streaming.spark.source.feed_work import LaneWork
from streaming.wire.execution.case import HISTORY_LANE


@dataclass(frozen=True)
class HistoryInBatch:
    """The history of `input`, which the batch reads; `lane` judges its rows. `moves`: it reads rows, or ends.

    `ends`: it ends with this batch, which has no rows of it.
    """

    input: str
    lane: str
    moves: bool
    ends: bool

    @property
    def lanes(self) -> Sequence[str] | None:
        """The lanes that count in the batch; None: those of live, from its end on."""
        return None if self.ends else [self.lane]


def histories_read(adapters: Mapping[str, InputAdapter], lanes: Sequence[LaneWork]) -> Sequence[HistoryInBatch]:
    """Return the histories that a batch with the `lanes` of a binding reads, or ends; others have ended before."""
    return list(_read(adapters, lanes))


def _read(adapters: Mapping[str, InputAdapter], lanes: Sequence[LaneWork]) -> Iterator[HistoryInBatch]:
    for name, adapter in histories_among(adapters).items():
        own = next((each for each in lanes if each.input == name and each.lane == HISTORY_LANE), None)
        if own is not None and adapter.reads_history(own.start):
            live = [each.lane for each in lanes if each.input == name and each.lane != HISTORY_LANE]
            lane = live[0] if len(live) == 1 else HISTORY_LANE  # a history of a single lane is of that lane (T55)
            yield HistoryInBatch(name, lane, own.start != own.end, not adapter.reads_history(own.end))
