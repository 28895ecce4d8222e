"""Events of runs inside a runner that don't change their state; reported for the runs' journals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from streaming.runtime.carriers.carrier import FleetMember
from streaming.spark.session.memory import WorkerDeath
from streaming.wire.messages import RunIncident, RunSpec

CarriedWhere = Literal["shared", "dedicated", "pooled", "apart"]


@dataclass(frozen=True)
class FleetIncident:
    """Run `run` continues at `place`, or a worker of its query `died` (see `RunIncident`); exactly one of the two."""

    run: str
    place: CarriedWhere | None = None
    died: Literal["alone", "among", "again", "beside"] | None = None

    def to_message(self, at: int) -> RunIncident:
        """Return the message, of time `at` in ticks."""
        what: Literal["carried", "worker"] = "worker" if self.place is None else "carried"
        return RunIncident(run=self.run, at=at, what=what, place=self.place, died=self.died)


class FleetIncidents:
    """The incidents of the runs in `members`; `placed` maps a binding to its carrier. Both change while it exists."""

    def __init__(self, members: Mapping[str, FleetMember], placed: Mapping[str, str]) -> None:
        self._members = members
        self._placed = placed
        self._incidents: list[FleetIncident] = []

    def carried(self, run: str, name: str, common: Sequence[str]) -> None:
        """Add: run `run` continues in carrier `name` with its state; `common` as in `where`."""
        self._incidents.append(FleetIncident(run, where(name, common)))

    def taken(self, desired: Mapping[str, RunSpec]) -> list[FleetIncident]:
        """Return the incidents of `desired` runs since the last call."""
        for name, member in self._members.items():
            here = {each: desired[each].run for each, at in self._placed.items() if at == name and each in desired}
            self._incidents += of_deaths(member.carrier.deaths(), here)
        incidents, self._incidents = self._incidents, []
        return incidents


def where(name: str, common: Sequence[str]) -> CarriedWhere:
    """Return the kind of carrier `name`; `common` are those for all bindings: one, or the two of a pool."""
    if name not in common:
        return "dedicated"
    return "shared" if len(common) == 1 else "pooled" if name == common[0] else "apart"


def of_deaths(deaths: Mapping[str, WorkerDeath] | None, runs: Mapping[str, str]) -> list[FleetIncident]:
    """Return the incidents that `deaths` of workers mean for the `runs` of their query, by binding; None: no death."""
    if deaths is None:
        return []
    return [FleetIncident(run, died=deaths.get(binding, "beside")) for binding, run in sorted(runs.items())]
