"""The newest samples of bindings; a constant number of database queries, however many bindings there are.

An organisation's scrape reads by the scoped managers, which fail without an organisation; that of the installation
reads every organisation and says so. Redis is read once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar, cast
from uuid import UUID

import redis
from django.db.models import Count, Func, IntegerField, OuterRef, QuerySet, Subquery, Sum
from pydantic import TypeAdapter, ValidationError

from streaming.wire import keys
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.freshness import Freshness
from streaming.wire.progress import InputCounts
from webapp.alerts.models import AlertState
from webapp.alerts.rules.evaluation import Phase
from webapp.core.context import installation_context
from webapp.core.tenancy import TenantModel, TenantQuerySet
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.lifecycle.liveness import Liveness, as_heard, impatient_redis, read_lease
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.lifecycle.state_events import RunState, state_of_row
from webapp.runs.models import Binding, InputFootprint, Repair, Run, StoredBytes

M = TypeVar("M", bound=TenantModel)
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
    "progress__at",
    "progress__inputs",
    "progress__output_ctis",
    "progress__results",
    "progress__quarantined",
    "progress__batch_s",
    "progress__failed",
)


@dataclass(frozen=True)
class RunReport:
    """The newest report of a run; times are ticks."""

    at: int
    inputs: Mapping[str, InputCounts]
    output_ctis: Mapping[str, int | None]
    results: int
    quarantined: int
    batch_s: float
    failed: int


@dataclass(frozen=True)
class NewestRun:
    """The newest run of a binding: its state as shown, its start in ticks, its newest report; None before the first."""

    state: RunState
    started_at: int
    report: RunReport | None


@dataclass(frozen=True)
class BindingSample:
    """A binding as it is now; `run` is None before its first start.

    `targets` are the targets of its outputs: node, and the progress of the delivery; None: no runner has reported it.
    `retained`: bytes that sources keep, by input. `firing`: the rules that fire, by level.
    """

    organisation: str
    name: str
    id: UUID
    query: str
    freshness: int
    run: NewestRun | None
    targets: Sequence[tuple[str, DeliveryObserved | None]]
    retained: Mapping[str, int]
    quarantine_bytes: int | None
    repaired_rows: int
    firing: Mapping[str, int]


@dataclass(frozen=True)
class GatheredBindings:
    """All bindings, and the number of runners that hold a lease; None if Redis did not answer."""

    bindings: Sequence[BindingSample]
    runners: int | None


@dataclass(frozen=True)
class _RunnerMessages:
    """The messages of runners: leases by organisation, deliveries by identity, which is unique everywhere."""

    leases: Mapping[UUID, Liveness]
    deliveries: Mapping[str, DeliveryObserved]
    answered: bool


@dataclass(frozen=True)
class _DatabaseRows:
    """The rows about all bindings, each by binding."""

    runs: Mapping[UUID, Any]
    quarantine_bytes: Mapping[UUID, int]
    retained: Mapping[UUID, Mapping[str, int]]
    repaired: Mapping[UUID, int]
    firing: Mapping[UUID, Mapping[str, int]]


class ReadableRows(Protocol):
    """The rows of a model that a scrape may read."""

    def __call__(self, model: type[M]) -> "QuerySet[M]":
        """Return the rows."""


def _own(model: type[M]) -> "QuerySet[M]":
    return cast("QuerySet[M]", model._default_manager.all())


def _every(model: type[M]) -> "QuerySet[M]":
    return TenantQuerySet(model)


class _ArrayLength(Func):
    """The number of elements of an array of JSON."""

    function = "json_array_length"
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the expression with PostgreSQL's function."""
        return self.as_sql(compiler, connection, function="jsonb_array_length", **context)


def gather_own(name: str | None = None) -> GatheredBindings:
    """Return the bindings of the organisation in context, or only the one called `name`.

    Raises `NoOrganisation` without an organisation.
    """
    return _gather(_own, name)


def gather_all() -> GatheredBindings:
    """Return the bindings of every organisation."""
    with installation_context("an administrator's monitoring reads every organisation"):
        return _gather(_every, None)


def _gather(rows: ReadableRows, name: str | None) -> GatheredBindings:
    bindings = rows(Binding)
    if name is not None:
        bindings = bindings.filter(name=name)
    query = "query_version__query__name"
    found = list(
        bindings.order_by("organisation__slug", "name").values(
            "pk", "organisation_id", "organisation__slug", "name", query, "freshness", "outputs"
        )
    )
    stored = _stored(rows, bindings.order_by())
    reported = _reported({each["organisation_id"] for each in found})
    samples = [_sample(each, query, stored, reported) for each in found]
    held = {each.lease.token for each in reported.leases.values() if each.lease is not None}
    return GatheredBindings(samples, len(held) if reported.answered else None)


