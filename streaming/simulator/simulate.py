"""The front door: a query on a sample, with everything that happened and why."""

from collections import Counter
from collections.abc import Mapping, Sequence

from streaming.definition.advance import temporal_settings
from streaming.definition.counts import counted
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, EventTimeBy, StreamDefinition
from streaming.simulator.asking import AbsenceTeller
from streaming.simulator.cti_words import CtiWords
from streaming.simulator.missing import MissedRows
from streaming.simulator.model import Simulation
from streaming.simulator.panes import PaneTeller, panes
from streaming.simulator.record import RecordedRun, record
from streaming.simulator.rows import RowTeller
from streaming.simulator.sample import SampledQuery, SampleItem, sampled, timed
from streaming.simulator.tracks import staircases, tracks
from streaming.simulator.waiting import WaitingWords
from streaming.simulator.words import TimeWords
from streaming.temporal.events import Event
from streaming.temporal.ticks import Tick, parse_instant
from streaming.wire.case import EndMode


def simulate(
    query: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    rows: Sequence[SampleItem],
    end: EndMode = EndMode.FLUSH,
    event_times: Mapping[str, EventTimeBy] | None = None,
) -> Simulation:
    """Run `query` on `rows` by the reference and tell all of it.

    `streams` is keyed by stream name; by input node are `advance`, the settings that replace the stream's, and
    `event_times`, what EVENTTIME BY says. Raises `Unsound` for a definition with faults, and `SampleError` for a sample
    that cannot be read.
    """
    return told(record(sampled_query(query, streams, advance, rows, end, event_times)))


def why_nothing(recorded: RecordedRun, node: str, at: Tick) -> list[str]:
    """Why `node` has no row at `at`, in sentences. Raises KeyError for a node that the query has not."""
    words = _words(recorded)
    return AbsenceTeller(recorded, words, WaitingWords(recorded, words)).why_nothing(node, at)


def instant(written: int | str) -> Tick:
    """The time that `ask` names: ticks, or ISO 8601 text."""
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
    """What `compare` and `what_if` take, with the settings in force; the arguments are those of `simulate`."""
    sample = timed(query, streams, rows, event_times or {})
    settings = temporal_settings(query, streams, advance)
    elements = sampled(query, sample.streams, sample.items)
    return SampledQuery(query, sample.streams, settings, elements, end)


def told(recorded: RecordedRun) -> Simulation:
    """All that a recorded run shows."""
    words = _words(recorded)
    waiting = WaitingWords(recorded, words)
    missed = MissedRows(recorded)
    teller = RowTeller(recorded, words, missed)
    outcomes: dict[str, Counter[str]] = {}
    streams = {each.identity: each.row.stream for each in recorded.elements}
    for element, judged in recorded.run.judged.items():
        outcomes.setdefault(streams[element], Counter())[str(judged.outcome)] += 1
    return Simulation(
        rows=[teller.told(each) for each in recorded.elements],
        staircases=staircases(recorded),
        tracks=tracks(recorded, words),
        panes=panes(PaneTeller(recorded, words, waiting, missed)),
        order=list(recorded.run.order),
        outcomes={stream: dict(counts) for stream, counts in outcomes.items()},
        holding=waiting.holding(),
        failures=[
            f"{each.field!r} of {each.node!r} failed on {counted(each.count, 'row')}: {each.kind}. It is null there."
            for each in recorded.run.trace.failed_rows.counts()
        ],
    )
