"""Counts the late rows of a quarantine that other delays would have kept, in a limited process; no database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.simulator.longer_delays import LateRows
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import Commit
from streaming.wire.fast_json import decoded
from webapp.core.limited.jobs import READING, limited
from webapp.monitoring.committed_pieces import LAST_PART, CommittedPieces, DamagedResults, MergedTooFast

DAMAGED: Final = (
    "A file of the quarantine is damaged. Contact your administrator, who can restore the file from a backup."
)
TOO_FAST: Final = "The quarantine is merged faster than it can be read. Try again in a minute."
MOST_STEPS: Final = 24
"""Delays of late rows in a response, in addition to round ones."""
_S: Final = 1_000_000
ROUND: Final = tuple(
    number * unit
    for unit, numbers in (
        (1_000, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (_S, (1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45)),
        (60 * _S, (1, 1.5, 2, 3, 5, 10, 15, 30)),
        (3_600 * _S, (1, 2, 6, 12, 24, 48)),
    )
    for number in numbers
)
"""Delays that a person would choose, in ticks."""


@dataclass(frozen=True)
class BatchSpan:
    """The batches after `after`, up to `upto`, of `run`. Rows that met a CTI up to `unknown_until` can't be decided."""

    run: str
    after: int
    upto: int
    unknown_until: int | None = None


@dataclass(frozen=True)
class InputQuestion:
    """An input with the delay `delay`, in ticks; `lost` of its rows in `spans` were in no result.

    `goals`: allowed numbers of lost rows; the answer has the smallest sufficient delay of every one.
    """

    name: str
    delay: int
    spans: Sequence[BatchSpan]
    lost: int
    goals: Sequence[int]


@dataclass(frozen=True)
class WhatIfWork:
    """The quarantine in `folder`, and the inputs to count."""

    folder: str
    inputs: Sequence[InputQuestion]


@dataclass(frozen=True)
class CountedDelay:
    """The rows dropped late, and those adjusted or shifted, with the delay `delay` (ticks)."""

    delay: int
    dropped: int
    changed: int


@dataclass(frozen=True)
class CountedInput:
    """The late rows of an input that are still stored, with today's delay first and longer ones.

    `fixed` dropped rows are kept by no delay; `undecided` ones met a CTI of an earlier delay, and are in no count.
    `goals`: the smallest delays, None where none suffices.
    """

    delays: list[CountedDelay]
    fixed: int
    undecided: int
    goals: list[int | None]


@dataclass(frozen=True)
class WhatIfCounts:
    """The inputs in the order of the work; `problem`: why they could not be counted."""

    inputs: list[CountedInput] = field(default_factory=list)
    problem: str | None = None


@limited("Counting the late rows of this range", "Choose a shorter range.", READING)
def counted_delays(work: WhatIfWork) -> WhatIfCounts:
    """Return the counts of every input."""
    try:
        return WhatIfCounts([_counted(work.folder, each) for each in work.inputs])
    except (DamagedResults, OSError, ValueError, KeyError, TypeError):  # a line that isn't a stored late row
        return WhatIfCounts(problem=DAMAGED)
    except MergedTooFast:
        return WhatIfCounts(problem=TOO_FAST)


def _counted(folder: str, question: InputQuestion) -> CountedInput:
    rows = _QuarantinedRows(folder, question)
    return counted_input(question, LateRows(rows), rows)


def counted_input(question: InputQuestion, late: LateRows, rows: "_QuarantinedRows | None" = None) -> CountedInput:
    """Return the counts of an input with these late rows."""
    goals = [late.smallest(allowed - (question.lost - late.dropped)) for allowed in question.goals]
    steps = late.steps(MOST_STEPS)
    last = steps[-1] if steps else 0
    rounded = {round(each) - question.delay for each in ROUND}
    added = {0, *steps, *(each for each in goals if each is not None), *(each for each in rounded if 0 < each <= last)}
    return CountedInput(
        [
            CountedDelay(question.delay + each, late.dropped_with(each), late.changed_with(each))
            for each in sorted(added)
        ],
        fixed=late.fixed,
        undecided=0 if rows is None else rows.undecided,
        goals=[None if each is None else question.delay + each for each in goals],
    )


class _QuarantinedRows:
    """The rows of an input in the quarantine; `undecided` counts the dropped ones that are left out."""

    def __init__(self, folder: str, question: InputQuestion) -> None:
        self._folder = LocalFolder(folder)
        self._question = question
        self.undecided = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for span in self._question.spans:
            after = (span.after, LAST_PART)
            for piece in CommittedPieces(self._folder, span.upto, after, span.run, "late"):
                if isinstance(piece, Commit):
                    continue
                for line in piece.lines:
                    row = decoded(line)
                    if row["input"] == self._question.name and self._is_decided(row, span):
                        yield row

    def _is_decided(self, row: Mapping[str, Any], span: BatchSpan) -> bool:
        if span.unknown_until is None or row["cti"] is None or row["cti"] > span.unknown_until:
            return True
        self.undecided += row["outcome"] == "dropped_late"
        return False