def _stored(rows: ReadableRows, bindings: "QuerySet[Binding]") -> _DatabaseRows:
    ids = bindings.values("pk")
    of_binding = rows(Run).filter(binding=OuterRef("pk")).order_by(*NEWEST_FIRST)
    newest = bindings.annotate(newest=Subquery(of_binding.values("pk")[:1])).values("newest")
    runs = rows(Run).order_by().filter(pk__in=newest).values(*_RUN_FIELDS)
    sizes = rows(StoredBytes).filter(binding__in=ids).values_list("binding", "quarantine_bytes")
    repairs = rows(Repair).order_by().filter(binding__in=ids, given_at__isnull=False).values("binding_id")
    footprints = rows(InputFootprint).filter(binding__in=ids, kept_bytes__isnull=False)
    alerts = rows(AlertState).order_by().filter(binding__in=ids, phase=Phase.FIRING).values("binding_id", "level")
    return _DatabaseRows(
        runs={each["binding_id"]: each for each in runs},
        quarantine_bytes=dict(sizes),
        retained=_nested(footprints.order_by().values_list("binding", "node").annotate(Sum("kept_bytes"))),
        repaired=dict(repairs.annotate(rows=Sum(_ArrayLength("taken"))).values_list("binding_id", "rows")),
        firing=_nested(alerts.annotate(rules=Count("pk")).values_list("binding_id", "level", "rules")),
    )


def _nested(rows: Iterable[tuple[UUID, str, int]]) -> dict[UUID, dict[str, int]]:
    found: dict[UUID, dict[str, int]] = {}
    for binding, name, value in rows:
        found.setdefault(binding, {})[name] = value
    return found


def _reported(organisations: Iterable[UUID]) -> _RunnerMessages:
    """Read what runners have written, for all organisations at once."""
    wanted = list(organisations)
    try:
        with impatient_redis() as connection, connection.pipeline(transaction=False) as together:
            for each in wanted:
                together.get(keys.lease(str(each)))
                together.hvals(keys.delivered(str(each)))
            answers = together.execute()
    except redis.exceptions.RedisError:
        return _RunnerMessages(dict.fromkeys(wanted, Liveness(None, asked=False)), {}, answered=False)
    leases = {each: read_lease(content) for each, content in zip(wanted, answers[::2], strict=True)}
    contents = (content for every in answers[1::2] for content in every)
    deliveries = {seen.identity: seen for content in contents if (seen := _delivery(content)) is not None}
    return _RunnerMessages(leases, deliveries, answered=True)


def _delivery(content: bytes) -> DeliveryObserved | None:
    """Return the report on a delivery; None if it is unreadable, as one of a newer release may be."""
    try:
        return DeliveryObserved.model_validate_json(content)
    except ValidationError:
        return None


def _sample(binding: Mapping[str, Any], query: str, stored: _DatabaseRows, reported: _RunnerMessages) -> BindingSample:
    pk: UUID = binding["pk"]
    run = stored.runs.get(pk)
    return BindingSample(
        organisation=binding["organisation__slug"],
        name=binding["name"],
        id=pk,
        query=binding[query],
        freshness=Freshness(binding["freshness"]).ticks,
        run=None if run is None else _run(run, reported.leases[binding["organisation_id"]]),
        targets=[(each["node"], _reported_delivery(each, reported)) for each in binding["outputs"]],
        retained=stored.retained.get(pk, {}),
        quarantine_bytes=stored.quarantine_bytes.get(pk),
        repaired_rows=stored.repaired.get(pk, 0),
        firing=stored.firing.get(pk, {}),
    )


def _reported_delivery(output: Mapping[str, Any], reported: _RunnerMessages) -> DeliveryObserved | None:
    """Return the delivery of an output; a report about earlier settings says nothing of the present ones."""
    seen = reported.deliveries.get(output["identity"])
    return seen if seen is not None and seen.revision == output["revision"] else None


def _run(row: Mapping[str, Any], alive: Liveness) -> NewestRun:
    at = row["progress__at"]
    state = as_heard(state_of_row(row), alive, last_report=at)
    return NewestRun(state, ticks_of(row["created_at"]), None if at is None else _report(row))


def _report(row: Mapping[str, Any]) -> RunReport | None:
    """Return the report of a run; None if it is unreadable, as one of a newer release may be."""
    try:
        inputs = _INPUTS.validate_python(row["progress__inputs"])
    except ValidationError:
        return None
    return RunReport(
        at=row["progress__at"],
        inputs=inputs,
        output_ctis=row["progress__output_ctis"],
        results=row["progress__results"],
        quarantined=row["progress__quarantined"],
        batch_s=row["progress__batch_s"],
        failed=row["progress__failed"] or 0,
    )
