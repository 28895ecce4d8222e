"""Bindings and runs over HTTP: list, create, read, start, stop."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import Field, RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.graph import Strict
from streaming.definition.names import Name
from streaming.definition.streams import AdvanceTimeSettings
from streaming.wire.messages import ProgressReport
from webapp.accounts.access import TenantView
from webapp.accounts.permissions import Permission
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.runs import services
from webapp.runs.access import access_binding, access_run, latest_run, listed_runs
from webapp.runs.models import Binding, Run
from webapp.runs.states import Desired, Observed

RUNS_LISTED = 100


class BindingInputBody(Strict):
    """The stream of an input node, and advance-time settings that replace the stream's."""

    stream: UUID
    advance: AdvanceTimeSettings | None = None


class BindingBody(Strict):
    """A binding; an input node that `inputs` leaves out takes the stream that the query names."""

    name: Name
    query_version: UUID
    inputs: dict[Name, BindingInputBody] = Field(default_factory=dict)


class StopBody(Strict):
    """How to stop: `flush` closes all windows first on inputs whose settings say `final` (T15)."""

    flush: bool = False


class RunShown(Strict):
    """A run: what is wanted, what is seen, and the sentence for the user with who must act. Times are ISO text in UTC.

    `progress` is the newest report that was kept; the live ones come from `events/`.
    """

    id: str
    binding: str
    binding_name: str
    query: str
    query_name: str
    query_version: int
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


class RunList(RootModel[list[RunShown]]):
    """The newest runs of an organisation, newest first."""


class BindingInputShown(Strict):
    """One input of a binding."""

    node: str
    stream: str
    stream_name: str
    advance: AdvanceTimeSettings | None


class BindingShown(Strict):
    """A binding with its inputs and its newest run."""

    id: str
    name: str
    query: str
    query_name: str
    query_version: str
    query_version_number: int
    inputs: list[BindingInputShown]
    latest_run: RunShown | None
    created_at: str


class BindingList(RootModel[list[BindingShown]]):
    """The bindings of an organisation by name."""


def shown_run(run: Run) -> RunShown:
    """Return `run` as the API shows it."""
    version = run.binding.query_version
    return RunShown(
        id=str(run.pk),
        binding=str(run.binding_id),
        binding_name=run.binding.name,
        query=str(version.query_id),
        query_name=version.query.name,
        query_version=version.number,
        desired=Desired(run.desired),
        observed=Observed(run.observed),
        domain=run.domain,
        message=run.message,
        retry_at=None if run.retry_at is None else run.retry_at.isoformat(),
        started_by=None if run.started_by is None else run.started_by.email,
        created_at=run.created_at.isoformat(),
        changed_at=run.changed_at.isoformat(),
        ended_at=None if run.ended_at is None else run.ended_at.isoformat(),
        progress=None if run.progress is None else ProgressReport.model_validate(run.progress),
    )


def shown_binding(binding: Binding) -> BindingShown:
    """Return `binding` as the API shows it."""
    newest = latest_run(binding)
    return BindingShown(
        id=str(binding.pk),
        name=binding.name,
        query=str(binding.query_version.query_id),
        query_name=binding.query_version.query.name,
        query_version=str(binding.query_version_id),
        query_version_number=binding.query_version.number,
        inputs=[
            BindingInputShown(
                node=each.node,
                stream=str(each.stream_id),
                stream_name=each.stream.name,
                advance=each.read_advance(),
            )
            for each in binding.inputs.select_related("stream")
        ],
        latest_run=None if newest is None else shown_run(newest),
        created_at=binding.created_at.isoformat(),
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class BindingsView(TenantView):
    """The bindings of an organisation."""

    @extend_schema(operation_id="bindings_list", responses={200: BindingList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the bindings by name."""
        return answer(
            BindingList([shown_binding(each) for each in Binding.objects.select_related("query_version__query")])
        )

    @extend_schema(
        operation_id="bindings_create",
        request=BindingBody,
        responses={201: BindingShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a binding; 422 with all faults."""
        body = read_body(request, BindingBody)
        inputs = {
            node: services.InputChoice(stream=each.stream, advance=each.advance) for node, each in body.inputs.items()
        }
        binding = services.create_binding(name=body.name, query_version=body.query_version, inputs=inputs)
        return answer(shown_binding(binding), 201)


class BindingView(TenantView):
    """One binding."""

    @extend_schema(operation_id="bindings_get", responses={200: BindingShown, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return a binding."""
        return answer(shown_binding(access_binding(binding)))


class StartView(TenantView):
    """The start of a binding."""

    writing = Permission.OPERATE

    @extend_schema(
        operation_id="bindings_start",
        request=None,
        responses={201: RunShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Start a run; 422 with all faults of the query, the settings and the adapters."""
        return answer(shown_run(services.start(binding=access_binding(binding), by=self.user)), 201)


class StopView(TenantView):
    """The stop of a binding."""

    writing = Permission.OPERATE

    @extend_schema(
        operation_id="bindings_stop",
        request=StopBody,
        responses={200: RunShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Ask the binding's run to stop; its state is kept for the next start."""
        body = read_body(request, StopBody)
        return answer(shown_run(services.stop(binding=access_binding(binding), flush=body.flush)))


class RunsView(TenantView):
    """The runs of an organisation."""

    @extend_schema(operation_id="runs_list", responses={200: RunList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the newest 100 runs."""
        return answer(RunList([shown_run(run) for run in listed_runs()[:RUNS_LISTED]]))


class RunView(TenantView):
    """One run."""

    @extend_schema(operation_id="runs_get", responses={200: RunShown, **REFUSALS})
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return a run."""
        return answer(shown_run(access_run(run)))
