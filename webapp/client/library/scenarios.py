"""Scenarios: a sample stored with a query and its expected results, which the server runs on a version."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer
from .things import moment

ATTEMPTS: Final = 6
PAUSE_S: Final = 5.0
"""The shortest pause after the answer that too many computations are running."""
_BUSY: Final = "too_many_requests"


@dataclass(frozen=True)
class VerdictRow:
    """A row of results: ticks, a null `end` is infinity; `payload` as in JSON."""

    output: str | None
    start: int
    end: int | None
    payload: Mapping[str, Any]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Self:
        """Return the row in an answer of the API."""
        return cls(found["output"], found["start"], found["end"], found["payload"])

    @property
    def lifetime(self) -> str:
        """The output and the times, in UTC."""
        return f"{f'{self.output} ' if self.output else ''}[{time_text(self.start)}, {time_text(self.end)})"

    def __str__(self) -> str:
        return f"{self.lifetime} {_json(self.payload)}"


@dataclass(frozen=True)
class ScenarioRun:
    """The outcome of a scenario on a version.

    `ran` false: it could not be run, and `other` are the reasons. `changed` are pairs of the expected and the actual
    row with one lifetime. `other`: sentences on all but rows.
    """

    version: int | None
    holds: bool
    ran: bool
    missing: Sequence[VerdictRow]
    unexpected: Sequence[VerdictRow]
    changed: Sequence[tuple[VerdictRow, VerdictRow]]
    other: Sequence[str]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Self:
        """Return the verdict in an answer of the API."""
        findings = found["findings"]
        return cls(
            found["version"],
            findings["holds"],
            findings.get("ran", True),
            [VerdictRow.of(each) for each in findings["missing"]],
            [VerdictRow.of(each) for each in findings["unexpected"]],
            [(VerdictRow.of(each["expected"]), VerdictRow.of(each["found"])) for each in findings["changed"]],
            findings["other"],
        )

    def differences(self) -> str:
        """Return the differences, a row on each line; empty if the scenario holds."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for expected, actual in self.changed:
            names = dict.fromkeys((*expected.payload, *actual.payload))
            yield f"changed     {expected.lifetime}"
            for name in names:
                values = (_json(row.payload[name]) if name in row.payload else "no field" for row in (expected, actual))
                wanted, now = values
                if wanted != now:
                    yield f"            {name}: expected {wanted}, got {now}"
        yield from (f"missing     {row}" for row in self.missing)
        yield from (f"unexpected  {row}" for row in self.unexpected)
        yield from self.other


@dataclass(frozen=True)
class RemoteScenario:
    """A stored scenario; `rows` of its sample and `expected` rows are counts."""

    id: str
    name: str
    query: str
    rows: int
    expected: int
    _path: str = field(repr=False)
    _server: ApiServer = field(repr=False, compare=False)

    @classmethod
    def of(cls, server: ApiServer, query: str, path: str, found: Mapping[str, Any]) -> Self:
        """Return the scenario in an answer of the API; `path` leads to the scenarios of the query."""
        return cls(found["id"], found["name"], query, found["rows"], found["expected"], path, server)

    def definition(self) -> dict[str, Any]:
        """Return the whole scenario: sample, settings, expected results."""
        return dict(self._server.get(f"{self._path}{self.id}/"))

    def run(self, version: str, *, pause: Callable[[float], object] = time.sleep) -> ScenarioRun:
        """Run it on the version with this id; the server stores the verdict. A busy server is tried again."""
        for attempt in range(ATTEMPTS):
            try:
                answered = self._server.post(f"{self._path}run/", {"version": version, "only": self.id})
            except CommandFailure as failure:
                if failure.code != _BUSY or attempt == ATTEMPTS - 1:
                    raise
                pause(max(PAUSE_S, failure.retry_after_s))
                continue
            mine = [each for each in answered if each["scenario"] == self.id]
            if len(mine) != 1:
                raise CommandFailure(ExitCode.NO_SERVER, f"The server did not judge the scenario {self.name!r}.")
            return ScenarioRun.of(mine[0])
        raise AssertionError("the last attempt returns or raises")


def time_text(tick: int | None) -> str:
    """Return a tick in UTC as ISO 8601; null is `infinity`, and a time outside the calendar stays a tick."""
    at = moment(tick)
    if at is None:
        return "infinity" if tick is None else f"tick {tick}"
    return at.isoformat().replace("+00:00", "Z")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
