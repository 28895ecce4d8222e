"""What happens to runs inside of a runner that moves them to no other state: told so that their journals have it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from streaming.runtime.carriers import FleetMember
from streaming.spark.memory import WorkerDeath
from streaming.wire.messages import RunIncident, RunSpec

CarriedWhere = Literal["shared", "dedicated", "pooled", "apart"]


@dataclass(frozen=True)
class FleetIncident:
    """Run `run` goes on at `place`, or a worker of its query `died`, as `RunIncident` has it; one of the two."""

    run: str
    place: CarriedWhere | None = None
    died: Literal["alone", "among", "again", "beside"] | None = None

    def told(self, at: int) -> RunIncident:
        """The message, of time `at` in ticks."""
        what: Literal["carried", "worker"] = "worker" if self.place is None else "carried"
        return RunIncident(run=self.run, at=at, what=what, place=self.place, died=self.died)


class FleetIncidents:
    """Those of the runs that `members` carry, where they are `placed` by binding; both change under way."""

    def __init__(self, members: Mapping[str, FleetMember], placed: Mapping[str, str]) -> None:
        self._members = members
        self._placed = placed
        self._found: list[FleetIncident] = []

    def carried(self, run: str, name: str, common: Sequence[str]) -> None:
        """Run `run` goes on in carrier `name` with what it keeps; `common` as `where` has it."""
        self._found.append(FleetIncident(run, where(name, common)))

    def taken(self, desired: Mapping[str, RunSpec]) -> list[FleetIncident]:
        """What happened to runs that are `desired` since it was asked last."""
        for name, member in self._members.items():
            here = {each: desired[each].run for each, at in self._placed.items() if at == name and each in desired}
            self._found += of_deaths(member.carrier.deaths(), here)
        found, self._found = self._found, []
        return found


def where(name: str, common: Sequence[str]) -> CarriedWhere:
    """What carrier `name` is to a run; `common` are those for all: one, or the two of a pool."""
    if name not in common:
        return "dedicated"
    return "shared" if len(common) == 1 else "pooled" if name == common[0] else "apart"


def of_deaths(deaths: Mapping[str, WorkerDeath] | None, runs: Mapping[str, str]) -> list[FleetIncident]:
    """What the `deaths` of workers of a query are to each of its `runs` by binding; None: none has died."""
    if deaths is None:
        return []
    return [FleetIncident(run, died=deaths.get(binding, "beside")) for binding, run in sorted(runs.items())]
