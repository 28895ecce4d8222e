"""The engine refuses what it does not carry, with a sentence, instead of running something else."""

from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.engine.compile import compile_binding
from streaming.engine.plan import NotRunnable
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Ticks
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


def test_a_definition_that_is_carried_compiles() -> None:
    compile_with(AdvanceTime(), {})


@pytest.mark.parametrize(
    ("advance", "stream", "window", "said"),
    [
        (AdvanceTime(), {}, {"emit": "running"}, "emit running"),
        (AdvanceTime(), {}, {"grace": "1s"}, "A grace of 1s"),
        (AdvanceTime(over="k"), {}, {}, "'over'"),
        (AdvanceTime(idle_after=Ticks(1)), {}, {}, "'idle_after'"),
        (AdvanceTime(), {"shape": "edge"}, {}, "edge events"),
    ],
)
def test_what_is_not_carried_is_refused_with_a_sentence(
    advance: AdvanceTime, stream: dict[str, Any], window: dict[str, Any], said: str
) -> None:
    with pytest.raises(NotRunnable, match=said):
        compile_with(advance, stream, **window)


def test_a_definition_with_faults_is_refused_with_the_first() -> None:
    with pytest.raises(NotRunnable, match="nonsense"):
        compile_with(AdvanceTime(), {}, group_by=["nonsense"])
