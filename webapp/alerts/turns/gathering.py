"""The facts about all bindings of the organisation in context, as they are now: the only reader of other rooms' states.

Every function makes a constant number of database queries, however many bindings there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import redis
from django.db.models import F, Max, OuterRef, Subquery

from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.freshness import Freshness
from webapp.accounts.limits.quotas import usages
from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.facts import AlertFacts, DeliveryFacts
from webapp.alerts.rules.minutes import MINUTE
from webapp.core.context import current_organisation
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.lifecycle.liveness import Liveness, read_lease
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding, InputFootprint, Run, VersionChange
from webapp.runs.outputs.deliveries import read_deliveries
from webapp.runs.states import CARRIED, Desired, Observed
from webapp.scenarios.models import ScenarioVerdict

RESTARTS: Final = 3
"""The number of restarts that are remembered: as many as the highest limit counts."""
_KEPT: Final = frozenset(
    {
        "result_bytes",
        "quarantine_bytes",
        "file_bytes",
        "disk_bytes",
        "streams",
        "queries",
        "query_versions",
        "boards",
        "board_versions",
        "scenarios",
    }
)
"""Quotas of kept things; the others limit rates, or people and runs at a time, and may well be used up."""
_BINDING_FIELDS: Final = ("pk", "freshness", "completeness", "freshness_level", "query_version_id")
_RUN_FIELDS: Final = (
    "pk",
    "binding_id",
    "desired",
    "observed",
    "domain",
    "failures",
    "created_at",
    "changed_at",
    "ended_at",
    "progress__held_back",
    "progress__failed",
)


@dataclass(frozen=True)
class Surroundings:
    """The states that all bindings share, or that are found for all of them at once."""

    at: int
    previous: int
    alive: Liveness
    deliveries: Mapping[str, DeliveryFacts] | None
    changing: frozenset[UUID]
    slots: Mapping[UUID, int | None]
    red: Mapping[UUID, tuple[str, ...]]


def gather(
    connection: "redis.Redis", at: int, previous: int, before: Mapping[UUID, AlertFacts]
) -> dict[UUID, AlertFacts]:
    """Return the facts about each binding at tick `at`; `before` are those of the turn at tick `previous`."""
    surroundings = _surroundings(connection, at, previous)
    runs = {run["binding_id"]: run for run in _newest_runs()}
    return {
        binding["pk"]: _facts(binding, runs.get(binding["pk"]), before.get(binding["pk"], AlertFacts()), surroundings)
        for binding in Binding.objects.order_by("pk").values(*_BINDING_FIELDS)
    }


def gather_of_organisation() -> AlertFacts:
    """Return the facts about the organisation: the fullest quota of what it keeps."""
    kept = [each for each in usages() if each.quota.name in _KEPT]
    fullest = max(kept, key=lambda each: each.used / each.limit if each.limit else 0.0)
    share = fullest.used / fullest.limit if fullest.limit else 0.0
    rounded = round(share, 2)  # otherwise each turn would be a change
    return AlertFacts(quota=f"{fullest.quota.title}: {fullest.quota.remedy}." if rounded else "", quota_share=rounded)


def _surroundings(connection: "redis.Redis", at: int, previous: int) -> Surroundings:
    organisation = str(current_organisation())
    try:
        alive = read_lease(connection.get(keys.lease(organisation)))
        deliveries = _worst_deliveries(read_deliveries(connection))
    except redis.exceptions.RedisError:
        alive, deliveries = Liveness(None, asked=False), None
    changes = VersionChange.objects.filter(ended_at__isnull=True).values_list("binding_id", flat=True)
    slots = InputFootprint.objects.order_by().values_list("binding").annotate(most=Max("kept_bytes"))
    return Surroundings(at, previous, alive, deliveries, frozenset(changes), dict(slots), _red())


def _newest_runs() -> Any:
    own = Run.objects.filter(binding=OuterRef("pk")).order_by(*NEWEST_FIRST)
    newest = Binding.objects.order_by().annotate(newest=Subquery(own.values("pk")[:1])).values("newest")
    return Run.objects.order_by().filter(pk__in=newest).values(*_RUN_FIELDS)


def _red() -> dict[UUID, tuple[str, ...]]:
    """Return by version the names of the scenarios that differ on it, unless they were changed since."""
    verdicts = ScenarioVerdict.objects.filter(holds=False, ran_at__gte=F("scenario__changed_at"))
    bound = verdicts.filter(version__bindings__isnull=False).order_by("scenario__name").distinct()
    found: dict[UUID, list[str]] = {}
    for version, name in bound.values_list("version_id", "scenario__name"):
        found.setdefault(version, []).append(name)
    return {version: tuple(names) for version, names in found.items()}


def _facts(
    binding: Mapping[str, Any], run: Mapping[str, Any] | None, before: AlertFacts, now: Surroundings
) -> AlertFacts:
    """Return the facts about a binding; the start of a lasting state is taken from `before`."""
    pk: UUID = binding["pk"]
    shared = AlertFacts(
        runner_known=now.alive.asked,
        restarts=before.restarts,
        deliveries=None if now.deliveries is None else now.deliveries.get(str(pk), DeliveryFacts()),
        slot_bytes=now.slots.get(pk) or 0,
        red=now.red.get(binding["query_version_id"], ()),
        freshness_s=Freshness(binding["freshness"]).ticks / TICKS_PER_S,
        completeness=binding["completeness"],
        **_freshness_level(binding["freshness_level"]),
        rows_gap_s=before.rows_gap_s,
        cti_step_s=before.cti_step_s,
    )
    if run is None:
        return shared
    changed, is_open = ticks_of(run["changed_at"]), run["ended_at"] is None
    wanted = is_open and run["desired"] == Desired.RUNNING
    lost = _lost_since(run, before, now) if is_open else None
    failed = _failure(run, wanted=wanted)
    limited = wanted and run["observed"] == Observed.RUNNING and run["progress__held_back"] is not None
    return replace(
        shared,
        run=str(run["pk"]),
        run_since=ticks_of(run["created_at"]),
        open=is_open,
        wanted=wanted,
        away_since=_lasting(wanted and run["observed"] != Observed.RUNNING, before.away_since, changed),
        failed=failed,
        failed_since=_lasting(failed is not None, before.failed_since if before.failed == failed else None, changed),
        lost_since=lost,
        restarts=_restarts(before, lost),
        changing=pk in now.changing,
        limited_since=_lasting(limited, before.limited_since, now.at),
        failed_rows=_failed_rows(run, before, now),
    )


def _freshness_level(stored: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if stored is None else {"late_after_s": stored["within_s"], "on_time_share": stored["share"]}


def _lasting(holds: bool, before: int | None, begin: int) -> int | None:
    """Return since when a state lasts: as before, else from tick `begin`; None if it does not hold."""
    if not holds:
        return None
    return begin if before is None else before


def _lost_since(run: Mapping[str, Any], before: AlertFacts, now: Surroundings) -> int | None:
    """Return since when the run's runner is unknown; as before while Redis does not answer."""
    if not now.alive.asked:
        return before.lost_since
    lost = run["observed"] == Observed.LOST or (run["observed"] in CARRIED and now.alive.lease is None)
    begin = ticks_of(run["changed_at"]) if run["observed"] == Observed.LOST else now.at
    return _lasting(lost, before.lost_since, begin)


