"""Checking graphs against the organisation's streams."""

from collections.abc import Mapping
from typing import Any

from streaming.definition.carried import not_carried
from streaming.definition.check import check
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import QueryGraph
from webapp.core.errors import Faulty
from webapp.streams.access import stream_definitions


def check_graph(graph: Mapping[str, Any]) -> tuple[list[Fault], dict[str, dict[str, str]]]:
    """Return all faults of `graph`, warnings too, and the type of each field that leaves each sound node, as text."""

    checked = check(graph, stream_definitions())
    schemas = {node: {name: str(type_) for name, type_ in fields.items()} for node, fields in checked.schemas.items()}
    return list(checked.faults), schemas


def foresee(graph: Mapping[str, Any], faults: list[Fault]) -> list[Fault]:
    """Return as warnings what would refuse a start of `graph`, which has the `faults`; it may be saved all the same."""
    if any(fault.severity is Severity.ERROR for fault in faults):
        return []
    refusing = not_carried(QueryGraph.model_validate(graph), stream_definitions(), {})
    return [fault.model_copy(update={"severity": Severity.WARNING}) for fault in refusing]


def sound_graph(graph: Mapping[str, Any]) -> QueryGraph:
    """Return `graph` validated. Raises `Faulty` with all faults if any is an error."""
    faults, _ = check_graph(graph)
    if any(fault.severity is Severity.ERROR for fault in faults):
        raise Faulty(faults)
    return QueryGraph.model_validate(graph)
