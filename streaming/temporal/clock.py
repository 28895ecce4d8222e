"""The clock of one lane: judges every element in arrival order and generates the lane's CTIs."""

from dataclasses import dataclass, replace

from streaming.temporal.admission import Admission, DroppedEvent, InTime, admit
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.open_edges import OpenEdge, OpenEdges
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, ONE_TICK, Tick, Ticks


@dataclass(frozen=True, slots=True)
class JudgedElement:
    """The judgement of one element (T12).

    `event` is what is enqueued, None for nothing. It may differ from `original` (the event as it was received, None for
    a malformed row): an edge end carries the start under which its edge was enqueued, and one with `end == start`
    (reason VANISHED) erases that edge. `cti_met` is the lane's CTI before the element, `cti_after` the one after it,
    `emitted` the CTI that it generated if that moved the lane (T8). `lateness` is `cti_met - sync` for violations, else
    None; `moved_by` is how far the policy moved it, None if no policy moved it. `fixed_cti` is the largest CTI so far
    that was not generated, so no delay would have changed it. `closed` is the open edge that an enqueued edge end
    closes.
    """

    outcome: Outcome
    reason: Reason | None
    event: Event | None
    original: Event | None
    cti_met: Tick
    lateness: Ticks | None
    moved_by: Ticks | None
    cti_after: Tick
    emitted: Tick | None
    fixed_cti: Tick = NO_CTI
    closed: OpenEdge | None = None


@dataclass(frozen=True, slots=True)
class CtiTaken:
    """The effect of a CTI on the lane: `moved`, or `suppressed` because it was lower than the lane's (T4)."""

    moved: bool
    suppressed: bool


@dataclass(frozen=True, slots=True)
class LaneClockState:
    """The complete state of a lane clock, in ints, text and tuples.

    `since_cti` counts the received events since N was last reached; `produced_at` is the start of the last event that
    produced a CTI under a duration T, None before the first (T7). `fixed_cti` is as in `JudgedElement`.
    """

    cti: Tick = NO_CTI
    largest_start: Tick = NO_CTI
    largest_sync: Tick = NO_CTI
    since_cti: int = 0
    produced_at: Tick | None = None
    cti_suppressed: int = 0
    open_edges: tuple[OpenEdge, ...] = ()
    fixed_cti: Tick = NO_CTI


def started_at(cti: Tick) -> LaneClockState:
    """Return the state of a clock that starts at the CTI of its input (T14)."""
    return LaneClockState(cti=cti, fixed_cti=cti)


