"""Validating a query before a start: its definition, and what the first rows of its inputs say of time."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError
from streaming.definition.event_time import check_event_times, with_event_times
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.planning.soundness import Unsound
from streaming.preflight.measure import MeasuredElement
from streaming.preflight.preflight import MeasuredSample, Preflight, preflight
from streaming.simulator.sample import SampleError, SampleItem, refuse_unlike_event_times, sampled
from webapp.accounts.previews import previewing
from webapp.core.errors import Faulty, fault
from webapp.core.limited.jobs import READING, limited
from webapp.queries.bodies import ExplanationBody
from webapp.queries.checking import QueryExamination, Streams, TextBefore, examine_graph, examine_text, refuses
from webapp.streams.access import streams_by_name, streams_with_ctis
from webapp.streams.adapters import adapter_fault, build, now_ticks

_Samples = tuple[dict[str, MeasuredSample], list[Fault]]
ROWS: Final = 2_000
"""Rows that are read of each input."""
MOST_ROWS: Final = 5_000
"""Rows of a sample that is sent."""
SMALLER: Final = "Look whether its inputs hold what you expect, and whether their rows end where they should."


class PreflightBody(ExplanationBody):
    """A query to validate before a start. With `sample` its rows are measured, else those that adapters read now."""

    sample: list[SampleItem] | None = Field(default=None, max_length=MOST_ROWS)


class PreflightGiven(Strict):
    """What was found; `found` None: for these `faults` nothing could be measured."""

    found: Preflight | None
    faults: list[Fault]


def validated(body: PreflightBody) -> Preflight:
    """Return what can be said of the query that was sent, with rows that its streams' adapters read now.

    Raises `Faulty` with all faults of one that is not sound, `OverQuota` when the day's time for previews is used up,
    `Busy` while as many are read as may be, `TooMuchWork` at a limit.
    """
    streams = streams_by_name()
    definitions = {name: each.read_definition() for name, each in streams.items()}
    adapters = {name: each.read_adapter() for name, each in streams.items()}
    asked = body.text if body.text is not None else body.raw()
    with previewing():
        told = sampled_and_measured(asked, definitions, adapters, streams_with_ctis(), body.advance, body.sample)
    if told.found is None:
        raise Faulty(told.faults)
    return told.found


@limited("Validating this query", SMALLER, READING, opens_secrets=True)
def sampled_and_measured(
    asked: str | Mapping[str, Any],
    streams: Streams,
    adapters: Mapping[str, AdapterChoice],
    own_ctis: Collection[str],
    advance: Mapping[str, AdvanceTimeSettings],
    sample: Sequence[SampleItem] | None,
) -> PreflightGiven:
    """Read the first rows of each input of `asked`, a text or a graph, and measure them; or those of `sample`.

    An input whose adapter cannot be read has a fault and no measurements. `advance` is by input node.
    """
    found = _examined(asked, streams, own_ctis)
    graph = found.graph
    if graph is None or refuses(found.faults):
        return PreflightGiven(found=None, faults=list(found.faults))
    wrong = list(check_event_times(graph, streams, found.event_times))
    if refuses(wrong):
        return PreflightGiven(found=None, faults=wrong)
    read = with_event_times(graph, streams, found.event_times)
    try:
        if sample is None:
            samples, unread = _from_adapters(graph, read, adapters)
        else:
            samples, unread = _given(graph, read, found.event_times, sample), []
        told = preflight(graph, streams, {**found.advance, **advance}, samples, now_ticks())
    except Unsound as unsound:
        return PreflightGiven(found=None, faults=list(unsound.faults))
    except SampleError as error:
        unusable = fault(FaultCode.BAD_SHAPE, str(error), "Correct the sample.", field="sample")
        return PreflightGiven(found=None, faults=[unusable])
    known = {(each.code, each.node) for each in found.faults}  # those have spans, and know who sends CTIs
    others = [each for each in told.faults if (each.code, each.node) not in known]
    return PreflightGiven(found=told.model_copy(update={"faults": [*unread, *found.faults, *others]}), faults=[])


def _examined(asked: str | Mapping[str, Any], streams: Streams, own_ctis: Collection[str]) -> QueryExamination:
    if isinstance(asked, str):
        return examine_text(asked, streams, own_ctis=own_ctis)
    return examine_graph(asked, streams, TextBefore(), own_ctis=own_ctis)


def _from_adapters(graph: QueryGraph, read: Streams, adapters: Mapping[str, AdapterChoice]) -> _Samples:
    """The first rows of each input, and a fault for each that cannot be read; `read` is by input node."""
    samples: dict[str, MeasuredSample] = {}
    unread: list[Fault] = []
    for node in graph.nodes:
        if not isinstance(node, InputNode):
            continue
        try:
            rows = preview.sample(build(read[node.id], adapters[node.stream]), ROWS, now=now_ticks())
        except AdapterError as error:
            unread.append(adapter_fault(str(error), node.id))
            continue
        found = [MeasuredElement(each.lane, each.element, each.arrival, len(each.raw)) for each in rows]
        samples[node.id] = MeasuredSample(read[node.id], found)
    return samples, unread


def _given(
    graph: QueryGraph, read: Streams, event_times: Mapping[str, EventTimeBy], sample: Sequence[SampleItem]
) -> dict[str, MeasuredSample]:
    """The rows of `sample`, as each input reads them. Raises `SampleError`.

    A row says its `start` itself, wherever the stream's adapter finds it, unless the query says EVENTTIME BY.
    """
    refuse_unlike_event_times(graph, event_times)
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    streams = {
        each.stream: read[each.id] if each.id in event_times else read[each.id].model_copy(update={"event_time": None})
        for each in inputs
    }
    rows: dict[str, list[MeasuredElement]] = {each.id: [] for each in inputs}
    for each in sampled(graph, streams, sample):
        if each.input is not None and each.element is not None:
            size = len(json.dumps(each.row.fields, default=str))
            rows[each.input].append(MeasuredElement(each.lane, each.element, each.arrival, size))
    return {each.id: MeasuredSample(streams[each.stream], rows[each.id]) for each in inputs}
