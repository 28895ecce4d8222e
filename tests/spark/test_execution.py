"""What the front door of Spark refuses before Spark is started."""

from pathlib import Path

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.spark import execution
from streaming.wire.case import Case, CaseRow
from streaming.wire.case_execution import execution_of
from streaming.wire.execution import ExecutionError

GRAPH = QueryGraph.model_validate_json(
    '{"version": 1, "name": "q", "nodes": [{"id": "s", "kind": "input", "stream": "s"},'
    ' {"id": "out", "kind": "output", "input": "s"}]}'
)


def test_more_rows_than_are_handed_over_one_by_one_are_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple(CaseRow("s", "0", 0, {"start": at}) for at in range(3))
    case = Case("many", GRAPH, {"s": StreamDefinition(fields={})}, rows)
    execution.spec_of(execution_of(case), "fits", tmp_path, tmp_path)
    monkeypatch.setattr(execution, "MOST_BYTES", 10)
    with pytest.raises(ExecutionError, match=r"The input s has more than .* Give them as CSV or Parquet"):
        execution.spec_of(execution_of(case), "many", tmp_path, tmp_path)
