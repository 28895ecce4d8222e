"""The requests of a simulation: the query is checked, the sample is read, the server simulates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..outcomes import CommandFailure, ExitCode
from ..output.faults import is_error
from ..server import ApiServer
from ..work import everything
from .frames import to_json
from .samples import RowReader, SampleEnd, SampleReader
from .scenarios import RemoteScenario
from .simulations import SimulationResult

Definitions = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class SimulationOptions:
    """The stream of rows without one; the end; settings of time by input; streams that replace stored ones by name."""

    stream: str | None = None
    end: SampleEnd | None = None
    advance: Definitions = field(default_factory=dict)
    streams: Definitions = field(default_factory=dict)


@dataclass(frozen=True)
class QueryWithSample:
    """A valid query with its sample: the body of the API's requests about both, and the types of fields by node."""

    body: dict[str, Any]
    types: Definitions

    def send(self, server: ApiServer, path: str, **more: Any) -> Any:
        """Send it to `path`, with further fields, and return the answer. Raises `CommandFailure`."""
        return send_json(server, path, {**self.body, **more})


def simulate(server: ApiServer, query: Mapping[str, Any], sample: Any, options: SimulationOptions) -> SimulationResult:
    """Run `query` (its `text` or its `graph`) on a sample and return everything that happened.

    Raises `CommandFailure` with all errors of the query, of the settings or of the sample.
    """
    sampled = sampled_query(server, query, sample, options)
    return SimulationResult.of(sampled.send(server, "queries/simulate/"), sampled.types)


def sampled_query(
    server: ApiServer, query: Mapping[str, Any], sample: Any, options: SimulationOptions
) -> QueryWithSample:
    """Check `query` and read its sample. Raises `CommandFailure` with all errors of the query."""
    checked = send_json(server, "queries/validate/", {**query, "streams": options.streams})
    errors = [each for each in checked["faults"] if is_error(each)]
    if errors or checked["graph"] is None:
        raise CommandFailure(ExitCode.REFUSED, "The query can't be simulated. Fix its errors.", faults=errors)
    end, advance = options.end or "flush", options.advance
    if isinstance(sample, RemoteScenario):
        stored = sample.definition()
        rows, end = stored["sample"]["rows"], options.end or stored["sample"]["end"]
        advance = {**stored["advance"], **advance}
    else:
        rows = SampleReader(_readers(server, checked, options.streams), options.stream).sample_rows(sample)
    body = {**query, "streams": options.streams, "advance": advance, "sample": {"rows": rows, "end": end}}
    return QueryWithSample(body, checked["schemas"])


def _readers(server: ApiServer, checked: Mapping[str, Any], own: Definitions) -> dict[str, RowReader]:
    """Return the readers of the query's streams by name."""
    inputs = [node for node in checked["graph"]["nodes"] if node["kind"] == "input"]
    timed = {node["stream"] for node in inputs if node["id"] in checked["event_times"]}
    names = list(dict.fromkeys(node["stream"] for node in inputs))
    ids = {each["name"]: each["id"] for each in everything(server, "streams")} if set(names) - own.keys() else {}
    found = {}
    for name in names:
        definition = own[name] if name in own else server.get(f"streams/{ids[name]}/")["definition"]
        found[name] = RowReader.of(name, definition, is_timed_by_query=name in timed)
    return found


def send_json(server: ApiServer, path: str, body: Mapping[str, Any]) -> Any:
    """Send `body`, which may have times and dates, to `path` and return the answer. Raises `CommandFailure`."""
    return server.send(path, to_json(body).encode(), {"Content-Type": "application/json"})
