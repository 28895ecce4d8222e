"""Bindings and runs over HTTP: list, create, read, replace, delete, start, stop."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.names import Name
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.wire.deliveries import DeliveryObserved
from streaming.wire.freshness import USUAL, Freshness
from streaming.wire.progress import ProgressReport, read_without_rows
from webapp.accounts.access import TenantView
from webapp.audit.revisions import revision_of
from webapp.core.api import answer, read_body, read_query
from webapp.core.context import current_organisation
from webapp.core.errors import ErrorEnvelope, Faulty, NotFound, fault
from webapp.runs.access import (
    access_binding,
    access_run,
    latest_run,
    latest_runs,
    listed_bindings,
    listed_runs,
    runs_before,
)
from webapp.runs.bindings import bindings
from webapp.runs.bindings.service_levels import Completeness, FreshnessLevel, read_level
from webapp.runs.inputs.checking import NoClock
from webapp.runs.inputs.input_resolution import InputChoice
from webapp.runs.lifecycle.liveness import Liveness, liveness, state_now
from webapp.runs.lifecycle.starting import StartStep, steps_of
from webapp.runs.models import Binding, Run
from webapp.runs.outputs.bound_outputs import OutputSettings, outputs_of, shown_output
from webapp.runs.outputs.deliveries import DeliveryResponse, seen_deliveries, shown_delivery
from webapp.runs.states import Desired, Observed
from webapp.streams.models import Stream

RUNS_LISTED = 100
MOST_OUTPUTS: Final = 10
"""Each output uses a thread of the runner, and usually a connection."""
BEFORE = OpenApiParameter("before", UUID, description="List older runs: the id of the oldest run you have.")
BINDING = OpenApiParameter("binding", UUID, description="List the runs of one binding.")
QUERY = OpenApiParameter("query", UUID, description="List the bindings of one query, with any of its versions.")


class BindingsQuery(Strict):
    """The bindings to list: those of a query, or all."""

    query: UUID | None = None


class RunsQuery(Strict):
    """The runs to list: those before a run, or the newest; of one binding, or of all."""

    before: UUID | None = None
    binding: UUID | None = None


class BindingInputBody(Strict):
    """The stream of an input node, and advance-time settings and event time that replace the stream's.

    A field that is null or left out takes its value from the query's text (ADVANCE TIME, EVENTTIME BY), else from the
    stream.
    """

    stream: UUID
    advance: AdvanceTimeSettings | None = None
    event_time: EventTimeBy | None = None


class BindingBody(Strict):
    """A binding; an input node that `inputs` leaves out takes the stream that the query names.

    `dedicated`: its runs have a streaming query of their own. It is faster for much data and costs about half a core
    and 300 MB. `freshness`: how long a row may wait before it is read. Fresher costs more: batches follow the most
    demanding binding that shares the streaming query and has rows waiting. It also applies at once to a run under way.
    `outputs`: the targets of its results, which also apply at once; left out: unchanged. `completeness`: the share of
    received rows that must be in results, over 30 days, in percent; null: unchanged, 99.9 for a new binding.
    `freshness_level`: how late results may be; null: without such a level; left out: unchanged.
    """

    name: Name
    query_version: UUID
    inputs: dict[Name, BindingInputBody] = Field(default_factory=dict)
    dedicated: bool = False
    freshness: Freshness = USUAL
    outputs: list[OutputSettings] | None = Field(default=None, max_length=MOST_OUTPUTS)
    completeness: Completeness | None = None
    freshness_level: FreshnessLevel | None = None


class BindingChange(BindingBody):
    """The new values of a binding; with `upon`, the `revision` that the client saw: 409 if it has changed since."""

    upon: str | None = None


class RunResponse(Strict):
    """A run: its desired and observed state, and a message for the user with who must act. Times are ISO text in UTC.

    `progress` is the newest stored report, without rows; live ones come from `events/`. `dedicated`: it was started
    with a streaming query of its own; `freshness` is that of its binding now. `without_clock`: why it may never emit,
    as determined at its start. `steps`: the steps of its start so far, in order. `binding_name`, `query_name` and
    `query_version` are those of its start; `binding_name_now` is today's. `query` is null once the query was deleted,
    `query_version` if it was not stored.
    """

    id: str
    binding: str
    binding_name: str
    binding_name_now: str
    query: str | None
    query_name: str
    query_version: int | None
    dedicated: bool
    freshness: Freshness
    desired: Desired
    observed: Observed
    domain: str | None
    message: str | None
    retry_at: str | None
    started_by: str | None
    created_at: str
    changed_at: str
    ended_at: str | None
    progress: ProgressReport | None
    without_clock: list[NoClock]
    steps: list[StartStep]


class RunList(RootModel[list[RunResponse]]):
    """The newest runs of an organisation, newest first."""


class BindingInputResponse(Strict):
    """One input of a binding."""

    node: str
    stream: str
    stream_name: str
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None


class BindingOutputResponse(Strict):
    """An output of a binding; `delivery` is its progress, null until a runner reports it."""

    identity: str
    node: str
    adapter: AdapterChoice
    revision: int
    delivery: DeliveryResponse | None


class BindingResponse(Strict):
    """A binding with its inputs and its newest run; `dedicated` applies to the next run, `freshness` at once."""

    id: str
    name: str
    query: str
    query_name: str
    query_version: str
    query_version_number: int
    inputs: list[BindingInputResponse]
    dedicated: bool
    freshness: Freshness
    completeness: float
    freshness_level: FreshnessLevel | None
    outputs: list[BindingOutputResponse]
    latest_run: RunResponse | None
    created_at: str
    revision: str


class BindingList(RootModel[list[BindingResponse]]):
    """The bindings of an organisation by name."""


def shown_run(run: Run, alive: Liveness | None = None) -> RunResponse:
    """Return `run` as the API shows it; `alive`: the state of its runner, queried now if None."""
    state = state_now(run, alive)
    return RunResponse(
        id=str(run.pk),
        binding=str(run.binding_id),
        binding_name=run.binding_name,
        binding_name_now=run.binding.name,
        query=None if run.query_id is None else str(run.query_id),
        query_name=run.query_name,
        query_version=run.query_version,
        dedicated=run.dedicated,
        freshness=Freshness(run.binding.freshness),
        desired=Desired(run.desired),
        observed=state.observed,
        domain=state.domain,
        message=state.message,
        retry_at=None if run.retry_at is None else run.retry_at.isoformat(),
        started_by=run.started_by_label or (None if run.started_by is None else run.started_by.email),
        created_at=run.created_at.isoformat(),
        changed_at=state.changed_at,
        ended_at=state.ended_at,
        progress=None if run.progress is None else read_without_rows(run.progress),
        without_clock=[NoClock.model_validate(each) for each in run.without_clock],
        steps=steps_of(run),
    )


def shown_binding(
    binding: Binding,
    newest: Run | None,
    alive: Liveness | None = None,
    seen: Mapping[str, DeliveryObserved] | None = None,
) -> BindingResponse:
    """Return `binding`, read by `listed_bindings`, with its newest run; `seen` is queried if left out."""
    deliveries = seen_deliveries() if seen is None and binding.outputs else seen or {}
    return BindingResponse(
        id=str(binding.pk),
        name=binding.name,
        query=str(binding.query_version.query_id),
        query_name=binding.query_version.query.name,
        query_version=str(binding.query_version_id),
        query_version_number=binding.query_version.number,
        inputs=[
            BindingInputResponse(
                node=each.node,
                stream=str(each.stream_id),
                stream_name=each.stream.name,
                advance=each.read_advance(),
                event_time=each.read_event_time(),
            )
            for each in binding.inputs.all()
        ],
        dedicated=binding.dedicated,
        freshness=Freshness(binding.freshness),
        completeness=binding.completeness,
        freshness_level=read_level(binding.freshness_level),
        outputs=[
            BindingOutputResponse.model_validate(
                shown_output(each) | {"delivery": shown_delivery(binding, deliveries.get(each.identity), alive)}
            )
            for each in outputs_of(binding)
        ],
        latest_run=None if newest is None else shown_run(newest, alive),
        created_at=binding.created_at.isoformat(),
        revision=revision_of(binding.stored()),
    )


def _chosen(inputs: Mapping[Name, BindingInputBody]) -> dict[str, InputChoice]:
    """Return the choices of a body by node, with the names of the streams; an unknown id stays as it is."""
    names = dict(Stream.objects.filter(pk__in=[each.stream for each in inputs.values()]).values_list("pk", "name"))
    return {
        node: InputChoice(
            stream=names.get(each.stream, str(each.stream)), advance=each.advance, event_time=each.event_time
        )
        for node, each in inputs.items()
    }


def _read_settings(body: BindingBody) -> bindings.BindingSettings:
    chosen = _chosen(body.inputs)
    return bindings.BindingSettings(
        name=body.name,
        inputs=chosen,
        dedicated=body.dedicated,
        freshness=body.freshness,
        outputs=body.outputs,
        completeness=body.completeness,
        freshness_level=body.freshness_level if "freshness_level" in body.model_fields_set else "unchanged",
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class BindingsView(TenantView):
    """The bindings of an organisation."""

    @extend_schema(
        operation_id="bindings_list", parameters=[QUERY], responses={200: BindingList, 422: ErrorEnvelope, **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the bindings by name."""
        asked = read_query(request, BindingsQuery)
        of_query = {} if asked.query is None else {"query_version__query": asked.query}
        found = list(listed_bindings().filter(**of_query))
        newest, alive = latest_runs(), liveness(str(current_organisation()))
        seen = seen_deliveries() if any(each.outputs for each in found) else {}
        return answer(BindingList([shown_binding(each, newest.get(each.pk), alive, seen) for each in found]))

    @extend_schema(
        operation_id="bindings_create",
        request=BindingBody,
        responses={201: BindingResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a binding; 422 with all errors."""
        body = read_body(request, BindingBody)
        made = bindings.create_binding(settings=_read_settings(body), query_version=body.query_version)
        return answer(shown_binding(access_binding(made.pk), None), 201)


class BindingView(TenantView):
    """One binding."""

    @extend_schema(operation_id="bindings_get", responses={200: BindingResponse, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return a binding."""
        found = access_binding(binding)
        return answer(shown_binding(found, latest_run(found)))

    @extend_schema(
        operation_id="bindings_replace",
        request=BindingChange,
        responses={200: BindingResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, binding: UUID) -> Response:
        """Replace name, query version and inputs; a run under way keeps everything except its freshness."""
        found = access_binding(binding)
        body = read_body(request, BindingChange)
        bindings.replace_binding(
            binding=found, settings=_read_settings(body), query_version=body.query_version, upon=body.upon
        )
        replaced = access_binding(binding)
        return answer(shown_binding(replaced, latest_run(replaced)))

    @extend_schema(operation_id="bindings_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Delete a binding and the list of its ended runs; 409 while a run is open. Files of results stay."""
        bindings.delete_binding(binding=access_binding(binding))
        return Response(status=204)


class RunsView(TenantView):
    """The runs of an organisation."""

    @extend_schema(
        operation_id="runs_list", parameters=[BEFORE, BINDING], responses={200: RunList, 422: ErrorEnvelope, **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> Response:
        """List 100 runs, newest first."""
        alive = liveness(str(current_organisation()))
        return answer(RunList([shown_run(run, alive) for run in _requested_runs(request)[:RUNS_LISTED]]))


def _requested_runs(request: Request) -> "QuerySet[Run]":
    asked = read_query(request, RunsQuery)
    of_binding = {} if asked.binding is None else {"binding": asked.binding}
    try:
        runs = listed_runs() if asked.before is None else runs_before(access_run(asked.before))
        return runs.filter(**of_binding)
    except NotFound:
        remedy = "Leave `before` out, or pass the id of a run in the list."
        raise Faulty([fault(FaultCode.BAD_SHAPE, "before: no such run.", remedy, field="before")]) from None
