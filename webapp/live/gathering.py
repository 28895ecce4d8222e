"""The live queries of the organisation in context; a constant number of database queries, however many there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import redis
from django.conf import settings
from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery
from pydantic import TypeAdapter

from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.freshness import Freshness
from streaming.wire.progress import InputCounts
from webapp.alerts.models import Acknowledgement, AlertState, BindingMemory
from webapp.alerts.rules.evaluation import Phase
from webapp.alerts.rules.minutes import MINUTE
from webapp.alerts.services.alerts import undecided
from webapp.alerts.turns.deciding import title
from webapp.core.context import current_organisation
from webapp.live.figures import NO_ROWS, PeriodCounts, since, totals
from webapp.live.queries import LiveAlert, LiveDelivery, LiveQuery, LiveRun
from webapp.monitoring.models import RunRollup
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.bindings.service_levels import read_level
from webapp.runs.lifecycle.liveness import PATIENCE_S, Liveness, as_heard, read_lease
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.lifecycle.state_events import state_of_row
from webapp.runs.models import Binding, Run
from webapp.runs.outputs.deliveries import read_deliveries
from webapp.runs.states import Observed

RECENT: Final = 15 * MINUTE
DAY: Final = 24 * 60 * MINUTE
SLOTS: Final = 32
"""The parts of the last day in a line of lags, 45 minutes each."""
_INPUTS: Final[TypeAdapter[dict[str, InputCounts]]] = TypeAdapter(dict[str, InputCounts])
_RUN_FIELDS: Final = (
    "pk",
    "binding_id",
    "desired",
    "observed",
    "domain",
    "message",
    "created_at",
    "changed_at",
    "ended_at",
    "without_clock",
    "progress__at",
    "progress__of_run",
    "progress__inputs",
    "progress__results",
    "rollup_cursor__reading__base",
    "before_recent",
    "before_day",
)


@dataclass(frozen=True)
class Gathered:
    """The live queries, and how many bindings have none: by the state of their last run, `never` without one."""

    queries: Sequence[LiveQuery]
    idle: Mapping[str, int]


@dataclass(frozen=True)
class _RunnerReports:
    """The lease of the runner, and the deliveries by identity; None if Redis did not answer."""

    alive: Liveness
    deliveries: Mapping[str, DeliveryObserved] | None


@dataclass(frozen=True)
class _Watched:
    """The states that are read once for all bindings, each by binding."""

    seen: _RunnerReports
    alerts: Mapping[UUID, Sequence[LiveAlert]]
    gaps: Mapping[UUID, int]
    undecided: Mapping[UUID, int]


def gather(now: datetime) -> Gathered:
    """Return every binding whose newest run is open or failed, or whose deliveries fail; and the number of the others.

    Rows of a run that has ended may still wait for their delivery.
    """
    at, runs, bindings = ticks_of(now), _runs(now, Binding.objects.all()), _rows_of(Binding.objects.all())
    watched = _watched(now)
    queries, idle = [], dict.fromkeys(("never", Observed.STOPPED.value, Observed.COMPLETED.value), 0)
    for binding in bindings:
        own = runs.get(binding["pk"], [])
        newest = next((run for run in own if run["pk"] == binding["newest"]), None)
        if newest is None:
            idle["never"] += 1
            continue
        live = _live(binding, newest, own, watched, at)
        if newest["ended_at"] is None or newest["observed"] == Observed.FAILED or any(map(_fails, live.deliveries)):
            queries.append(live)
        else:
            idle[newest["observed"]] += 1
    return Gathered(queries, idle)


def gather_one(binding: UUID, now: datetime) -> LiveQuery | None:
    """Return a binding in any state; None without a run."""
    only = Binding.objects.filter(pk=binding)
    [row], runs = _rows_of(only), _runs(now, only).get(binding, [])
    newest = next((run for run in runs if run["pk"] == row["newest"]), None)
    return None if newest is None else _live(row, newest, runs, _watched(now), ticks_of(now))


def _watched(now: datetime) -> _Watched:
    return _Watched(_seen(), _alerts(), _usual_gaps(), undecided(now))


def _fails(delivery: LiveDelivery) -> bool:
    return delivery.seen is not None and delivery.seen.state in {"retrying", "stopped"}


def lags(bindings: Sequence[UUID], now: datetime) -> dict[UUID, list[int | None]]:
    """Return the largest lag of each 45 minutes of the last day, in seconds, oldest first; None: no report in it."""
    width, at = DAY // SLOTS, ticks_of(now)
    first = at // width - SLOTS + 1
    lived = Q(ended_at__isnull=True) | Q(ended_at__gte=now - timedelta(microseconds=DAY))
    runs = dict(Run.objects.order_by().filter(lived, binding__in=bindings).values_list("pk", "binding"))
    rows = RunRollup.objects.order_by().filter(run__in=list(runs), seconds=60, at__gte=first * width)
    slots = rows.values("run", slot=F("at") / width).annotate(most=Max("lag"))
    found: dict[UUID, list[int | None]] = {binding: [None] * SLOTS for binding in bindings}
    for run, slot, most in slots.values_list("run", "slot", "most"):
        line = found[runs[run]]
        if most is not None:
            line[slot - first] = max(line[slot - first] or 0, round(most / TICKS_PER_S))
    return found


def _rows_of(bindings: QuerySet[Binding]) -> list[Any]:
    own = Run.objects.filter(binding=OuterRef("pk")).order_by(*NEWEST_FIRST)
    query = "query_version__query"
    rows = bindings.annotate(newest=Subquery(own.values("pk")[:1])).values(
        "pk",
        "name",
        "freshness",
        "completeness",
        "freshness_level",
        "outputs",
        "newest",
        "query_version__number",
        f"{query}_id",
        f"{query}__name",
        f"{query}__tags",
        f"{query}__owner__email",
    )
    return list(rows)


def _runs(now: datetime, bindings: QuerySet[Binding]) -> dict[UUID, list[Any]]:
    """Return by binding the newest run and all runs of the last day, each with its totals before the two periods."""
    own = Run.objects.filter(binding=OuterRef("pk")).order_by(*NEWEST_FIRST)
    newest = bindings.order_by().annotate(newest=Subquery(own.values("pk")[:1])).values("newest")
    wanted = Q(pk__in=newest) | Q(ended_at__gte=now - timedelta(microseconds=DAY))
    rows = Run.objects.order_by().filter(wanted, binding__in=bindings.order_by().values("pk"))
    at = ticks_of(now)
    rows = rows.annotate(before_recent=_totals_before(at - RECENT), before_day=_totals_before(at - DAY))
    found: dict[UUID, list[Any]] = {}
    for run in rows.values(*_RUN_FIELDS):
        found.setdefault(run["binding_id"], []).append(run)
    return found


def _totals_before(tick: int) -> Subquery:
    """Return the inputs of the last report before the whole minute of `tick`."""
    rows = RunRollup.objects.filter(run=OuterRef("pk"), seconds=60, at__lt=tick - tick % MINUTE)
    return Subquery(rows.order_by("-at").values("sample__inputs")[:1])


def _seen() -> _RunnerReports:
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S
        ) as connection:
            lease = read_lease(connection.get(keys.lease(str(current_organisation()))))
            return _RunnerReports(lease, read_deliveries(connection))
    except redis.exceptions.RedisError:
        return _RunnerReports(Liveness(None, asked=False), None)


def _alerts() -> dict[UUID, list[LiveAlert]]:
    rows = list(AlertState.objects.filter(binding__isnull=False).exclude(phase=Phase.RESOLVED))
    taken = {
        (each.rule, each.binding_id, each.fired_at): each.by_label
        for each in Acknowledgement.objects.filter(fired_at__in={row.fired_at for row in rows})
    }
    found: dict[UUID, list[LiveAlert]] = {}
    for row in rows:
        unknown = row.unknown_since is not None and row.phase != Phase.FIRING
        if row.phase == Phase.OK and not unknown:
            continue
        alert = LiveAlert(
            id=row.pk,
            rule=row.rule,
            title=title(row.rule),
            phase="unknown" if unknown else row.phase,
            level=row.level,
            since=row.since,
            sentence=row.sentence,
            taken_by=taken.get((row.rule, row.binding_id, row.fired_at or 0)),
        )
        found.setdefault(row.binding_id, []).append(alert)  # type: ignore[arg-type]
    return found


def _usual_gaps() -> dict[UUID, int]:
    """Return by binding the usual longest time between rows, in ticks."""
    rows = BindingMemory.objects.filter(binding__isnull=False).values_list("binding_id", "facts")
    found = {}
    for binding, facts in rows:
        seconds = facts[-1][1].get("rows_gap_s", 0.0) if facts else 0.0
        found[binding] = round(seconds * TICKS_PER_S)
    return {binding: gap for binding, gap in found.items() if binding is not None}


def _live(binding: Mapping[str, Any], newest: Any, runs: Sequence[Any], watched: _Watched, at: int) -> LiveQuery:
    pk: UUID = binding["pk"]
    run = _run(newest, watched.seen.alive)
    begins = at - RECENT - (at - RECENT) % MINUTE
    recent = _counted(runs, "before_recent", begins)
    return LiveQuery(
        binding=pk,
        name=binding["name"],
        query=binding["query_version__query_id"],
        query_name=binding["query_version__query__name"],
        version=binding["query_version__number"],
        tags=binding["query_version__query__tags"],
        owner=binding["query_version__query__owner__email"],
        freshness=Freshness(binding["freshness"]).ticks,
        completeness=binding["completeness"],
        freshness_level=read_level(binding["freshness_level"]),
        run=run,
        recent=recent,
        recent_ticks=at - max(begins, min(ticks_of(each["created_at"]) for each in runs)),
        day=_counted(runs, "before_day", at - DAY - (at - DAY) % MINUTE),
        stuck=_stuck(newest, run, recent),
        deliveries=[_delivery(each, watched.seen.deliveries or {}) for each in binding["outputs"]],
        deliveries_known=watched.seen.deliveries is not None,
        alerts=watched.alerts.get(pk, ()),
        usual_gap=watched.gaps.get(pk, 0),
        undecided_since=watched.undecided.get(pk) if run.state.ended_at is None else None,
    )


def _delivery(output: Mapping[str, Any], reported: Mapping[str, DeliveryObserved]) -> LiveDelivery:
    """Return the delivery of an output; a report about earlier settings says nothing of the present ones."""
    seen = reported.get(output["identity"])
    return LiveDelivery(output["node"], seen if seen is not None and seen.revision == output["revision"] else None)


def _run(row: Any, alive: Liveness) -> LiveRun:
    shown = as_heard(state_of_row(row), alive, last_report=row["progress__at"])
    clocks = [name for each in row["without_clock"] for name in each["inputs"]]
    return LiveRun(
        id=row["pk"],
        state=shown,
        created_at=ticks_of(row["created_at"]),
        changed_at=ticks_of(datetime.fromisoformat(shown.changed_at)),
        reported_at=row["progress__at"],
        inputs=_INPUTS.validate_python(row["progress__inputs"] or {}),
        results=row["progress__results"] or 0,
        without_clock=list(dict.fromkeys(clocks)),
    )


def _counted(runs: Sequence[Any], before: str, begins: int) -> PeriodCounts:
    """Return what the runs counted from tick `begins` on; `before` names their totals at that time."""
    counts = NO_ROWS
    for run in runs:
        if run["progress__at"] is not None and run["progress__at"] >= begins:
            now = totals(run["progress__inputs"].values())
            counts = counts.plus(since(_base(run, before, now), now))
    return counts


def _base(run: Any, before: str, now: PeriodCounts) -> PeriodCounts:
    """Return the totals from which a run counts in a period; where they are unknown, it counts nothing."""
    if run[before] is not None:
        return totals(run[before].values())
    base = run["rollup_cursor__reading__base"]
    if base is not None:
        return totals(base["inputs"].values())
    return NO_ROWS if run["progress__of_run"] else now


def _stuck(row: Any, run: LiveRun, recent: PeriodCounts) -> bool:
    """Return whether an input has received rows in the period, and its CTI has not moved since the period began."""
    earlier = row["before_recent"]
    if run.state.observed != Observed.RUNNING or earlier is None or not recent.received or not run.inputs:
        return False
    return any(
        not counts.ended and name in earlier and earlier[name]["cti"] == counts.cti and _arrived(earlier[name], counts)
        for name, counts in run.inputs.items()
    )


def _arrived(earlier: Mapping[str, Any], counts: InputCounts) -> bool:
    return counts.received > int(earlier["received"])