class LaneClock:
    """Judges the elements of one lane against its own CTI and advances it (T4 to T8, T11, T12, T14, T18).

    A new clock with the same settings and the `state()` of any position continues seamlessly. No wall clock is read:
    arrivals come with the events, and without them nothing that needs one happens (T3). `edges` holds the open edges if
    the state does not.
    """

    def __init__(
        self, settings: AdvanceTime, state: LaneClockState | None = None, edges: OpenEdges | None = None
    ) -> None:
        state = state or LaneClockState()
        self._settings = settings
        self._edges = OpenEdges(state.open_edges) if edges is None else edges
        self._since_cti = state.since_cti
        self._produced_at = state.produced_at
        self.cti = state.cti
        self.largest_start = state.largest_start
        self.largest_sync = state.largest_sync
        self.cti_suppressed = state.cti_suppressed
        self.fixed_cti = state.fixed_cti

    def take(self, event: Event, arrival: Tick | None = None, position: int | None = None) -> JudgedElement:
        """Judge `event`, which is well formed (`end > start`), then test the generation rule (T8).

        `position`, the event's place in its lane, is stored with an edge start and returned in `closed`.

        After CTI infinity every event is dropped_late, reason after_end (T4), and is not counted. An event from the
        future that the guard holds or drops is not counted either (T18).
        """
        self.take_arrival(arrival)
        if self.cti == INFINITY:
            return self._after_end(event)
        early = self.is_early(event, arrival)
        if early and self._settings.future is Future.DROP:
            return self._drop_early(event, position)
        judged = self._judge(event, position)
        if early or judged.outcome is Outcome.MALFORMED:
            return judged
        self.largest_sync = max(self.largest_sync, event.sync)
        if event.edge is EdgeKind.END:
            return judged
        self.largest_start = max(self.largest_start, event.start)
        generated = self._generated(event)
        if generated is None or not self._move(generated).moved:
            return judged
        return replace(judged, cti_after=generated, emitted=generated)

    def take_cti(self, cti: Cti) -> CtiTaken:
        """Move to an explicit CTI; an equal one has no effect, a lower one is counted and has no effect (T4)."""
        self.fixed_cti = max(self.fixed_cti, cti.at)
        return self._move(cti.at)

    def raise_to(self, cti: Tick) -> bool:
        """Raise the clock to a CTI that is a lower bound, and return true if that moved it.

        Such bounds are imported CTIs (T26), the input's CTI for a lane that returns, the CTI of the idle rule (T16) and
        heartbeats under implicit rowtimes (T17). A lower one is not an error of the lane and is not counted.
        """
        self.fixed_cti = max(self.fixed_cti, cti)
        moved = cti > self.cti
        self.cti = max(self.cti, cti)
        return moved

    def take_arrival(self, arrival: Tick | None) -> bool:
        """Raise the lane to the arrival of an event minus `late_arrival`, before the event is judged (T9, azure).

        Return true if that moved it. `take` calls this itself; a call before `take` makes that one a no-op.
        """
        bound = self._settings.late_arrival
        if arrival is None or bound is None:
            return False
        return self.raise_to(saturated(arrival - bound))

    def take_malformed(self, reason: Reason) -> JudgedElement:
        """Judge a row that could not be read: malformed, but dropped_late after CTI infinity (T5)."""
        if self.cti == INFINITY:
            return self._after_end(None)
        return self._judged(Outcome.MALFORMED, reason)

    def take_overlap(self, original: Event | None) -> JudgedElement:
        """Judge a row that the other source of the input has too: it doesn't count here (T55)."""
        if self.cti == INFINITY:
            return self._after_end(original)
        return self._judged(Outcome.OVERLAP, None, original)

    @property
    def edges(self) -> OpenEdges:
        """Return the open edges."""
        return self._edges

    def state(self) -> LaneClockState:
        """Return the state for a clock that continues from here."""
        return self._state(self._edges.state())

    def without_edges(self) -> LaneClockState:
        """Return the state without its open edges."""
        return self._state(())

    def _state(self, edges: tuple[OpenEdge, ...]) -> LaneClockState:
        return LaneClockState(
            cti=self.cti,
            largest_start=self.largest_start,
            largest_sync=self.largest_sync,
            since_cti=self._since_cti,
            produced_at=self._produced_at,
            cti_suppressed=self.cti_suppressed,
            open_edges=edges,
            fixed_cti=self.fixed_cti,
        )

    def _move(self, cti: Tick) -> CtiTaken:
        if cti > self.cti:
            self.cti = cti
            return CtiTaken(moved=True, suppressed=False)
        suppressed = cti < self.cti
        self.cti_suppressed += suppressed
        return CtiTaken(moved=False, suppressed=suppressed)

    def is_early(self, event: Event, arrival: Tick | None) -> bool:
        """Return true if `event` is from the future, so that the guard holds or drops it (T18)."""
        if arrival is None or self._settings.future is Future.ACCEPT:
            return False
        return event.sync - arrival > self._settings.max_ahead

    def _drop_early(self, event: Event, position: int | None) -> JudgedElement:
        """Drop an event from the future.

        A dropped start drops its end too; a dropped end leaves its edge open. The end of a dropped start is
        start_dropped, even if it is in the future itself: the start is the cause.
        """
        if event.edge is EdgeKind.START:
            self._edges.open(event, None, position)
        elif event.edge is EdgeKind.END:
            edge = self._edges.match(event)
            if edge is not None and edge.start is None:
                return self._judge_end(event)
        return self._judged(Outcome.DROPPED_EARLY, Reason.FUTURE, event)

    def _judge(self, event: Event, position: int | None) -> JudgedElement:
        if event.edge is EdgeKind.END:
            return self._judge_end(event)
        admission = admit(event, self.cti, self._settings.late)
        if event.edge is EdgeKind.START:
            self._edges.open(event, None if isinstance(admission, DroppedEvent) else admission.event.start, position)
        return self._admitted(event, admission)

    def _judge_end(self, event: Event) -> JudgedElement:
        edge = self._edges.match(event)
        if edge is not None and edge.start is None:
            self._edges.close(edge)
            lateness = Ticks(self.cti - event.sync) if event.sync < self.cti else None
            return self._judged(Outcome.DROPPED_LATE, Reason.START_DROPPED, event, lateness)
        start = event.start if edge is None or edge.start is None else edge.start
        enqueued = event if start == event.start else replace(event, start=start)
        admission = admit(enqueued, self.cti, self._settings.late, self._settings.late_end)
        if not isinstance(admission, DroppedEvent):  # the edge of a dropped end stays open
            if edge is None:
                return self._judged(Outcome.MALFORMED, Reason.ORPHAN_END, event)
            self._edges.close(edge)
            return self._admitted(event, admission, edge)
        return self._admitted(event, admission)

    def _admitted(self, original: Event, admission: Admission, closed: OpenEdge | None = None) -> JudgedElement:
        if isinstance(admission, DroppedEvent):
            return self._judged(Outcome.DROPPED_LATE, Reason.BEFORE_CTI, original, admission.lateness)
        if isinstance(admission, InTime):
            on_time = original.sync >= self.largest_sync
            outcome, reason, lateness, moved_by = Outcome.ON_TIME if on_time else Outcome.REORDERED, None, None, None
        else:
            outcome, reason = admission.outcome, admission.reason
            lateness, moved_by = admission.lateness or None, admission.moved_by
        return JudgedElement(
            outcome=outcome,
            reason=reason,
            event=admission.event,
            original=original,
            cti_met=self.cti,
            lateness=lateness,
            moved_by=moved_by,
            cti_after=self.cti,
            emitted=None,
            fixed_cti=self.fixed_cti,
            closed=closed,
        )

    def _after_end(self, event: Event | None) -> JudgedElement:
        return self._judged(Outcome.DROPPED_LATE, Reason.AFTER_END, event)

    def _judged(
        self, outcome: Outcome, reason: Reason | None, original: Event | None = None, lateness: Ticks | None = None
    ) -> JudgedElement:
        return JudgedElement(
            outcome=outcome,
            reason=reason,
            event=None,
            original=original,
            cti_met=self.cti,
            lateness=lateness,
            moved_by=None,
            cti_after=self.cti,
            emitted=None,
            fixed_cti=self.fixed_cti,
        )

    def _generated(self, event: Event) -> Tick | None:
        """Return the CTI after the received `event`, saturated; None if no CTI is due (T6, T7, T9)."""
        generate = self._settings.generate
        if generate is None or not self._due(generate, event.start):
            return None
        basis = event.start if generate.basis is Basis.LAST else self.largest_start
        cti = saturated(basis - generate.delay)
        return cti if not generate.minimum_gap or cti - self.cti >= generate.minimum_gap else None

    def _due(self, generate: Generate, start: Tick) -> bool:
        if generate.every_count is not None:
            self._since_cti = (self._since_cti + 1) % generate.every_count
            return self._since_cti == 0
        every = generate.every_ticks or ONE_TICK
        if self._produced_at is not None and start - self._produced_at < every:
            return False
        self._produced_at = start
        return True


def saturated(cti: int) -> Tick:
    """Clamp a generated CTI to the range of times, `FIRST_TICK` to `LAST_TICK + 1`.

    A delay can carry it outside. At the bottom it still means "before all events" and is above NO_CTI; at the top it
    means "after all starts" and does not end the input. Only an explicit or final infinity does.
    """
    return Tick(min(max(cti, FIRST_TICK), LAST_TICK + 1))
