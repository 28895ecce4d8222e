"""Random histories of inputs: settings, rows in lanes and batches, heartbeats; and the reference's results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from streaming.definition.checks.advance import to_temporal
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.tree import Expression
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.engine.columns.flows import CLOSE, OPEN, WHOLE
from streaming.planning.plan import Branch, InputPlan, QueryPlan
from streaming.reference.feed import FedElement, InputFeed
from streaming.reference.flow import Flow
from streaming.temporal.outcomes import Outcome
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.row_json import Element, read_row
from tests.reference.drawn.rows import streams_of_rows
from tests.reference.drawn.settings import advances

INPUTS = ("s", "r")
FIELDS = {"k": "string", "v": "long"}
LANES = ("0", "1")


@dataclass(frozen=True)
class HistoryElement:
    """An element of a lane with its arrival, or, without a lane, the wall clock `at`."""

    input: str
    lane: str | None
    element: Element | None
    raw: str
    at: int | None


@dataclass(frozen=True)
class History:
    """Inputs with their settings, the content of each batch, and the inputs that then end."""

    streams: Mapping[str, StreamDefinition]
    advance: Mapping[str, AdvanceTime]
    batches: Sequence[Sequence[HistoryElement]]
    ending: frozenset[str]
    stop: bool
    watch_longer: int | None = None

    @property
    def apart(self) -> bool:
        """Return true if the lanes of each input can be fed one by one, and there is only one input."""
        return all(
            each.over is None and each.idle_after is None and each.import_from is None for each in self.advance.values()
        ) and all(stream.rowtime == "explicit" and stream.lanes == ["0"] for stream in self.streams.values())


Entry = tuple[Any, ...]


@dataclass
class Log:
    """The output of the inputs: rows and CTIs by input in their order, late rows, counts by lane, largest times."""

    events: dict[str, list[Entry]] = field(default_factory=lambda: {name: [] for name in INPUTS})
    late: dict[tuple[str, str], list[Entry]] = field(default_factory=dict)
    counts: dict[tuple[str, str], dict[Outcome, int]] = field(default_factory=dict)
    suppressed: dict[tuple[str, str], int] = field(default_factory=dict)
    horizons: dict[str, int] = field(default_factory=dict)


@st.composite
def histories(draw: st.DrawFn, *, imports: bool = False) -> History:
    """Draw histories of one input, or of two; the second imports from the first, or each from the other."""
    streams, settings, queues = {}, {}, {}
    for name in INPUTS if imports else INPUTS[:1]:
        shape = draw(st.sampled_from(("point", "interval", "edge")))
        implicit = shape == "point" and draw(st.integers(0, 4)) == 4
        advance = draw(advances(explicit=False, wall=draw(st.booleans()), policies=("drop", "adjust", "shift", "keep")))
        lanes = draw(st.sampled_from((LANES[:1], LANES[:1], LANES)))
        definition: dict[str, Any] = {"shape": shape, "fields": FIELDS, "lanes": list(lanes)}
        definition["rowtime"] = "implicit" if implicit else "explicit"
        streams[name] = StreamDefinition.model_validate(definition)
        if imports and (name == "r" or draw(st.booleans())):
            advance["import_from"] = INPUTS[1] if name == INPUTS[0] else INPUTS[0]
        settings[name] = to_temporal(AdvanceTimeSettings.model_validate(advance))
        queues[name] = draw(streams_of_rows(shape=shape, field="v", most=24, odd=True))
    batches = draw(_arrived(streams, queues))
    ending = draw(st.sampled_from((frozenset(), frozenset(streams), frozenset(INPUTS[:1]))))
    longer = draw(st.sampled_from((None, None, 0, 10)))
    return History(streams, settings, batches, ending, draw(st.booleans()), longer)


@st.composite
def _arrived(
    draw: st.DrawFn, streams: Mapping[str, StreamDefinition], queues: Mapping[str, list[dict[str, Any]]]
) -> list[list[HistoryElement]]:
    now = draw(st.integers(-10, 20))
    batches: list[list[HistoryElement]] = [[]]
    while any(queues.values()):
        name = draw(st.sampled_from([name for name, queue in queues.items() if queue]))
        stream = streams[name]
        row = queues[name].pop(0)
        lane = draw(st.sampled_from(stream.lanes or ["0"]))
        arrival = None if draw(st.integers(0, 7)) == 7 else now
        batches[-1].append(HistoryElement(name, lane, read_row(row, stream, arrival), f"{row}", arrival))
        now += draw(st.sampled_from((0, 1, 4, 9)))
        if draw(st.integers(0, 3)) == 3:
            batches[-1].append(HistoryElement(name, None, None, "", now))
        if draw(st.integers(0, 3)) == 3:
            batches.append([])
    return batches


def plan_of(history: History, *, together: bool) -> QueryPlan:
    """Return every input with one branch; windows after it decide the outcomes of late_kept rows."""
    fields = parse_fields(FIELDS)
    inputs = {
        name: InputPlan(
            node=name,
            stream=stream,
            fields=fields,
            advance=history.advance[name],
            lanes=tuple(stream.lanes or ()),
            branches=(Branch(f"{name}-out", (), fields, fields),),
            over=_expression(history.advance[name].over),
            watch_longer=history.watch_longer,
        )
        for name, stream in history.streams.items()
    }
    return QueryPlan(inputs, (), {}, 1, stamps=True, watched=True, ordered=True, together=together)


def _expression(text: str | None) -> Expression | None:
    found = None if text is None else typed(parse(text), parse_fields(FIELDS))
    return found.expression if isinstance(found, TypedExpression) else None


class Reference:
    """The reference's results of a history, batch by batch."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._feeds = {name: InputFeed(name, stream, history.advance[name]) for name, stream in history.streams.items()}
        self.log = Log()

    def run(self) -> Log:
        """Run the whole history."""
        for batch in self._history.batches:
            for heard in batch:
                self._take(heard)
            self._import()
        for name in self._history.ending:
            self._cti(name, self._feeds[name].finish() if name in self._feeds else None)
        while self._history.stop and self._history.ending and self._import():
            pass
        self.log.horizons = {name: feed.horizon for name, feed in self._feeds.items()}
        return self.log

    def _take(self, heard: HistoryElement) -> None:
        feed = self._feeds[heard.input]
        at = None if heard.at is None else Tick(heard.at)
        if heard.lane is None or heard.element is None:
            self._cti(heard.input, None if at is None else feed.heartbeat(at))
            return
        fed = feed.take(heard.lane, heard.element, at)
        self._cti(heard.input, fed.cti_before)
        if fed.judged is not None:
            counts = self.log.counts.setdefault((heard.input, heard.lane), {})
            counts[fed.judged.outcome] = counts.get(fed.judged.outcome, 0) + 1
            self._late_row(heard, fed)
        if fed.flow is not None:
            self.log.events[heard.input].append(self._row(fed.flow, fed))
        self._cti(heard.input, fed.cti)

    def _cti(self, name: str, cti: int | None) -> None:
        if cti is not None:
            self.log.events[name].append(("cti", cti))

    def _import(self) -> bool:
        found = {name: feed.cti for name, feed in self._feeds.items()}
        moved = False
        for name, settings in self._history.advance.items():
            if settings.import_from is not None:
                cti = self._feeds[name].import_cti(found[settings.import_from])
                self._cti(name, cti)
                moved |= cti is not None
        return moved

    def _late_row(self, heard: HistoryElement, fed: FedElement) -> None:
        judged = fed.judged
        if judged is None or judged.outcome in (Outcome.ON_TIME, Outcome.REORDERED) or self._watched(fed):
            return
        original = judged.original
        moved = judged.moved_by if judged.outcome in (Outcome.ADJUSTED, Outcome.SHIFTED) else None
        self.log.late.setdefault((heard.input, str(heard.lane)), []).append(
            (
                fed.element.position,
                None if original is None else original.start,
                None if original is None else original.end,
                None if judged.cti_met == NO_CTI else judged.cti_met,
                str(judged.outcome),
                None if judged.reason is None else str(judged.reason),
                moved,
                heard.raw,
                None if original is None or original.edge is None else str(original.edge),
            )
        )

    def _watched(self, fed: FedElement) -> bool:
        if fed.judged is None or fed.flow is None:
            return False
        longer = self._history.watch_longer
        long = longer is not None and fed.flow.end - fed.flow.start > longer
        return long or fed.judged.outcome is Outcome.LATE_KEPT

    def _row(self, flow: Flow, fed: FedElement) -> Entry:
        element = fed.element
        opened: Any = flow.id
        flag = OPEN if flow.opens else CLOSE if flow.closes else WHOLE
        name = None if flag == WHOLE else f"{opened.input}/{opened.lane}/{opened.position}"
        source = f"{element.input}/{element.lane}/{element.position}" if self._watched(fed) else None
        late_at = NO_CTI if flow.late_at is None else flow.late_at
        return (flow.start, flow.end, flag, name, late_at, flow.stamp, source, flow.payload)


def stretches(batch: Sequence[HistoryElement]) -> Iterator[list[HistoryElement]]:
    """Yield the elements of a batch, cut at each change of lane, with heartbeats alone."""
    current: list[HistoryElement] = []
    for heard in batch:
        if current and ((current[0].input, current[0].lane) != (heard.input, heard.lane) or heard.lane is None):
            yield current
            current = []
        current.append(heard)
    if current:
        yield current


__all__ = ["INFINITY", "Entry", "History", "HistoryElement", "Log", "Reference", "histories", "plan_of", "stretches"]