def _restarts(before: AlertFacts, lost: int | None) -> tuple[int, ...]:
    if lost is None or before.lost_since is not None:
        return before.restarts
    return (*before.restarts, lost)[-RESTARTS:]


def _failure(run: Mapping[str, Any], *, wanted: bool) -> str | None:
    """Return who must act on the run's failure: one that ended it, or one that is retried and has not run since."""
    if run["observed"] == Observed.FAILED:
        return str(run["domain"] or "internal")
    waits = run["observed"] in {Observed.REQUESTED, Observed.STARTING}
    return "external" if wanted and run["failures"] and waits else None


def _failed_rows(run: Mapping[str, Any], before: AlertFacts, now: Surroundings) -> int:
    """Return the failures of expressions, read once in each minute, so that few changes are kept."""
    same_minute = now.at // MINUTE == now.previous // MINUTE
    return before.failed_rows if same_minute and before.run == str(run["pk"]) else run["progress__failed"] or 0


def _worst_deliveries(every: Mapping[str, DeliveryObserved]) -> dict[str, DeliveryFacts]:
    """Return by binding the worst of its deliveries."""
    names = _output_names() if any(_troubled(each) for each in every.values()) else {}
    found: dict[str, DeliveryFacts] = {}
    for identity, each in every.items():
        found[each.binding] = _worse(found.get(each.binding, DeliveryFacts()), each, names.get(identity, ""))
    return found


def _troubled(seen: DeliveryObserved) -> bool:
    return seen.state != "current" or seen.refused_requests > 0


def _output_names() -> dict[str, str]:
    """Return by identity the node of each output."""
    bound: Any = Binding.objects.order_by().exclude(outputs=[]).values_list("outputs", flat=True)
    return {each["identity"]: each["node"] for outputs in bound for each in outputs}


def _worse(known: DeliveryFacts, seen: DeliveryObserved, node: str) -> DeliveryFacts:
    """Return `known` with one more delivery; the first one with trouble is named."""
    since = seen.failing_since or seen.at
    waiting = seen.waiting_since if seen.waiting_rows and seen.state != "current" else None
    if waiting is not None and seen.at - waiting < 10 * TICKS_PER_S:
        waiting = None  # rows on their way, otherwise each batch would be a change
    return DeliveryFacts(
        retrying_since=_earliest(known.retrying_since, since if seen.state == "retrying" else None),
        stopped_since=_earliest(known.stopped_since, since if seen.state == "stopped" else None),
        waiting_since=_earliest(known.waiting_since, waiting),
        refused=known.refused + seen.refused_requests,
        node=known.node or (node if _troubled(seen) else ""),
    )


def _earliest(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)
