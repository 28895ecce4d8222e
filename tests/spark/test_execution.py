"""Inputs that the Spark executor refuses before Spark starts."""

import errno
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.spark import execution
from streaming.wire.execution.case import Case, CaseRow
from streaming.wire.execution.case_execution import CaseSink, execution_of
from streaming.wire.execution.interface import ExecutionError

GRAPH = QueryGraph.model_validate_json(
    '{"version": 1, "name": "q", "nodes": [{"id": "s", "kind": "input", "stream": "s"},'
    ' {"id": "out", "kind": "output", "input": "s"}]}'
)


def test_too_many_in_memory_rows_are_refused_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(CaseRow("s", "0", 0, {"start": at}) for at in range(3))
    case = Case("many", GRAPH, {"s": StreamDefinition(fields={})}, rows)
    execution.spec_of(execution_of(case), "fits", tmp_path, tmp_path)
    monkeypatch.setattr(execution, "MOST_BYTES", 10)
    with pytest.raises(ExecutionError, match=r"The input s has more than .* Provide them as CSV or Parquet"):
        execution.spec_of(execution_of(case), "many", tmp_path, tmp_path)


def test_a_task_that_still_writes_does_not_cost_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("one", GRAPH, {"s": StreamDefinition(fields={})}, ())

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr(execution, "_session", lambda *_: nullcontext())
    monkeypatch.setattr(execution, "_in_one_carrier", lambda *_: [{}])
    monkeypatch.setattr(os, "rmdir", refuse)
    assert execution.execute_together([(execution_of(case), CaseSink(case))]) == [{}]
