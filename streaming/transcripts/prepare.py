"""From a transcript to the cases that executors run: one for each way of cutting the input into micro-batches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import ValidationError

from streaming.definition.advance import check_advance
from streaming.definition.check import Checked, check
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.temporal.ticks import parse_instant
from streaming.transcripts.format import BATCH, Row, Transcript
from streaming.transcripts.load import TranscriptError
from streaming.wire.case import ONLY_LANE, Case, CaseRow

Cuts = Literal["all", "none"]
_ROW_KEYS = ("start", "end", "edge", "payload", "cti", "strict", "bad")


@dataclass(frozen=True)
class Definition:
    """The definition of a transcript with everything that is wrong with it; `graph` is None if it has no shape."""

    graph: QueryGraph | None
    streams: Mapping[str, StreamDefinition]
    checked: Checked
    faults: tuple[Fault, ...]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that refuse the definition."""
        return tuple(fault for fault in self.faults if fault.severity is Severity.ERROR)


def define(transcript: Transcript) -> Definition:
    """Read and check the definition of `transcript`; faults are collected, never raised."""
    faults: list[Fault] = []
    streams: dict[str, StreamDefinition] = {}
    for name, raw in transcript.streams.items():
        try:
            streams[name] = StreamDefinition.model_validate(raw)
        except ValidationError as error:
            faults.append(_misshapen(name, error))
        else:
            faults += check_advance(streams[name].advance, streams[name].shape, adapter_sends_ctis=True)
    raw_graph = {"version": 1, "name": "transcript"} | transcript.query
    checked = check(raw_graph, streams)
    faults += checked.faults
    try:
        graph = QueryGraph.model_validate(raw_graph)
    except ValidationError:
        graph = None
    return Definition(graph, streams, checked, tuple(faults))


def _misshapen(stream: str, error: ValidationError) -> Fault:
    first = error.errors()[0]
    field = ".".join(map(str, first["loc"]))
    code = FaultCode.BAD_SCHEMA if field.startswith("fields") else FaultCode.BAD_SHAPE
    return Fault(
        code=code,
        severity=Severity.ERROR,
        node=None,
        field=f"streams.{stream}.{field}",
        message=f"Stream {stream!r}: {first['msg']}.",
        remedy="Write the stream as DEFINITION.md section 4 shows.",
    )


def prepare(transcript: Transcript, definition: Definition) -> Case:
    """The case as it is written.

    Raises `TranscriptError` for a definition with errors, for a stream that not exactly one input node reads, and for
    rows that name no stream or, where there are several, no lane.
    """
    if definition.graph is None or definition.errors:
        raise TranscriptError("; ".join(f"{fault.code}: {fault.message}" for fault in definition.errors))
    read = [node.stream for node in definition.graph.nodes if isinstance(node, InputNode)]
    for stream in definition.streams:
        if read.count(stream) != 1:
            raise TranscriptError(f"{read.count(stream)} input nodes read the stream {stream!r}; let one read it")
    return Case(
        id=transcript.name,
        graph=definition.graph,
        streams=definition.streams,
        rows=tuple(_rows(transcript, definition.streams)),
        end=transcript.end,
    )


def _rows(transcript: Transcript, streams: Mapping[str, StreamDefinition]) -> Iterator[CaseRow]:
    batch, clock = 0, dict[str, int]()
    for item in transcript.input:
        if item == BATCH or not isinstance(item, Row):
            batch += 1
            continue
        if item.stream not in streams:
            raise TranscriptError(f"a row names the stream {item.stream!r}; name one under 'streams'")
        if item.heartbeat is not None:
            clock[item.stream] = parse_instant(item.heartbeat)
            continue
        arrival = clock.get(item.stream) if item.arrival is None else parse_instant(item.arrival)
        lane = item.lane if item.lane is not None else _only_lane(item.stream, streams[item.stream])
        yield CaseRow(item.stream, lane, batch, _said(item), arrival)


def _only_lane(name: str, stream: StreamDefinition) -> str:
    lanes = stream.lanes or [ONLY_LANE]
    if len(lanes) > 1:
        raise TranscriptError(f"a row of {name!r}, which has several lanes, names none; add 'lane'")
    return lanes[0]


def _said(row: Row) -> dict[str, Any]:
    return {key: getattr(row, key) for key in _ROW_KEYS if key in row.model_fields_set}


def variants(case: Case, cuts: Cuts, *, restarts: bool) -> list[Case]:
    """`case` as written; with cuts `all` also with one boundary at each position, and with one at every position.

    With `restarts` each case that has a boundary comes a second time, killed and restarted at its boundaries.
    """
    if cuts == "none":
        return [case]
    positions = range(1, len(case.rows))
    cut = [case]
    cut += [_cut(case, f"cut before row {position}", [position]) for position in positions]
    if len(positions) > 1:
        cut.append(_cut(case, "cut before every row", list(positions)))
    if not restarts:
        return cut
    killed = [replace(each, id=f"{each.id}, killed there", restart=True) for each in cut if _boundaries(each)]
    return cut + killed


def _boundaries(case: Case) -> int:
    return case.rows[-1].batch if case.rows else 0


def _cut(case: Case, how: str, positions: list[int]) -> Case:
    rows = (
        replace(row, batch=sum(position <= number for position in positions)) for number, row in enumerate(case.rows)
    )
    return replace(case, id=f"{case.id}, {how}", rows=tuple(rows))
