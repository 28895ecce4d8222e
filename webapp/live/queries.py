"""A live query as it is now: its run, counts, deliveries and alerts, gathered before anything is concluded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.progress import InputCounts
from webapp.live.figures import PeriodCounts
from webapp.runs.bindings.service_levels import FreshnessLevel
from webapp.runs.lifecycle.state_events import RunState
from webapp.runs.states import Observed


@dataclass(frozen=True)
class LiveRun:
    """The newest run of a binding; `state` is its state as shown, times are ticks.

    `reported_at` is the time of its newest report, None before the first, `inputs` and `results` are those of this
    report. `without_clock` are the inputs whose settings bring no CTI.
    """

    id: UUID
    state: RunState
    created_at: int
    changed_at: int
    reported_at: int | None
    inputs: Mapping[str, InputCounts]
    results: int
    without_clock: Sequence[str]

    @property
    def is_silent(self) -> bool:
        """Return whether the runner is silent, so that present figures are unknown."""
        return self.state.observed == Observed.LOST


@dataclass(frozen=True)
class LiveDelivery:
    """An output of a binding, and the progress of its delivery; None: no runner has reported it."""

    node: str
    seen: DeliveryObserved | None

    @property
    def is_flowing(self) -> bool:
        """Return whether rows reach the target."""
        return self.seen is not None and self.seen.state in {"current", "behind"}


@dataclass(frozen=True)
class LiveAlert:
    """A rule that fires, is pending or unknown; `taken_by` is the person who acknowledged it."""

    id: UUID
    rule: str
    title: str
    phase: str
    level: str
    since: int | None
    sentence: str
    taken_by: str | None


@dataclass(frozen=True)
class LiveQuery:
    """A binding with an open or failed run. `recent` counts its rows in the last 15 minutes, `day` in the last 24 h.

    `stuck`: rows arrived in the last 15 minutes, and no CTI has moved since. `usual_gap` is the usual longest time
    between rows, in ticks, 0 if unknown. `undecided_since`: its rules on rows are unknown since then.
    """

    binding: UUID
    name: str
    query: UUID
    query_name: str
    version: int
    tags: Sequence[str]
    owner: str | None
    freshness: int
    completeness: float
    freshness_level: FreshnessLevel | None
    run: LiveRun
    recent: PeriodCounts
    recent_ticks: int
    day: PeriodCounts
    stuck: bool
    deliveries: Sequence[LiveDelivery]
    deliveries_known: bool
    alerts: Sequence[LiveAlert]
    usual_gap: int
    undecided_since: int | None
