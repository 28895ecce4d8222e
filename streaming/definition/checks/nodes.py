"""The check of each kind of node: its faults and its output fields."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.findings import CheckFindings, sentence, sound
from streaming.definition.checks.grouping import check_top_k, check_windowed
from streaming.definition.checks.history import check_history
from streaming.definition.checks.joins import check_clip, check_filtering, check_pairing, check_union
from streaming.definition.checks.lifetimes import check_chop, check_extend, check_set_duration, check_shift
from streaming.definition.checks.rows.analytic import check_analytic
from streaming.definition.checks.rows.sequences import check_match_recognize
from streaming.definition.checks.tables import check_table
from streaming.definition.checks.wiring import RESERVED_PREFIX
from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ChopNode,
    ClipNode,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.definition.payload.type_text import TypeTextError, parse_type
from streaming.definition.payload.types import Fields, Null, Type
from streaming.definition.sequences.node import MatchRecognizeNode


def check_node(node: Node, findings: CheckFindings) -> None:
    """Check `node` after its inputs; if their fields are unknown, only the parts that don't need fields are checked."""
    fields = _CHECKS[type(node)](node, findings)
    if fields is not None:
        findings.schemas[node.id] = fields


def check_duplicate(node: Node, findings: CheckFindings) -> None:
    """Check a `node` with the id of an earlier node; the recorded fields of that id stay those of the earlier node."""
    _CHECKS[type(node)](node, findings)


def check_fields(fields: Mapping[str, str], *, node: str | None = None) -> tuple[Fault, ...]:
    """Return the faults of a stream's schema: unreadable types, reserved names."""
    faults = []
    for name, text in fields.items():
        path = f"stream.fields.{name}"
        if name.startswith(RESERVED_PREFIX):
            message = f"The field {name!r} starts with 'pane_', which is reserved for the pane columns of results."
            remedy = "Choose another name for it in the stream."
            faults.append(error(FaultCode.RESERVED_NAME, message, remedy, node=node, field=path))
        try:
            parse_type(text)
        except TypeTextError as wrong:
            message, _, remedy = str(wrong).partition("; ")
            faults.append(error(FaultCode.BAD_SCHEMA, f"{message}.", sentence(remedy), node=node, field=path))
    return tuple(faults)


def _check_input(node: InputNode, findings: CheckFindings) -> Fields | None:
    stream = findings.streams.get(node.stream)
    if stream is None:
        message = f"There is no stream {node.stream!r}."
        remedy = nearest(node.stream, findings.streams, "Create the stream, or write the name of an existing one.")
        findings.refuse(FaultCode.UNKNOWN_STREAM, message, remedy, node.id, "stream")
        return None
    faults = check_fields(stream.fields, node=node.id)
    findings.faults.extend((*faults, *check_table(stream, node=node.id), *check_history(stream, node=node.id)))
    return None if faults else {name: parse_type(text) for name, text in stream.fields.items()}


def _check_filter(node: FilterNode, findings: CheckFindings) -> Fields | None:
    fields = findings.schemas.get(node.input)
    findings.condition(node.where, fields, node.id, "where")
    return fields


def _check_project(node: ProjectNode, findings: CheckFindings) -> Fields | None:
    fields = findings.schemas.get(node.input)
    findings.names([column.name for column in node.columns], node.id, "columns")
    types: dict[str, Type | None] = {}
    for index, column in enumerate(node.columns):
        path = f"columns[{index}].of"
        of = findings.type_of(column.of, fields, node.id, path)
        if isinstance(of, Null):
            message = f"Column {column.name!r} is always null and has no type."
            findings.refuse(
                FaultCode.TYPE_MISMATCH, message, "Give it a type, for example cast(null as long).", node.id, path
            )
            of = None
        types[column.name] = of
    return sound(types)


def _same_fields(
    node: PointAtEndNode | ToIntervalsNode | OrderEdgesNode | StitchNode | OutputNode, findings: CheckFindings
) -> Fields | None:
    return findings.schemas.get(node.input)


_CHECKS: Final[Mapping[type[Any], Callable[[Any, CheckFindings], Fields | None]]] = {
    InputNode: _check_input,
    FilterNode: _check_filter,
    ProjectNode: _check_project,
    ShiftNode: check_shift,
    SetDurationNode: check_set_duration,
    ExtendNode: check_extend,
    ClipNode: check_clip,
    PointAtEndNode: _same_fields,
    ToIntervalsNode: _same_fields,
    OrderEdgesNode: _same_fields,
    ChopNode: check_chop,
    StitchNode: _same_fields,
    UnionNode: check_union,
    JoinNode: check_pairing,
    AntiJoinNode: check_filtering,
    SemiJoinNode: check_filtering,
    AsofJoinNode: check_pairing,
    WindowNode: check_windowed,
    TopKNode: check_top_k,
    MatchRecognizeNode: check_match_recognize,
    AnalyticNode: check_analytic,
    OutputNode: _same_fields,
}
