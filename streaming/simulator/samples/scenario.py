"""A scenario: a query on a sample with expected results, written as a transcript and judged by the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pydantic import BaseModel

from streaming.definition.graph import InputNode, OutputNode
from streaming.definition.names import Name
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from streaming.reference.execution import execute
from streaming.simulator.samples.sample import SampleError, SampleItem, timed
from streaming.temporal.ticks import INFINITY, ONE_TICK, parse_instant
from streaming.transcripts.compare import differences, same_value, wanted
from streaming.transcripts.format import Expect, ExpectedEvent, ExpectedLate, Transcript
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.load import parse as read_transcript
from streaming.transcripts.prepare import TranscriptDefinition, define, prepare
from streaming.wire.execution.case import Case, CaseEvent, CaseLate, CaseResult, EndMode
from streaming.wire.execution.case_execution import run_case
from streaming.wire.execution.interface import ExecutionError
from streaming.wire.rows.payload_json import payload_to_json

__all__ = ["Expect", "Transcript", "TranscriptError", "read_transcript"]


class ScenarioRow(Strict):
    """A net row of a result: `end` null is infinity; `payload` as in JSON."""

    output: Name | None
    start: int
    end: int | None
    payload: dict[str, Any]


class ChangedRow(Strict):
    """A row with the expected lifetime and another payload."""

    expected: ScenarioRow
    found: ScenarioRow


class ScenarioFindings(Strict):
    """The differences from the expectation; empty if the scenario holds. `other`: sentences on all but rows.

    `ran` false: it could not be run, and `other` are the reasons.
    """

    holds: bool
    missing: list[ScenarioRow]
    unexpected: list[ScenarioRow]
    changed: list[ChangedRow]
    other: list[str]
    ran: bool = True

    @classmethod
    def not_run(cls, why: str) -> Self:
        """Return the findings of a scenario that could not be run."""
        return cls(holds=False, missing=[], unexpected=[], changed=[], other=[why], ran=False)


@dataclass(frozen=True)
class ScenarioSample:
    """The input of a scenario: rows, marks of micro-batches, settings by input that replace the text's, the end."""

    rows: Sequence[SampleItem]
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    end: EndMode = EndMode.FLUSH


def as_transcript(
    name: str, sql: str, streams: Mapping[str, StreamDefinition], sample: ScenarioSample, expect: Expect
) -> dict[str, Any]:
    """Return the scenario as a self-contained transcript document: the query as text, with its streams.

    The streams are those that the query reads. Starts come from one place: a stream has no event time if rows carry
    their starts, and rows carry none if the text has EVENTTIME BY. Raises `SampleError` for a text without a query.
    """
    script = parse_sql(sql)
    if script.graph is None:
        raise SampleError("The text contains no query.")
    timed_sample = timed(script.graph, streams, sample.rows, script.event_times)
    inputs = {node.stream: node.id for node in script.graph.nodes if isinstance(node, InputNode)}
    read = {
        stream: streams[stream] if node in script.event_times else timed_sample.streams[stream]
        for stream, node in inputs.items()
        if stream in streams
    }
    return {
        "name": name,
        "streams": {stream: _short(of) for stream, of in read.items()},
        **({"advance": {node: _short(of) for node, of in sample.advance.items()}} if sample.advance else {}),
        "sql": sql,
        "input": [each if each == "batch" else _short(each) for each in timed_sample.items],
        "end": str(sample.end),
        "expect": expect.model_dump(mode="json", exclude_unset=True, exclude_none=False),
    }


def _short(model: BaseModel | str) -> Any:
    """Dump a model without unset defaults; a value that was set is kept, null too."""
    return model if isinstance(model, str) else model.model_dump(mode="json", exclude_unset=True)


def judged(document: Mapping[str, Any]) -> ScenarioFindings:
    """Run the transcript `document` with the reference and return the differences. Never raises for user input."""
    try:
        definition, case, expect = _prepare(document)
    except TranscriptError as error:
        return ScenarioFindings.not_run(str(error))
    result = _run(case)
    if result.failure is not None:
        return ScenarioFindings.not_run(result.failure)
    return _compare(definition, case, result, expect)


