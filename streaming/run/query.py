"""The query of a run: text or graph, from a file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from streaming.definition.faults import Fault
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.load import load_graph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.script import Script
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.run.errors import InputUnreadable, UsageError
from streaming.wire.yaml_data import YamlError, yaml_data


@dataclass(frozen=True)
class QueryFile:
    """The content of a file: `raw` is decoded JSON for `check`; a text has a `script` with its settings."""

    path: Path
    raw: object
    script: Script | None = None

    @property
    def graph(self) -> QueryGraph | None:
        """Return the graph, None if it has errors of form."""
        if self.script is not None:
            return self.script.graph
        try:
            return QueryGraph.model_validate(self.raw)
        except ValidationError:
            return None

    @property
    def inputs(self) -> dict[str, str]:
        """Return the stream of each readable input node, by its id."""
        return {node.id: node.stream for node in load_graph(self.raw).nodes if isinstance(node, InputNode)}

    @property
    def advance(self) -> Mapping[str, AdvanceTimeSettings]:
        """Return the settings of ADVANCE TIME in the text, by input node."""
        return {} if self.script is None else self.script.advance

    @property
    def event_times(self) -> Mapping[str, EventTimeBy]:
        """Return the EVENTTIME BY of the text, by input node."""
        return {} if self.script is None else self.script.event_times

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return the errors of the text alone."""
        return () if self.script is None else self.script.faults


def read_text(path: Path) -> str:
    """Return the text of a file of the command line. Raises `InputUnreadable`."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputUnreadable(f"{path} is not UTF-8 text ({error.reason} at byte {error.start}).") from None
    except OSError as error:
        raise InputUnreadable(f"{path} cannot be read ({error.strerror}).") from None


def read_yaml(path: Path) -> object:
    """Return the data of a YAML file. Raises `InputUnreadable`."""
    try:
        return yaml_data(read_text(path))
    except YamlError as error:
        raise InputUnreadable(f"{path} is not YAML: {error}") from None


def load_query(path: Path) -> QueryFile:
    """Read the query in `path`: text (.sql) or a graph (.json, .yaml). Raises `InputUnreadable` and `UsageError`."""
    suffix = path.suffix.lower()
    if suffix == ".sql":
        script = parse_sql(read_text(path))
        return QueryFile(path, script.raw, script)
    if suffix == ".json":
        try:
            return QueryFile(path, json.loads(read_text(path)))
        except (ValueError, RecursionError) as error:
            raise InputUnreadable(f"{path} is not JSON: {error}.") from None
    if suffix in (".yaml", ".yml"):
        return QueryFile(path, read_yaml(path))
    raise UsageError(f"{path}: a query is a .sql text, or a graph in .json or .yaml.")
