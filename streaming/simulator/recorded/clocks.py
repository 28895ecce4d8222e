"""The CTIs of the lanes, substreams and inputs of a run after each row, and which row set them."""

from dataclasses import dataclass, field

from streaming.reference.executor import ReferenceRun
from streaming.reference.substreams import WHOLE, Unit
from streaming.simulator.model import CtiCause
from streaming.temporal.ticks import NO_CTI, Tick

Clock = tuple[str, Unit | None]
"""An input, and the lane or substream in it that has the clock; None for the minimum over all of them."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The clock is at `at` from `after` on; `row` is the number of the row that moved it there, if any."""

    after: int
    at: Tick
    cause: CtiCause
    row: int | None


@dataclass
class ClockRecorder:
    """Records the `steps` of each clock. Reading `before` records nothing; call `step` after the clocks have moved."""

    run: ReferenceRun
    steps: dict[Clock, list[ClockStep]] = field(default_factory=dict)

    def at(self, clock: Clock) -> ClockStep | None:
        """Return the current step of the clock; None before its first CTI."""
        steps = self.steps.get(clock)
        return steps[-1] if steps else None

    def at_cti(self, node: str, cti: Tick) -> ClockStep | None:
        """Return the step that moved the input `node` to `cti`."""
        return next((step for step in self.steps.get((node, None), ()) if step.at == cti), None)

    def read(self, node: str, after: int, cause: CtiCause, row: int | None) -> None:
        """Record which clocks of the input `node` have moved."""
        feed = self.run.feeds[node]
        for unit, at in feed.clocks.ctis.items():
            self._note((node, unit), ClockStep(after, at, cause, row))
        self._note((node, None), ClockStep(after, feed.cti, cause, row))

    def _note(self, clock: Clock, step: ClockStep) -> None:
        steps = self.steps.setdefault(clock, [])
        if step.at > (steps[-1].at if steps else NO_CTI):
            steps.append(step)


def is_lane(unit: Unit) -> bool:
    """Return true for a lane, false for a key of its substreams."""
    return unit[1] == WHOLE
