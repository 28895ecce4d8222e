"""Effect of another delay on a sample: which rows it keeps, and how long results would wait."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from statistics import median_low
from typing import Final

from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.strict import Strict
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import absence
from streaming.simulator.samples.sample import SampledQuery
from streaming.simulator.stepping import plain_run, step
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import EdgeKind, Event
from streaming.temporal.outcomes import IN_TIME, Outcome
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks

MOST_DELAYS: Final = 60
MEASURED: Final = (
    "A wait is measured in event time, on the input alone. It is the largest start received, minus the time of the "
    "row, when the CTI of the input passed that row and made it final. Rows that no CTI of the sample passes are "
    "counted separately. The waits of windows and joins are not included."
)
KEPT: Final = frozenset(Outcome) - {
    Outcome.DROPPED_LATE,
    Outcome.DROPPED_EARLY,
    Outcome.DROPPED_WINDOW_CLOSED,
    Outcome.MALFORMED,
}
WHOLE: Final = IN_TIME | {Outcome.LATE_KEPT}


class NoDelay(ValueError):
    """The input generates no CTIs, so it has no delay; the message says what to do."""


class DelayPoint(Strict):
    """The sample with one `delay` (ticks).

    `outcomes` counts the rows that could be read as events. `share_kept` is the share that was taken at least in part,
    `share_whole` the share taken unchanged, both relative to all of these. `wait_median` and `wait_largest` are ticks
    (see `measured`), None if no CTI passed any row; `not_passed` are the rows taken that no CTI passed.
    """

    delay: int
    today: bool
    outcomes: dict[str, int]
    share_kept: float
    share_whole: float
    wait_median: int | None
    wait_largest: int | None
    not_passed: int


class WhatIf(Strict):
    """One point for each delay of `input` at which something changes, rising; `thinned` if some were left out.

    The first, the last and today's are always there. `measured` defines a wait.
    """

    input: str
    points: list[DelayPoint]
    thinned: bool
    measured: str


def what_if(query: SampledQuery, node: str) -> WhatIf:
    """Run the sample with each delay of the input `node`. Raises `NoDelay`, and as `simulate` does."""
    settings = query.settings.get(node, AdvanceTime())
    if settings.generate is None:
        raise NoDelay(f"The input {node!r} generates no CTIs, so it has no delay. Set 'generate' for it.")
    today = settings.generate.delay
    small = _inputs_alone(query)
    every = sorted({*_changes(_judge(small, node, today), settings), *_taken_by_windows(query, node), today, Ticks(0)})
    delays = _thin_out(every, today)
    points = [_point(query, small, node, delay, today=delay == today) for delay in delays]
    return WhatIf(input=node, points=points, thinned=len(delays) < len(every), measured=MEASURED)


@dataclass(frozen=True)
class PassedRows:
    """The rows of one input as they were judged, and the wait of each that a CTI passed."""

    judged: Sequence[JudgedElement]
    waits: Sequence[int]
    not_passed: int


def _inputs_alone(query: SampledQuery) -> SampledQuery:
    """Return the query with its inputs only: they decide what is late, except for what windows refuse."""
    inputs = [node for node in query.graph.nodes if isinstance(node, InputNode)]
    outputs = [OutputNode(kind="output", id=f"out_{number}", input=node.id) for number, node in enumerate(inputs)]
    graph = QueryGraph(version=query.graph.version, name=query.graph.name, nodes=(*inputs, *outputs))
    return replace(query, graph=graph)


def _judge(query: SampledQuery, node: str, delay: Ticks) -> PassedRows:
    """Run the inputs alone, and measure how long each row of `node` waits."""
    run = ReferenceRun(query.graph, query.streams, _with_delay(query.settings, node, delay))
    waiting: list[Tick] = []  # a heap
    waits: list[int] = []
    largest = NO_CTI
    for row in query.elements:
        step(run, row)
        if row.input == node and row.identity is not None and isinstance(row.element, Event):
            judged = run.judged[row.identity]
            if judged.event is not None:
                heappush(waiting, judged.event.sync)
            if row.element.edge is not EdgeKind.END:
                largest = max(largest, row.element.start)
        while waiting and waiting[0] < run.feeds[node].cti:
            waits.append(max(largest - heappop(waiting), 0))
    judged_rows = [judged for element, judged in run.judged.items() if element.input == node]
    return PassedRows([each for each in judged_rows if each.original is not None], waits, len(waiting))


def _with_delay(settings: Mapping[str, AdvanceTime], node: str, delay: Ticks) -> dict[str, AdvanceTime]:
    own = settings[node]
    assert own.generate is not None  # nosec B101 # asked before
    return {**settings, node: replace(own, generate=replace(own.generate, delay=delay))}


def _changes(passed: PassedRows, settings: AdvanceTime) -> set[Ticks]:
    """Return the delays, not negative, from which on a row is in time, or adjust keeps a part of it.

    A delay moves all generated CTIs alike, so each is a difference; with a minimum gap between CTIs (T9) this is an
    approximation.
    """
    assert settings.generate is not None  # nosec B101 # asked before
    delay = settings.generate.delay
    found: set[Ticks] = set()
    for judged in passed.judged:
        original = judged.original
        if original is None or judged.cti_met in (NO_CTI, INFINITY) or judged.cti_met <= judged.fixed_cti:
            continue
        found.add(Ticks(delay + judged.cti_met - original.sync))
        if settings.late is Late.ADJUST and original.edge is None and original.end != INFINITY:
            found.add(Ticks(delay + judged.cti_met - original.end + 1))
    return {each for each in found if each >= 0}


def _taken_by_windows(query: SampledQuery, node: str) -> set[Ticks]:
    """Return the delays from which on a window takes a row that `keep` admits (T19).

    They come from a run without any delay: a row that no window takes there is the most that any delay can restore.
    After sessions, snapshots and counts a smaller delay may suffice, because other rows keep these open.
    """
    if query.settings[node].late is not Late.KEEP:
        return set()
    settings = _with_delay(query.settings, node, Ticks(0))
    run = plain_run(query, settings).run
    refused = [
        element
        for element, judged in run.judged.items()
        if element.input == node and judged.outcome is Outcome.DROPPED_WINDOW_CLOSED
    ]
    found = {absence(element, run.trace, settings[node]).smallest_delay for element in refused}
    return {each for each in found if each is not None}


def _thin_out(delays: Sequence[Ticks], today: Ticks) -> list[Ticks]:
    """Return at most `MOST_DELAYS` of them, evenly, with the first, the last and today's."""
    if len(delays) <= MOST_DELAYS:
        return list(delays)
    steps = MOST_DELAYS - 2
    chosen = {delays[round(number * (len(delays) - 1) / steps)] for number in range(steps + 1)}
    return sorted({*chosen, today})


def _point(query: SampledQuery, small: SampledQuery, node: str, delay: Ticks, *, today: bool) -> DelayPoint:
    passed = _judge(small, node, delay)
    judged = passed.judged
    if query.settings[node].late is Late.KEEP:  # windows may refuse a row that the policy keeps
        whole = plain_run(query, _with_delay(query.settings, node, delay))
        judged = [each for name, each in whole.run.judged.items() if name.input == node and each.original is not None]
    outcomes = Counter(each.outcome for each in judged)
    count = max(len(judged), 1)
    return DelayPoint(
        delay=delay,
        today=today,
        outcomes={str(outcome): number for outcome, number in outcomes.items()},
        share_kept=sum(outcomes[each] for each in KEPT) / count,
        share_whole=sum(outcomes[each] for each in WHOLE) / count,
        wait_median=median_low(passed.waits) if passed.waits else None,
        wait_largest=max(passed.waits, default=None),
        not_passed=passed.not_passed,
    )