def observed(document: Mapping[str, Any]) -> Expect:
    """Return the whole result as an expectation. Raises `SampleError` for a transcript that cannot be run."""
    try:
        definition, case, _ = _prepare(document)
    except TranscriptError as error:
        raise SampleError(str(error)) from None
    result = _run(case)
    if result.failure is not None:
        raise SampleError(result.failure)
    several = sum(isinstance(node, OutputNode) for node in case.graph.nodes) > 1
    return Expect(
        events=[_expected_event(_row(each, definition), several=several) for each in result.events],
        ctis={node: list(ctis) for node, ctis in result.ctis.items()},
        late=[_expected_late(each, definition) for each in result.late],
    )


def _prepare(document: Mapping[str, Any]) -> tuple[TranscriptDefinition, Case, Expect]:
    transcript = read_transcript(dict(document), "the scenario")
    if transcript.expect is None:
        raise TranscriptError("it expects a refusal; a scenario expects results")
    definition = define(transcript)
    return definition, prepare(transcript, definition), transcript.expect


def _run(case: Case) -> CaseResult:
    """Run a case with the reference; a failure becomes a sentence in the result."""
    try:
        return run_case(execute, case)
    except ExecutionError as error:
        return CaseResult(case.id, failure=str(error))


def _compare(definition: TranscriptDefinition, case: Case, result: CaseResult, expect: Expect) -> ScenarioFindings:
    found = [(each, _row(each, definition)) for each in result.events]
    try:
        want = wanted(expect, definition)
    except TranscriptError as error:  # the output now has another payload: all rows differ
        wants = [_read_event(each, case) for each in expect.events]
        return _findings(wants, [row for _, row in found], [f"{error}"])
    left, missing = list(found), []
    for event in want.events:
        same = next((pair for pair in left if _same(event, pair[0])), None)
        if same is None:
            missing.append(_row(event, definition))
        else:
            left.remove(same)
    other = differences(replace(want, events=result.events), case, result, "reference")
    return _findings(missing, [row for _, row in left], other)


def _findings(missing: Sequence[ScenarioRow], unexpected: Sequence[ScenarioRow], other: list[str]) -> ScenarioFindings:
    """Pair missing and unexpected rows of one lifetime at one output as changed."""
    changed, gone, left = [], [], list(unexpected)
    for row in missing:
        now = next((each for each in left if _lifetime(each) == _lifetime(row)), None)
        if now is None:
            gone.append(row)
        else:
            left.remove(now)
            changed.append(ChangedRow(expected=row, found=now))
    holds = not (missing or unexpected or other)
    return ScenarioFindings(holds=holds, missing=gone, unexpected=left, changed=changed, other=other)


def _lifetime(row: ScenarioRow) -> tuple[str | None, int, int | None]:
    return row.output, row.start, row.end


def _same(want: CaseEvent, have: CaseEvent) -> bool:
    lifetimes = (want.output, want.start, want.end), (have.output, have.start, have.end)
    return lifetimes[0] == lifetimes[1] and same_value(dict(want.payload), dict(have.payload))


def _row(event: CaseEvent, definition: TranscriptDefinition) -> ScenarioRow:
    payload = payload_to_json(event.payload, definition.checked.schemas[event.output])
    end = None if event.end == INFINITY else event.end
    return ScenarioRow(output=event.output, start=event.start, end=end, payload=payload)


def _read_event(event: ExpectedEvent, case: Case) -> ScenarioRow:
    start = parse_instant(event.start)
    end = start + ONE_TICK if "end" not in event.model_fields_set else None
    end = parse_instant(event.end) if event.end is not None else end
    outputs = [node.id for node in case.graph.nodes if isinstance(node, OutputNode)]
    output = outputs[0] if event.output is None and len(outputs) == 1 else event.output
    return ScenarioRow(output=output, start=start, end=end, payload=event.payload)


def _expected_event(row: ScenarioRow, *, several: bool) -> ExpectedEvent:
    values: dict[str, Any] = {"start": row.start, "payload": row.payload}
    if row.end != row.start + ONE_TICK:
        values["end"] = row.end
    return ExpectedEvent.model_validate({**values, "output": row.output} if several else values)


def _expected_late(late: CaseLate, definition: TranscriptDefinition) -> ExpectedLate:
    values = {key: getattr(late, key) for key in ("start", "end", "edge", "reason", "moved_by")}
    lanes = definition.streams[late.stream].lanes or []
    values["lane"] = late.lane if len(lanes) > 1 else None
    kept = {key: value for key, value in values.items() if value is not None and (key, value) != ("end", INFINITY)}
    return ExpectedLate.model_validate({"stream": late.stream, "outcome": late.outcome, **kept})
