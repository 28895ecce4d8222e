"""Bindings: starts and stops, results as frames, the rows that stand, and subscriptions."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Self
from urllib.parse import quote

from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer
from .frames import ResultFrame
from .subscribing import ReceivedEvent, Subscription
from .things import StandingRows, SubscriptionRow

Key = Mapping[str, object]
Moment = datetime | int | str
"""A time with its zone, ticks (microseconds since 1970), or ISO 8601."""
PAGE: Final = 500


@dataclass(frozen=True)
class RemoteBinding:
    """A binding: a version of a query with its streams. `output` may be left out if the query has only one."""

    id: str
    name: str
    query: str
    version: int
    _server: ApiServer = field(repr=False, compare=False)

    @classmethod
    def of(cls, server: ApiServer, found: Mapping[str, Any]) -> Self:
        """Return the binding in an answer of the API."""
        return cls(found["id"], found["name"], found["query_name"], found["query_version_number"], server)

    def start(self) -> str:
        """Start it; return the id of the run."""
        return str(self._server.post(f"bindings/{self.id}/start/")["id"])

    def stop(self) -> None:
        """Stop its run."""
        self._server.post(f"bindings/{self.id}/stop/")

    def results(
        self,
        output: str | None = None,
        *,
        begin: Moment | None = None,
        end: Moment | None = None,
        every_change: bool = False,
    ) -> ResultFrame:
        """Return the results of all runs whose rows start in [begin, end); read them as pandas, polars or Arrow.

        They are the rows that count after all changes, or with `every_change` each change.
        """
        wanted = {
            "format": "arrow",
            "output": output,
            "from": _written(begin),
            "to": _written(end),
            "revisions": "all" if every_change else "net",
        }
        with self._server.download(f"bindings/{self.id}/results/file/", **wanted) as transfer:
            return ResultFrame(b"".join(transfer.pieces))

    def current(
        self, output: str | None = None, *, key: Key | None = None, as_of: Moment | None = None
    ) -> StandingRows:
        """Return the rows that stand at the output's CTI, or at `as_of`; `key` selects rows by fields.

        These aren't all rows committed so far: some start later. To follow an output completely, `subscribe` without
        `after`.
        """
        path = f"{self._output(output)}/current/"
        wanted = {"key": _key(key), "as_of": _written(as_of), "limit": PAGE}
        first = page = self._server.get(path, **wanted)
        rows = [SubscriptionRow.of("row", each) for each in page["rows"]]
        while page["next"] is not None:
            page = self._server.get(path, **wanted, after=page["next"])
            rows += [SubscriptionRow.of("row", each) for each in page["rows"]]
        return StandingRows(first["as_of"], first["is_final"], first["batch"], rows)

    def subscribe(
        self, output: str | None = None, *, key: Key | None = None, after: str | None = None
    ) -> AsyncGenerator[SubscriptionRow]:
        """Yield each committed row once, of this run and later ones, without an end; connects again after a cut.

        `after`: a row's id, an event's cursor, `StandingRows.cursor`, or "newest" for later batches only; None for all
        rows. Raises `ResultsChanged` if the rows received before don't count any more, or if rows are missing.
        """
        return self._subscription(output, key, after).rows()

    def events(
        self, output: str | None = None, *, key: Key | None = None, after: str | None = None
    ) -> AsyncGenerator[ReceivedEvent]:
        """Yield every event of the stream: rows, ends of batches with the CTI, starts without state."""
        return self._subscription(output, key, after).events()

    def _subscription(self, output: str | None, key: Key | None, after: str | None) -> Subscription:
        return Subscription(self._server, f"{self._output(output)}/stream/", _key(key), after)

    def _output(self, output: str | None) -> str:
        name = self._only_output() if output is None else output
        return f"bindings/{self.id}/outputs/{quote(name, safe='')}"

    def _only_output(self) -> str:
        run = self._server.get(f"bindings/{self.id}/")["latest_run"]
        if run is None:
            raise CommandFailure(ExitCode.NOT_THERE, f"The binding {self.name} was never started.")
        nodes = self._server.get(f"runs/{run['id']}/definition/")["graph"]["nodes"]
        outputs = [str(node["id"]) for node in nodes if node["kind"] == "output"]
        if len(outputs) != 1:
            raise CommandFailure(ExitCode.USAGE, f"Pass one of the outputs of {self.name}: {', '.join(outputs)}.")
        return outputs[0]


def _key(key: Key | None) -> list[str]:
    return [name if value is None else f"{name}:{_value(value)}" for name, value in (key or {}).items()]


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(_written(value))


def _written(at: Any) -> str | None:
    if at is None or not isinstance(at, datetime):
        return None if at is None else str(at)
    if at.tzinfo is None:
        raise CommandFailure(ExitCode.USAGE, f"The time {at} has no zone. Pass one with a zone, for example UTC.")
    return at.isoformat()
