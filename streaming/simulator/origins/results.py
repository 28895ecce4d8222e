"""Origins of a row that a binding has emitted: the run in which it came out, and the CTI that released it.

The CTIs that the inputs reached are sent to a run without clocks one after the other, so that the run shows which of
them released the row.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.planning.last_digits import same_up_to_last_digits, varying_columns
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import CausingCti, FlowId
from streaming.reference.output import OutputRow
from streaming.simulator.origins.matches import ReplayedMatches
from streaming.simulator.origins.traced import ResultTrace
from streaming.simulator.origins.tracing import KnownInput, Tracer
from streaming.simulator.words import came_out_with, made_of
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.messages import ResultRow
from streaming.wire.rows.payload_json import payload_to_json


@dataclass(frozen=True)
class CtiMove:
    """The CTI of an input before and after a batch, NO_CTI before its first CTI."""

    before: int
    after: int


def trace_row(known: KnownInput, given: ResultRow, moves: Mapping[str, CtiMove]) -> ResultTrace | None:
    """Return the origins of `given`, emitted in a batch with these `moves` of the inputs; None if no such row is found.

    Raises `InvalidDefinition`.
    """
    tracer = Tracer(known, [given.start, given.end if given.end is not None else given.start])
    matches = ReplayedMatches.of(tracer, {})
    run = matches.run
    for node, tick in _in_order(tracer, moves):
        tracer.raise_to(run, node, tick)
    run.end(EndMode.FLUSH)
    row, same = _find(tracer, run, given)
    if row is None:
        return None
    would = [] if not known.dropped else _alike(tracer.flushed(in_time=True), row)
    sources = sorted(row.flow.sources)
    return ResultTrace(
        same=same,
        why=[
            made_of(counted(len(sources), "row") if sources else ""),
            *_describe_release(tracer, row.released_by, moves),
            *matches.of_result(row),
        ],
        made_of=tracer.trace(tracer.places[source] for source in sources),
        missed=tracer.missed(would, [row]),
    )


def _in_order(tracer: Tracer, moves: Mapping[str, CtiMove]) -> list[tuple[str, int]]:
    """Return the CTIs to send: first the previous CTI of each input, then step by step as far as steps are known."""
    begun = [(node, move.before) for node, move in moves.items() if move.before != NO_CTI]
    steps = [
        (tick, node)
        for node, move in moves.items()
        for tick in {*tracer.stories.ctis_between(node, move.before, move.after), move.after}
        if tick not in (NO_CTI, INFINITY)
    ]
    return [*begun, *((node, tick) for tick, node in sorted(steps))]


def _find(tracer: Tracer, run: ReferenceRun, given: ResultRow) -> tuple[OutputRow | None, bool]:
    """Return the row as the run emitted it, and true if it is the same; otherwise one of its time and group."""
    end = INFINITY if given.end is None else given.end
    alike = [
        row
        for row in _as_given(run, given.output)
        if (row.flow.start, row.flow.end) == (given.start, end) and not (row.flow.gone or row.flow.vanishes)
    ]
    # The order of the inputs may decide if a lifetime is emitted as two edges or whole: prefer a row of the same form.
    exact = [row for row in alike if row.edge == given.edge]
    found = _among(tracer, exact, given)
    return found if found[1] else _among(tracer, alike, given)


def _among(tracer: Tracer, alike: Sequence[OutputRow], given: ResultRow) -> tuple[OutputRow | None, bool]:
    """Return the row of `alike`, all of the same time, that equals `given`; otherwise the last one of its group.

    Columns that `given` marks as incomplete are complete in the replayed input, so they are not compared.
    """
    payloads = [payload_to_json(row.flow.payload, tracer.schemas[given.output]) for row in alike]
    lacks = dict.fromkeys(given.incomplete_columns or ())
    columns = varying_columns(tracer.plain.graph, tracer.schemas)[given.output]
    for row, payload in zip(alike, payloads, strict=True):
        if _is_given({**payload, **lacks}, {**given.payload, **lacks}, columns):
            return row, True
    group = group_of(tracer, given.payload)
    for row, payload in zip(reversed(alike), reversed(payloads), strict=True):
        if group and group_of(tracer, payload) == group:
            return row, False
    return (alike[0], False) if len(alike) == 1 and not group else (None, False)


def _is_given(payload: Mapping[str, Any], given: Mapping[str, Any], varying: Container[str]) -> bool:
    """Return true if two payloads are the same; the last digits of the columns `varying` do not count."""
    if payload.keys() != given.keys():
        return False
    return all(
        same_up_to_last_digits(value, given[name]) if name in varying else value == given[name]
        for name, value in payload.items()
    )


def _as_given(run: ReferenceRun, output: str) -> Iterator[OutputRow]:
    """Yield the rows of an output in the order in which they left; an edge's end has the origins of its start too."""
    opened: dict[FlowId, OutputRow] = {}
    for row in run.released:
        if row.output != output:
            continue
        if row.flow.opens:
            opened[row.flow.id] = row
        if row.flow.closes and row.flow.id in opened:
            sources = row.flow.sources | opened[row.flow.id].flow.sources
            yield replace(row, flow=replace(row.flow, sources=sources))
        else:
            yield row


def group_of(tracer: Tracer, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the group of a row, if it has any."""
    windows = (node for node in tracer.plain.graph.nodes if isinstance(node, WindowNode | TopKNode))
    names = {name for node in windows for name in node.group_by}
    return {name: value for name, value in payload.items() if name in names}


def _alike(run: ReferenceRun, row: OutputRow) -> list[OutputRow]:
    """Return the rows that would be in the place of `row`."""
    near = [each for each in run.outputs if each.output == row.output]
    same = [each for each in near if each.flow.id == row.flow.id]
    return same or [each for each in near if each.flow.sources & row.flow.sources]


def _describe_release(tracer: Tracer, cause: CausingCti | None, moves: Mapping[str, CtiMove]) -> list[str]:
    """Name the CTI that released the row, and the rows that brought it."""
    if cause is None:
        return ["It waited for no CTI."]
    if cause.cti == INFINITY:
        ended = [node for node, move in moves.items() if move.after == INFINITY]
        return ["It came out at the end of its inputs."] if ended else []
    node, cti = cause.input, cause.cti
    lanes = tracer.plain.streams[node].lanes or [ONLY_LANE]
    steps = [tracer.stories.reached(node, lane, cti) for lane in lanes]
    known = [step for step in steps if step is not None]
    if len(lanes) == 1 and known and known[0].at == cti:
        return [came_out_with(tracer.stories.words(known[0], tracer.times), node)]
    brought = [f"Lane {step.place[1]!r} had {tracer.stories.words(step, tracer.times)}." for step in known]
    return [came_out_with(f"the CTI {tracer.times.at(cti)}", node), *brought]


def cti_of(cti: int | None, *, ended: bool = False) -> int:
    """Return a CTI from a message: null is no CTI yet, or infinity for an input that has ended."""
    if cti is not None:
        return cti
    return INFINITY if ended else NO_CTI
