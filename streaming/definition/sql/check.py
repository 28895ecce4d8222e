"""All faults of a text: of its syntax, its graph, its settings, and their combination."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.checks.advance import check_advance, in_force
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.faults import Fault, FaultCode, Severity, Span, nearest, warning
from streaming.definition.graph import QueryGraph, UnionNode
from streaming.definition.load import is_hole, load_graph
from streaming.definition.own_functions.modules import Modules
from streaming.definition.payload.types import Fields
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.places import TextPlaces
from streaming.definition.sql.remedies import in_sql
from streaming.definition.sql.script import NamedField, Script
from streaming.definition.streams.event_time import check_event_times, with_event_times
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition


@dataclass(frozen=True)
class CheckedText:
    """A checked text: all faults in the order of the text, and the output fields of each node."""

    script: Script
    faults: tuple[Fault, ...]
    schemas: Mapping[str, Fields]


def check_sql(
    text: str,
    streams: Mapping[str, StreamDefinition],
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    own_ctis: Collection[str] | None = None,
    modules: Modules | None = None,
) -> CheckedText:
    """Return all faults of `text`, checked against the `streams` by name, each once and with its place; never raises.

    `advance` are settings by input node that replace those of the text, as a binding's do; `own_ctis` names the
    streams whose adapter enqueues CTIs itself (None: any may, and clocks are not checked). Faults in settings of the
    stream itself are warnings, because a binding may replace these settings. A fault without a place in
    the text, for example one of the whole graph, comes last. `modules` as in `check`.
    """
    script = parse_sql(text)
    checked = check(script.graph or script.raw, streams, complete=script.graph is not None, modules=modules)
    own = _of_text(script)
    others = [*_of_graph(checked.faults, script), *_of_settings(script, streams, advance or {}, own_ctis)]
    others += _of_qualifiers(script, checked.schemas, others)
    own, others = _of_groups(script, checked.schemas, own, others)
    others += _of_unions(script, checked.schemas)
    faults = (in_sql(fault, script) for fault in (*own, *_not_covered(others, own)))
    return CheckedText(script, _in_order(faults), checked.schemas)


def _of_text(script: Script) -> list[Fault]:
    """Return the faults of the text itself, without the missing values that they cause, if there are others."""
    real = [fault for fault in script.faults if not is_hole(fault)]
    return real or list(script.faults)


def _of_graph(faults: Iterable[Fault], script: Script) -> Iterator[Fault]:
    """Yield the faults of `check`, without shape errors, which the faults of the text already report."""
    reported = () if script.graph is not None else load_graph(script.raw).faults
    for fault in faults:
        if fault not in reported:
            yield _placed(fault, script.places, fault.field)


def _of_qualifiers(script: Script, schemas: Mapping[str, Fields], others: Collection[Fault]) -> list[Fault]:
    """Return faults of qualified fields that exist only in another source; the graph has no qualifiers to check."""
    reported = [fault.span for fault in others if fault.code is FaultCode.UNKNOWN_FIELD and fault.span is not None]
    return [
        _missing_field(each, schemas[each.node])
        for each in script.qualified
        if each.source and each.node in schemas and each.name not in schemas[each.node] and each.span not in reported
    ]


def _of_groups(
    script: Script, schemas: Mapping[str, Fields], own: list[Fault], others: list[Fault]
) -> tuple[list[Fault], list[Fault]]:
    """Return both lists so that an item that is neither a group nor an aggregate is reported once.

    If its field does not exist at all, that is reported instead.
    """
    for each in script.qualified:
        if each.source:
            continue
        unknown = [fault for fault in others if fault.code is FaultCode.UNKNOWN_FIELD and _is_inside(fault, each.span)]
        before = _nodes_up_to(script, each.node)
        missing = [fault for fault in unknown if fault.node in before]
        # an unknown field after the window does not mean that the window's input lacks it
        others = [fault for fault in others if fault not in unknown or fault in missing]
        if each.name not in schemas.get(each.node, {each.name: None}) and not missing:
            missing = [_missing_field(each, schemas[each.node])]
            others += missing
        if missing:
            own = [fault for fault in own if fault.span != each.span]
    return own, others


def _nodes_up_to(script: Script, last: str) -> set[str]:
    nodes = script.raw["nodes"]
    ids = [str(node["id"]) for node in nodes] if isinstance(nodes, list) else []
    return set(ids[: ids.index(last) + 1] if last in ids else ())


def _is_inside(fault: Fault, span: Span) -> bool:
    return fault.span is not None and _covers(span, fault.span)


def _missing_field(named: NamedField, fields: Fields) -> Fault:
    of, where = (f" of {named.source}", f" in '{named.source}'") if named.source else ("", "")
    remedy = f"The fields{of} are {', '.join(fields)}."
    return Fault(
        code=FaultCode.UNKNOWN_FIELD,
        severity=Severity.ERROR,
        node=None,
        field=None,
        message=f"There is no field '{named.name}'{where}.",
        remedy=remedy if named.source else nearest(named.name, fields, remedy),
        span=named.span,
    )


def _of_unions(script: Script, schemas: Mapping[str, Fields]) -> Iterator[Fault]:
    """Yield warnings about UNION ALL of equal names in another order, where SQL would match by position instead."""
    for node in script.graph.nodes if script.graph else ():
        if not isinstance(node, UnionNode) or not all(each in schemas for each in node.inputs):
            continue
        first = schemas[node.inputs[0]]
        for index, fields in enumerate(schemas[each] for each in node.inputs):
            by_place = list(fields.values()) == list(first.values())
            if by_place and list(fields) != list(first) and set(fields) == set(first):
                path = f"inputs[{index}]"
                message = "UNION ALL matches fields by name, and this branch has them in another order than the first."
                remedy = f"Write them as {', '.join(first)}. To match fields of different names, rename one with AS."
                yield _placed(warning(FaultCode.FIELDS_DIFFER, message, remedy, node=node.id), script.places, path)


def _of_settings(
    script: Script,
    streams: Mapping[str, StreamDefinition],
    binding: Mapping[str, AdvanceTimeSettings],
    own_ctis: Collection[str] | None,
) -> Iterator[Fault]:
    """Yield the faults of the time settings of inputs, alone and together with the readable part of the graph."""
    graph = script.graph or _readable(script)
    if graph is None:
        return
    for fault in check_event_times(graph, streams, script.event_times):
        yield _placed(fault, script.places, fault.field)
    settings = in_force(graph, streams, {**script.advance, **binding})
    read = with_event_times(graph, streams, script.event_times)
    alone = [
        fault.model_copy(update={"node": name})
        for name, each in settings.items()
        for fault in check_advance(each, read[name], adapter_sends_ctis=True)
        if fault.code is not FaultCode.LATE_RESULTS  # reported by the windows that it affects
    ]
    together = check_binding(graph, streams, settings, None if script.graph is None else own_ctis)
    for fault in (*alone, *together):
        inside = fault.node in settings and fault.field is not None
        placed = _placed(fault, script.places, f"advance.{fault.field}" if inside else fault.field)
        of_stream = inside and fault.node not in script.advance and fault.node not in binding
        yield placed.model_copy(update={"severity": Severity.WARNING}) if of_stream else placed


def _readable(script: Script) -> QueryGraph | None:
    """Return the readable nodes of a faulty text as a graph; None without any."""
    loaded = load_graph(script.raw)
    nodes, functions = list(loaded.nodes), list(loaded.functions)
    return QueryGraph.model_construct(version=1, name="query", functions=functions, nodes=nodes) if nodes else None


def _placed(fault: Fault, places: TextPlaces, path: str | None) -> Fault:
    span = places.span_of(fault.node, path, fault.at)
    return fault if span is None else fault.model_copy(update={"span": span})


_MISSING: Final = (FaultCode.LATE_NOT_SAID, FaultCode.MISSING_ARGUMENT)


def _not_covered(others: Iterable[Fault], of_text: Collection[Fault]) -> Iterator[Fault]:
    """Yield the faults not already covered by one of the text at the same place or, for a missing value, inside it."""
    reported = [fault.span for fault in of_text if fault.span is not None]
    for fault in others:
        here = fault.span
        missing = here is not None and fault.code in _MISSING and any(_covers(here, each) for each in reported)
        if here is None or not (missing or here in reported):
            yield fault


def _covers(span: Span, other: Span) -> bool:
    return span.start <= other.start and other.end <= span.end


def _in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return each fault once, ordered by its place."""
    once: dict[tuple[object, ...], Fault] = {}
    for fault in faults:
        place = (fault.node, fault.field, fault.at) if fault.span is None else (fault.span.start, fault.span.end)
        once.setdefault((fault.code, fault.message, *place), fault)
    return tuple(sorted(once.values(), key=_position))


def _position(fault: Fault) -> tuple[bool, int, int]:
    return (True, 0, 0) if fault.span is None else (False, fault.span.start, fault.span.end)
