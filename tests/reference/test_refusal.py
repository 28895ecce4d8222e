"""A definition with errors is not run: the refusal carries them."""

import pytest

from streaming.definition.checks.check import check
from streaming.definition.faults import Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import InvalidDefinition
from streaming.reference.executor import ReferenceRun

STREAMS = {"s": StreamDefinition.model_validate({"fields": {"v": "long"}})}


def graph(where: str) -> QueryGraph:
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "f", "kind": "filter", "input": "s", "where": where},
        {"id": "g", "kind": "filter", "input": "f", "where": where},
        {"id": "out", "kind": "output", "input": "g"},
    ]
    return QueryGraph.model_validate({"version": 1, "name": "refused", "nodes": nodes})


def test_a_definition_with_errors_is_refused_with_all_of_them() -> None:
    with pytest.raises(InvalidDefinition) as raised:
        ReferenceRun(graph("nothing > 1"), STREAMS, {})
    refused = raised.value
    assert [(fault.node, fault.severity) for fault in refused.faults] == [("f", Severity.ERROR), ("g", Severity.ERROR)]
    first, second = refused.faults
    assert str(refused) == f"f: {first.message} {first.remedy}; g: {second.message} {second.remedy}"
    assert "nothing" in first.message


def test_warnings_refuse_nothing() -> None:
    dead = {"id": "dead", "kind": "filter", "input": "s", "where": "true"}
    raw = graph("v > 1").model_dump()
    warned = QueryGraph.model_validate(raw | {"nodes": [*raw["nodes"], dead]})
    assert [(fault.node, fault.severity) for fault in check(warned, STREAMS).faults] == [("dead", Severity.WARNING)]
    assert ReferenceRun(warned, STREAMS, {}).outputs == []
