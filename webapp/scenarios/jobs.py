"""Scenarios in limited processes: running them, writing them as transcripts, reading uploaded transcripts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.definition.versions.differences import differences
from streaming.definition.versions.meaning import QueryMeaning, meaning_of
from streaming.simulator.samples import scenario as scenarios
from streaming.simulator.samples.sample import SampleError
from streaming.simulator.samples.scenario import Expect, ScenarioFindings, ScenarioSample
from streaming.wire.yaml_data import YamlError, yaml_documents
from webapp.bundles.yaml_text import write_yaml
from webapp.core.errors import fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.queries.simulation.bodies import SampleBody
from webapp.scenarios.bodies import ScenarioBody, TranscriptRead

LIMITS: Final = Limits(cpu_s=15, wall_s=20, memory_bytes=768 * MIB, output_bytes=16 * MIB, file_bytes=0)
SHORTER: Final = "Use fewer rows, or a smaller query."


@dataclass(frozen=True)
class QueryOfStreams:
    """A query as text, with the streams of its organisation."""

    text: str
    streams: Mapping[str, StreamDefinition]


@dataclass(frozen=True)
class ObservedOutcome:
    """The results, as the JSON of an `Expect` without omitted fields; or the errors that prevent them."""

    expect: dict[str, Any] | None = None
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True)
class TranscriptOutcome:
    """The JSON of a `TranscriptRead` without omitted fields; or the reason for refusing it."""

    read: dict[str, Any] | None = None
    refused: str = ""


@limited("Running this scenario", SHORTER, LIMITS)
def judged(query: QueryOfStreams, scenario: ScenarioBody) -> ScenarioFindings:
    """Return the differences from the scenario's expectation."""
    try:
        document = scenarios.as_transcript(
            scenario.name, query.text, query.streams, sample_of(scenario.sample, scenario.advance), scenario.expect
        )
    except SampleError as error:
        return ScenarioFindings.not_run(str(error))
    return scenarios.judged(document)


@limited("Running this sample", SHORTER, LIMITS)
def observed(query: QueryOfStreams, sample: SampleBody, advance: Mapping[str, AdvanceTimeSettings]) -> ObservedOutcome:
    """Return all results of a sample."""
    nothing = Expect(events=[])
    try:
        document = scenarios.as_transcript("sample", query.text, query.streams, sample_of(sample, advance), nothing)
        return ObservedOutcome(_as_said(scenarios.observed(document)))
    except SampleError as error:
        return ObservedOutcome(
            None, [fault(FaultCode.BAD_SHAPE, str(error), "Correct it, then save it.", field="sample")]
        )


@limited("Writing this transcript", SHORTER, LIMITS)
def transcript_text(query: QueryOfStreams, scenario: ScenarioBody) -> str:
    """Return the scenario as the YAML of a self-contained transcript."""
    document = scenarios.as_transcript(
        scenario.name, query.text, query.streams, sample_of(scenario.sample, scenario.advance), scenario.expect
    )
    return write_yaml(document)


@limited("Reading this transcript", "Upload a smaller one.", LIMITS)
def transcript_read(text: str, query: QueryOfStreams) -> TranscriptOutcome:
    """Return the scenario of a transcript, with notes on the ignored parts: its own query and streams."""
    try:
        documents = [each for each in yaml_documents(text) if each is not None]
        if len(documents) != 1:
            return TranscriptOutcome(refused=f"The file has {len(documents)} transcripts; upload one at a time.")
        transcript = scenarios.read_transcript(documents[0], "The transcript")
    except (YamlError, scenarios.TranscriptError) as error:
        return TranscriptOutcome(refused=f"This isn't a transcript: {error}.")
    if transcript.expect is None:
        return TranscriptOutcome(
            refused="The transcript expects its query to be refused; a scenario must expect results."
        )
    advance = {node: AdvanceTimeSettings.model_validate(raw) for node, raw in transcript.advance.items()}
    sample = SampleBody(rows=transcript.input, end=transcript.end)
    scenario = ScenarioBody(name=transcript.name[:200], sample=sample, advance=advance, expect=transcript.expect)
    return TranscriptOutcome(_as_said(TranscriptRead(scenario=scenario, notes=_notes(transcript, query))))


def sample_of(sample: SampleBody, advance: Mapping[str, AdvanceTimeSettings]) -> ScenarioSample:
    """Return a sample as the simulator takes it."""
    return ScenarioSample(sample.rows, advance, sample.end)


def _as_said(model: BaseModel) -> dict[str, Any]:
    """Return a model as JSON without omitted fields: an omitted `end` is a point, and null is infinity."""
    return model.model_dump(mode="json", exclude_unset=True)


def _notes(transcript: scenarios.Transcript, query: QueryOfStreams) -> list[str]:
    notes = []
    own, other = meaning_of(parse_sql(query.text)), _query_of(transcript)
    if own is not None and other is not None:
        notes += [f"Its query is another one: {each.words}." for each in differences(own, other)]
    for name, raw in transcript.streams.items():
        if name not in query.streams:
            notes.append(f"It reads a stream {name} that you don't have.")
        elif not _reads_as(StreamDefinition.model_validate(raw), query.streams[name]):
            notes.append(f"Its stream {name} has another definition than yours; the scenario uses yours.")
    return notes


def _reads_as(own: StreamDefinition, other: StreamDefinition) -> bool:
    """Return whether rows mean the same on both; without an event time in `own`, rows contain their start."""
    compared = other if own.event_time is not None else other.model_copy(update={"event_time": None})
    return own.model_dump(mode="json") == compared.model_dump(mode="json")


def _query_of(transcript: scenarios.Transcript) -> QueryMeaning | None:
    if transcript.sql is not None:
        return meaning_of(parse_sql(transcript.sql))
    graph = {"version": 1, "name": "transcript", **(transcript.query or {})}
    return QueryMeaning.model_validate({"graph": graph})
