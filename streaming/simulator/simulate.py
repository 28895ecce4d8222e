"""Entry point: runs a query on a sample and explains everything that happened."""

from collections import Counter
from collections.abc import Mapping, Sequence

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.counts import counted
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.simulator.model import Simulation
from streaming.simulator.picture.asking import MissingRowExplainer
from streaming.simulator.picture.attempts import AttemptFormatter
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.picture.panes import PaneFormatter, panes
from streaming.simulator.picture.rows import RowFormatter
from streaming.simulator.picture.tracks import staircases, tracks
from streaming.simulator.picture.waiting import WaitingWords
from streaming.simulator.recorded.missing import MissedRows
from streaming.simulator.recorded.record import RecordedRun, record
from streaming.simulator.samples.sample import SampledQuery, SampleItem, sampled, timed
from streaming.simulator.words import TimeWords
from streaming.temporal.events import Event
from streaming.temporal.ticks import Tick, parse_instant
from streaming.wire.execution.case import EndMode


def simulate(
    query: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    rows: Sequence[SampleItem],
    end: EndMode = EndMode.FLUSH,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> Simulation:
    """Run `query` on `rows` with the reference and return all that happened.

    `streams` is keyed by stream name. `advance` (settings that replace the stream's) and `event_times` (from EVENTTIME
    BY) are keyed by input node. Raises `InvalidDefinition`, and `SampleError` for a sample that cannot be read.
    """
    return present(record(sampled_query(query, streams, advance, rows, end, event_times)))


def why_nothing(recorded: RecordedRun, node: str, at: Tick) -> list[str]:
    """Explain in sentences why `node` has no row at `at`. Raises KeyError for an unknown node."""
    words = _words(recorded)
    waiting = WaitingWords(recorded, words)
    attempts = AttemptFormatter(recorded, words, waiting)
    return MissingRowExplainer(recorded, words, waiting, attempts).why_nothing(node, at)


def instant(written: int | str) -> Tick:
    """Return the time in `ask`: ticks, or ISO 8601 text."""
    return parse_instant(written)


def _words(recorded: RecordedRun) -> CtiWords:
    starts = [each.element.start for each in recorded.elements if isinstance(each.element, Event)]
    return CtiWords(recorded, TimeWords.of(starts))


def sampled_query(
    query: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    rows: Sequence[SampleItem],
    end: EndMode = EndMode.FLUSH,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> SampledQuery:
    """Return the input of `compare` and `what_if`, with the settings in force; arguments as in `simulate`."""
    sample = timed(query, streams, rows, event_times or {})
    settings = temporal_settings(query, streams, advance)
    elements = sampled(query, sample.streams, sample.items)
    return SampledQuery(query, sample.streams, settings, elements, end)


def present(recorded: RecordedRun) -> Simulation:
    """Return everything that a recorded run shows."""
    words = _words(recorded)
    waiting = WaitingWords(recorded, words)
    missed = MissedRows(recorded)
    attempts = AttemptFormatter(recorded, words, waiting)
    teller = RowFormatter(recorded, words, missed, attempts)
    outcomes: dict[str, Counter[str]] = {}
    streams = {each.identity: each.row.stream for each in recorded.elements}
    for element, judged in recorded.run.judged.items():
        outcomes.setdefault(streams[element], Counter())[str(judged.outcome)] += 1
    return Simulation(
        rows=[teller.format(each) for each in recorded.elements],
        staircases=staircases(recorded),
        tracks=tracks(recorded, words),
        panes=panes(PaneFormatter(recorded, words, waiting, missed)),
        attempts=attempts.attempts(),
        order=list(recorded.run.order),
        outcomes={stream: dict(counts) for stream, counts in outcomes.items()},
        holding=waiting.holding(),
        failures=[
            f"{each.field!r} of {each.node!r} failed on {counted(each.count, 'row')}: {each.kind}. It is null there."
            for each in recorded.run.trace.failed_rows.counts()
        ],
    )
