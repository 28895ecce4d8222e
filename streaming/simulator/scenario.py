"""A scenario: a query on a sample with what must come of it, written as a transcript and judged by the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from streaming.definition.graph import InputNode, OutputNode
from streaming.definition.names import Name
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from streaming.reference.execution import execute
from streaming.simulator.sample import SampleError, SampleItem, timed
from streaming.temporal.ticks import INFINITY, ONE_TICK, parse_instant
from streaming.transcripts.compare import differences, same_value, wanted
from streaming.transcripts.format import Expect, ExpectedEvent, ExpectedLate, Transcript
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.load import parse as read_transcript
from streaming.transcripts.prepare import TranscriptDefinition, define, prepare
from streaming.wire.case import Case, CaseEvent, CaseLate, CaseResult, EndMode
from streaming.wire.case_execution import run_case
from streaming.wire.execution import ExecutionError
from streaming.wire.payload_json import payload_to_json

__all__ = ["Expect", "Transcript", "TranscriptError", "read_transcript"]


class ScenarioRow(Strict):
    """A net row of a result: `end` null is infinity; `payload` as in JSON."""

    output: Name | None
    start: int
    end: int | None
    payload: dict[str, Any]


class ChangedRow(Strict):
    """A row that came with the lifetime that was expected and with another payload."""

    expected: ScenarioRow
    found: ScenarioRow


class ScenarioFindings(Strict):
    """What differs from what was expected; nothing where the scenario holds. `other` are sentences on all but rows."""

    holds: bool
    missing: list[ScenarioRow]
    unexpected: list[ScenarioRow]
    changed: list[ChangedRow]
    other: list[str]


@dataclass(frozen=True)
class ScenarioSample:
    """What a scenario runs on: rows and marks of micro-batches, settings by input that replace the text's, the end."""

    rows: Sequence[SampleItem]
    advance: Mapping[str, AdvanceTimeSettings] = field(default_factory=dict)
    end: EndMode = EndMode.FLUSH


def as_transcript(
    name: str, sql: str, streams: Mapping[str, StreamDefinition], sample: ScenarioSample, expect: Expect
) -> dict[str, Any]:
    """The scenario as the document of a transcript, which stands alone: the query as a text, with its streams.

    Streams are those that the query reads. Where a start stands is said once: a stream has no event time where rows
    say their start, and rows say none where the text says EVENTTIME BY. Raises `SampleError` for a text without query.
    """
    script = parse_sql(sql)
    if script.graph is None:
        raise SampleError("The text says no query.")
    told = timed(script.graph, streams, sample.rows, script.event_times)
    inputs = {node.stream: node.id for node in script.graph.nodes if isinstance(node, InputNode)}
    read = {
        stream: streams[stream] if node in script.event_times else told.streams[stream]
        for stream, node in inputs.items()
        if stream in streams
    }
    return {
        "name": name,
        "streams": {stream: _short(of) for stream, of in read.items()},
        **({"advance": {node: _short(of) for node, of in sample.advance.items()}} if sample.advance else {}),
        "sql": sql,
        "input": [each if each == "batch" else _short(each) for each in told.items],
        "end": str(sample.end),
        "expect": expect.model_dump(mode="json", exclude_unset=True, exclude_none=False),
    }


def _short(model: BaseModel | str) -> Any:
    """A model without what is as by default; what was said is there, null too."""
    return model if isinstance(model, str) else model.model_dump(mode="json", exclude_unset=True)


def judged(document: Mapping[str, Any]) -> ScenarioFindings:
    """What differs when the transcript `document` is run by the reference. Never raises for what a person wrote."""
    try:
        definition, case, expect = _prepared(document)
    except TranscriptError as error:
        return _refused(str(error))
    result = _run(case)
    if result.failure is not None:
        return _refused(result.failure)
    return _compared(definition, case, result, expect)


def observed(document: Mapping[str, Any]) -> Expect:
    """All that comes out, as an expectation. Raises `SampleError` for a transcript that cannot be run."""
    try:
        definition, case, _ = _prepared(document)
    except TranscriptError as error:
        raise SampleError(str(error)) from None
    result = _run(case)
    if result.failure is not None:
        raise SampleError(result.failure)
    several = sum(isinstance(node, OutputNode) for node in case.graph.nodes) > 1
    return Expect(
        events=[_expected(_row(each, definition), several=several) for each in result.events],
        ctis={node: list(ctis) for node, ctis in result.ctis.items()},
        late=[_expected_late(each, definition) for each in result.late],
    )


def _prepared(document: Mapping[str, Any]) -> tuple[TranscriptDefinition, Case, Expect]:
    transcript = read_transcript(dict(document), "the scenario")
    if transcript.expect is None:
        raise TranscriptError("it expects a refusal; a scenario expects results")
    definition = define(transcript)
    return definition, prepare(transcript, definition), transcript.expect


def _run(case: Case) -> CaseResult:
    """What the reference makes of a case; a failure is a sentence in the result."""
    try:
        return run_case(execute, case)
    except ExecutionError as error:
        return CaseResult(case.id, failure=str(error))


def _refused(why: str) -> ScenarioFindings:
    return ScenarioFindings(holds=False, missing=[], unexpected=[], changed=[], other=[why])


def _compared(definition: TranscriptDefinition, case: Case, result: CaseResult, expect: Expect) -> ScenarioFindings:
    found = [(each, _row(each, definition)) for each in result.events]
    try:
        want = wanted(expect, definition)
    except TranscriptError as error:  # another payload than the output has now: all rows differ
        wants = [_said(each, case) for each in expect.events]
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
    """Rows that are missing and unexpected with one lifetime at one output have changed."""
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


def _said(event: ExpectedEvent, case: Case) -> ScenarioRow:
    start = parse_instant(event.start)
    end = start + ONE_TICK if "end" not in event.model_fields_set else None
    end = parse_instant(event.end) if event.end is not None else end
    outputs = [node.id for node in case.graph.nodes if isinstance(node, OutputNode)]
    output = outputs[0] if event.output is None and len(outputs) == 1 else event.output
    return ScenarioRow(output=output, start=start, end=end, payload=event.payload)


def _expected(row: ScenarioRow, *, several: bool) -> ExpectedEvent:
    said: dict[str, Any] = {"start": row.start, "payload": row.payload}
    if row.end != row.start + ONE_TICK:
        said["end"] = row.end
    return ExpectedEvent.model_validate({**said, "output": row.output} if several else said)


def _expected_late(late: CaseLate, definition: TranscriptDefinition) -> ExpectedLate:
    said = {key: getattr(late, key) for key in ("start", "end", "edge", "reason", "moved_by")}
    lanes = definition.streams[late.stream].lanes or []
    said["lane"] = late.lane if len(lanes) > 1 else None
    kept = {key: value for key, value in said.items() if value is not None and (key, value) != ("end", INFINITY)}
    return ExpectedLate.model_validate({"stream": late.stream, "outcome": late.outcome, **kept})
