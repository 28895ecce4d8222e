"""Everything that is wrong with a text: its form, its graph, its settings, and all of them together."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.advance import check_advance, in_force
from streaming.definition.binding_checks import check_binding
from streaming.definition.check import check
from streaming.definition.event_time import check_event_times, with_event_times
from streaming.definition.faults import Fault, FaultCode, Severity, Span, nearest, warning
from streaming.definition.graph import QueryGraph, UnionNode
from streaming.definition.load import is_hole, load_graph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.places import TextPlaces
from streaming.definition.sql.remedies import in_sql
from streaming.definition.sql.script import NamedField, Script
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.definition.types import Fields


@dataclass(frozen=True)
class CheckedText:
    """A text that was read and checked: all faults in the order of the text, and the fields that leave each node."""

    script: Script
    faults: tuple[Fault, ...]
    schemas: Mapping[str, Fields]


def check_sql(
    text: str,
    streams: Mapping[str, StreamDefinition],
    *,
    advance: Mapping[str, AdvanceTimeSettings] | None = None,
    own_ctis: Collection[str] | None = None,
) -> CheckedText:
    """All faults of `text` against the `streams` by name, each once and with its place; never raises.

    `advance` are settings by input node that replace those of the text, as a binding's do; `own_ctis` names the
    streams whose adapter enqueues CTIs itself (None: any may, and nothing is said of clocks). Settings that are the
    stream's own refuse no text, for a binding may have others: their faults are warnings. A fault without a place in
    the text, such as one of a whole graph, comes last.
    """
    script = parse_sql(text)
    checked = check(script.graph or script.raw, streams, complete=script.graph is not None)
    own = _of_text(script)
    found = [*_of_graph(checked.faults, script), *_of_settings(script, streams, advance or {}, own_ctis)]
    found += _of_qualifiers(script, checked.schemas, found)
    own, found = _of_groups(script, checked.schemas, own, found)
    found += _of_unions(script, checked.schemas)
    faults = (in_sql(fault, script) for fault in (*own, *_untold(found, own)))
    return CheckedText(script, _in_order(faults), checked.schemas)


def _of_text(script: Script) -> list[Fault]:
    """The faults of the text itself, without the holes that they leave in nodes where there are others."""
    said = [fault for fault in script.faults if not is_hole(fault)]
    return said or list(script.faults)


def _of_graph(faults: Iterable[Fault], script: Script) -> Iterator[Fault]:
    """What `check` found; what has no shape in the graph is a fault of the text, which tells it."""
    told = () if script.graph is not None else load_graph(script.raw).faults
    for fault in faults:
        if fault not in told:
            yield _placed(fault, script.places, fault.field)


def _of_qualifiers(script: Script, schemas: Mapping[str, Fields], found: Collection[Fault]) -> list[Fault]:
    """Fields that another source than the named one has: in the graph they stand without the name."""
    told = [fault.span for fault in found if fault.code is FaultCode.UNKNOWN_FIELD and fault.span is not None]
    return [
        _missing_field(each, schemas[each.node])
        for each in script.qualified
        if each.source and each.node in schemas and each.name not in schemas[each.node] and each.span not in told
    ]


def _of_groups(
    script: Script, schemas: Mapping[str, Fields], own: list[Fault], found: list[Fault]
) -> tuple[list[Fault], list[Fault]]:
    """The faults, so that an item that is neither a group nor an aggregate is told once.

    The text alone can say no more than that; a field that is not there at all is told as that.
    """
    for each in script.qualified:
        if each.source:
            continue
        unknown = [fault for fault in found if fault.code is FaultCode.UNKNOWN_FIELD and _is_inside(fault, each.span)]
        before = _nodes_up_to(script, each.node)
        told = [fault for fault in unknown if fault.node in before]
        # what a window gives says nothing about what it reads
        found = [fault for fault in found if fault not in unknown or fault in told]
        if each.name not in schemas.get(each.node, {each.name: None}) and not told:
            told = [_missing_field(each, schemas[each.node])]
            found += told
        if told:
            own = [fault for fault in own if fault.span != each.span]
    return own, found


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
    """UNION ALL of equal names in another order: SQL would go by places, and only where their types allow it."""
    for node in script.graph.nodes if script.graph else ():
        if not isinstance(node, UnionNode) or not all(each in schemas for each in node.inputs):
            continue
        first = schemas[node.inputs[0]]
        for index, fields in enumerate(schemas[each] for each in node.inputs):
            by_place = list(fields.values()) == list(first.values())
            if by_place and list(fields) != list(first) and set(fields) == set(first):
                path = f"inputs[{index}]"
                message = "UNION ALL goes by the names of fields, and these stand in another order than the first ones."
                remedy = f"Write them as {', '.join(first)}; to put one in the place of another, rename it with AS."
                yield _placed(warning(FaultCode.FIELDS_DIFFER, message, remedy, node=node.id), script.places, path)


def _of_settings(
    script: Script,
    streams: Mapping[str, StreamDefinition],
    binding: Mapping[str, AdvanceTimeSettings],
    own_ctis: Collection[str] | None,
) -> Iterator[Fault]:
    """The faults of time on the inputs, and of what is there of the graph together with it."""
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
        if fault.code is not FaultCode.LATE_RESULTS  # told where there are windows, by these
    ]
    together = check_binding(graph, streams, settings, None if script.graph is None else own_ctis)
    for fault in (*alone, *together):
        inside = fault.node in settings and fault.field is not None
        placed = _placed(fault, script.places, f"advance.{fault.field}" if inside else fault.field)
        of_stream = inside and fault.node not in script.advance and fault.node not in binding
        yield placed.model_copy(update={"severity": Severity.WARNING}) if of_stream else placed


def _readable(script: Script) -> QueryGraph | None:
    """The nodes that could be read of a text with faults, as a graph; None where there are none."""
    nodes = list(load_graph(script.raw).nodes)
    return QueryGraph.model_construct(version=1, name="query", nodes=nodes) if nodes else None


def _placed(fault: Fault, places: TextPlaces, path: str | None) -> Fault:
    span = places.span_of(fault.node, path, fault.at)
    return fault if span is None else fault.model_copy(update={"span": span})


_MISSING: Final = (FaultCode.LATE_NOT_SAID, FaultCode.MISSING_ARGUMENT)


def _untold(found: Iterable[Fault], of_text: Collection[Fault]) -> Iterator[Fault]:
    """The faults that those of the text do not tell: not where they stand, and nothing missing where they do."""
    told = [fault.span for fault in of_text if fault.span is not None]
    for fault in found:
        here = fault.span
        missing = here is not None and fault.code in _MISSING and any(_covers(here, each) for each in told)
        if here is None or not (missing or here in told):
            yield fault


def _covers(span: Span, other: Span) -> bool:
    return span.start <= other.start and other.end <= span.end


def _in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Each fault once, by its place."""
    once: dict[tuple[object, ...], Fault] = {}
    for fault in faults:
        place = (fault.node, fault.field, fault.at) if fault.span is None else (fault.span.start, fault.span.end)
        once.setdefault((fault.code, fault.message, *place), fault)
    return tuple(sorted(once.values(), key=_position))


def _position(fault: Fault) -> tuple[bool, int, int]:
    return (True, 0, 0) if fault.span is None else (False, fault.span.start, fault.span.end)
