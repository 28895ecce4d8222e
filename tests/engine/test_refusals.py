"""The engine refuses a definition with errors, with a sentence, instead of running something else."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.compile import compile_binding
from streaming.planning.plan import NotRunnable
from streaming.temporal.settings import AdvanceTime
from tests.engine.scenes import FIELDS


def compile_with(advance: AdvanceTime, stream: dict[str, Any], **window: Any) -> None:
    count = {"name": "n", "function": "count"}
    sizes = {"kind": "tumbling", "size": 10}
    nodes: list[dict[str, Any]] = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "w", "kind": "window", "input": "s", "window": sizes, "aggregates": [count]} | window,
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "refused", "nodes": nodes})
    streams = {"s": StreamDefinition.model_validate({"fields": FIELDS} | stream)}
    compile_binding(graph, streams, {"s": advance}, 1)


def test_a_sound_definition_compiles() -> None:
    compile_with(AdvanceTime(), {})


def test_a_definition_with_errors_is_refused_with_the_first() -> None:
    with pytest.raises(NotRunnable, match="nonsense"):
        compile_with(AdvanceTime(), {}, group_by=["nonsense"])
