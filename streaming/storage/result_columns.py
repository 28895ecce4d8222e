"""The columns of results by run: the output nodes of its query, each with its fields (name to type).

    columns/<run>.json   next to results/ and commits/; written before the first batch of the run

A commit names the run of each batch, so every committed row keeps the columns of the version that made it, also after
the binding has changed to another one.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from streaming.definition.checks.check import check
from streaming.definition.graph import InputNode, OutputNode
from streaming.storage.results import ResultFolder, blobs
from streaming.wire.messages import RunSpec

COLUMNS: Final = "columns"
Columns = Mapping[str, str]
_BY_OUTPUT: TypeAdapter[dict[str, dict[str, str]]] = TypeAdapter(dict[str, dict[str, str]])


class ColumnsByRun:
    """The columns of the output `node` by run; `current` are those of the binding's current version."""

    def __init__(self, folder: ResultFolder, node: str, current: Columns) -> None:
        self._folder = blobs(folder)
        self._node = node
        self._current = dict(current)
        self._by_run: dict[str, Columns] = {}

    def of(self, run: str | None, row: Mapping[str, Any]) -> Columns | None:
        """Return the columns of `row`, which `run` made; None where they aren't recorded. Raises `OSError`.

        Runs from before columns were recorded have those of the current version if their rows have its fields.
        """
        if run is not None and run not in self._by_run:
            recorded = read_columns(self._folder, run).get(self._node)
            if recorded is not None:
                self._by_run[run] = recorded
        known = None if run is None else self._by_run.get(run)
        if known is not None:
            return known
        return self._current if row["payload"].keys() == self._current.keys() else None


def columns_of(spec: RunSpec) -> dict[str, dict[str, str]]:
    """Return the columns of each output node of the query of `spec`."""
    nodes = spec.query.nodes
    streams = {node.stream: spec.inputs[node.id].stream for node in nodes if isinstance(node, InputNode)}
    schemas = check(spec.query, streams).schemas
    outputs = [node.id for node in nodes if isinstance(node, OutputNode) and node.id in schemas]
    return {node: {name: str(of) for name, of in schemas[node].items()} for node in outputs}


def write_columns(folder: ResultFolder, spec: RunSpec) -> None:
    """Record the columns of `spec`, unless they are recorded already. Raises `OSError`."""
    blobs(folder).create(_path(spec.run), json.dumps(columns_of(spec)).encode())


def read_columns(folder: ResultFolder, run: str) -> Mapping[str, Columns]:
    """Return the columns of `run` by output node; empty where they are missing or damaged. Raises `OSError`."""
    content = blobs(folder).read(_path(run))
    try:
        return {} if content is None else _BY_OUTPUT.validate_json(content)
    except ValidationError:
        return {}


def _path(run: str) -> str:
    return f"{COLUMNS}/{run}.json"
