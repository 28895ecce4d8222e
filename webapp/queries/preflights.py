"""Validation of a query before a start: its definition, and the times in the first rows of its inputs."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.event_time import check_event_times, with_event_times
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.planning.validity import InvalidDefinition
from streaming.preflight.measure import MeasuredElement
from streaming.preflight.preflight import MeasuredSample, Preflight, preflight
from streaming.simulator.samples.sample import SampleError, SampleItem, refuse_unlike_event_times, sampled
from webapp.accounts.limits.previews import previewing
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
"""Rows of a sent sample."""
SMALLER: Final = "Check that its inputs contain the expected rows, and that the rows end where they should."


class PreflightBody(ExplanationBody):
    """A query to validate before a start. The rows of `sample` are measured, or else rows that adapters read now."""

    sample: list[SampleItem] | None = Field(default=None, max_length=MOST_ROWS)


class PreflightOutcome(Strict):
    """The findings; `found` None: these `faults` prevent any measurement."""

    found: Preflight | None
    faults: list[Fault]


def validated(body: PreflightBody) -> Preflight:
    """Return the preflight of the query, with rows that its streams' adapters read now.

    Raises `Faulty` with all errors of an invalid query, `OverQuota` if the day's time for previews is used up, `Busy`
    while too many preflights run at once, `TooMuchWork` at a limit.
    """
    streams = streams_by_name()
    definitions = {name: each.read_definition() for name, each in streams.items()}
    adapters = {name: each.read_adapter() for name, each in streams.items()}
    asked = body.text if body.text is not None else body.raw()
    with previewing():
        outcome = sampled_and_measured(asked, definitions, adapters, streams_with_ctis(), body.advance, body.sample)
    if outcome.found is None:
        raise Faulty(outcome.faults)
    return outcome.found


@limited("Validating this query", SMALLER, READING, opens_secrets=True)
def sampled_and_measured(
    asked: str | Mapping[str, Any],
    streams: Streams,
    adapters: Mapping[str, AdapterChoice],
    own_ctis: Collection[str],
    advance: Mapping[str, AdvanceTimeSettings],
    sample: Sequence[SampleItem] | None,
) -> PreflightOutcome:
    """Read the first rows of each input of `asked`, a text or a graph, and measure them; or measure those of `sample`.

    An input with an unreadable adapter has an error and no measurements. `advance` is by input node.
    """
    found = _examined(asked, streams, own_ctis)
    graph = found.graph
    if graph is None or refuses(found.faults):
        return PreflightOutcome(found=None, faults=list(found.faults))
    wrong = list(check_event_times(graph, streams, found.event_times))
    if refuses(wrong):
        return PreflightOutcome(found=None, faults=wrong)
    read = with_event_times(graph, streams, found.event_times)
    try:
        if sample is None:
            samples, unread = _from_adapters(graph, read, adapters)
        else:
            samples, unread = _read_sample(graph, read, found.event_times, sample), []
        measured = preflight(graph, streams, {**found.advance, **advance}, samples, now_ticks())
    except InvalidDefinition as unsound:
        return PreflightOutcome(found=None, faults=list(unsound.faults))
    except SampleError as error:
        unusable = fault(FaultCode.BAD_SHAPE, str(error), "Correct the sample.", field="sample")
        return PreflightOutcome(found=None, faults=[unusable])
    known = {(each.code, each.node) for each in found.faults}  # these have spans, and know who sends CTIs
    others = [each for each in measured.faults if (each.code, each.node) not in known]
    return PreflightOutcome(found=measured.model_copy(update={"faults": [*unread, *found.faults, *others]}), faults=[])


def _examined(asked: str | Mapping[str, Any], streams: Streams, own_ctis: Collection[str]) -> QueryExamination:
    if isinstance(asked, str):
        return examine_text(asked, streams, own_ctis=own_ctis)
    return examine_graph(asked, streams, TextBefore(), own_ctis=own_ctis)


def _from_adapters(graph: QueryGraph, read: Streams, adapters: Mapping[str, AdapterChoice]) -> _Samples:
    """Return the first rows of each input, and an error for each unreadable one; `read` is by input node."""
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


def _read_sample(
    graph: QueryGraph, read: Streams, event_times: Mapping[str, EventTimeBy], sample: Sequence[SampleItem]
) -> dict[str, MeasuredSample]:
    """Return the rows of `sample`, as each input reads them. Raises `SampleError`.

    A row contains its `start` itself, independent of the stream's adapter, unless the query has EVENTTIME BY.
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
