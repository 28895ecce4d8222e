"""The CTIs of the lanes, substreams and inputs of a run after each row, and which row set them."""

from dataclasses import dataclass, field

from streaming.reference.executor import ReferenceRun
from streaming.reference.substreams import WHOLE, Unit
from streaming.simulator.model import CtiCause
from streaming.temporal.ticks import NO_CTI, Tick

Clock = tuple[str, Unit | None]
"""An input and what in it has a clock; None for the minimum over them."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A clock stands `at` from `after` on; `row` is the number of the row that moved it there, if one did."""

    after: int
    at: Tick
    cause: CtiCause
    row: int | None


@dataclass
class ClockRecorder:
    """`steps` are those of each clock. `before` reads nothing; ask for `step` when something has moved the clocks."""

    run: ReferenceRun
    steps: dict[Clock, list[ClockStep]] = field(default_factory=dict)

    def at(self, clock: Clock) -> ClockStep | None:
        """Where the clock stands and why; None before it has a CTI."""
        steps = self.steps.get(clock)
        return steps[-1] if steps else None

    def at_cti(self, node: str, cti: Tick) -> ClockStep | None:
        """The step by which the input `node` came to `cti`."""
        return next((step for step in self.steps.get((node, None), ()) if step.at == cti), None)

    def read(self, node: str, after: int, cause: CtiCause, row: int | None) -> None:
        """Note which clocks of the input `node` have moved."""
        feed = self.run.feeds[node]
        for unit, at in feed.clocks.ctis.items():
            self._note((node, unit), ClockStep(after, at, cause, row))
        self._note((node, None), ClockStep(after, feed.cti, cause, row))

    def _note(self, clock: Clock, step: ClockStep) -> None:
        steps = self.steps.setdefault(clock, [])
        if step.at > (steps[-1].at if steps else NO_CTI):
            steps.append(step)


def is_lane(unit: Unit) -> bool:
    """Whether it is a lane and no key of its substreams."""
    return unit[1] == WHOLE
