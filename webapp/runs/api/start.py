"""The start and the stop of a binding, over HTTP."""

from typing import Annotated, Literal, Self
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from streaming.wire.beginning import KEPT_BEGINS, BeginAt, KeptBegin
from webapp.accounts.access import TenantView
from webapp.core.api import SMALL_BYTES, answer, raw_body, read_body, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.runs.access import access_binding, open_run
from webapp.runs.api.bindings import REFUSALS, RunResponse, shown_run
from webapp.runs.starts import services
from webapp.runs.starts.next_start import begin_sentence, refuse_carrying
from webapp.runs.starts.timeline import place_faults


class StopBody(Strict):
    """The way to stop: `flush` first closes all windows on inputs whose settings say `final` (T15).

    `discard` discards the state: no start resumes with it, and nothing is flushed. Set at most one of them.
    """

    flush: bool = False
    discard: bool = False

    @model_validator(mode="after")
    def _one_at_most(self) -> Self:
        if self.flush and self.discard:
            raise ValueError("choose flush or discard, not both")
        return self


class StartRequest(Strict):
    """The start position of a run whose predecessor's state can't be resumed; left out: lose nothing, if possible.

    `carried_over` is refused (409) if the state can't be carried over to another version (`next-start/` has the
    reason).
    All positions except it, `oldest_open` and `old_positions` also discard state that could be resumed. Times are
    ticks; positions are by input and lane, as `timeline/` shows them. A run that begins now, at a time or at positions
    needs its inputs to be queried first (`timeline/`): 409 `inputs_not_asked` names those that were not queried within
    five minutes, or that have refused. `shown`: the `mark` of the `next-start/` answer that the user saw; 409
    `changed_meanwhile` if a start would begin differently by now.
    """

    begin: BeginAt | None = None
    shown: Annotated[str, Field(max_length=64)] | None = None


class StartQuery(Strict):
    """The start position, for positions that need no values."""

    begin: KeptBegin | Literal["now"] | None = None


class StartedRunResponse(RunResponse):
    """A requested run. `begins`: its start position and repeated results; null if the run was already requested."""

    begins: str | None


class StartView(TenantView):
    """The start of a binding."""

    @extend_schema(
        operation_id="bindings_start",
        request=StartRequest,
        parameters=[
            OpenApiParameter("begin", str, enum=[*KEPT_BEGINS, "now"], description="The same as `begin` in the body.")
        ],
        responses={
            200: StartedRunResponse,
            201: StartedRunResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Start a run; 422 with all errors of the query, the settings and the adapters. The body is optional.

        200 with the run that was already requested, if the request is repeated before a runner carries it.
        """
        in_query = read_query(request, StartQuery).begin
        body = read_body(request, StartRequest) if raw_body(request, SMALL_BYTES) else StartRequest()
        in_body = body.begin
        if in_query is not None and in_body is not None:
            message = "`begin` is set in both the query string and the body."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Set it in the body only.")])
        begin: BeginAt | None = in_query or in_body
        asked = access_binding(binding)
        begins = None
        if open_run(asked) is None:  # else it is the same start, or is refused for being open
            if faults := place_faults(asked, begin):
                raise Faulty(faults)
            if begin == "carried_over":
                refuse_carrying(asked)
            begins = begin_sentence(asked, begin)
        start = services.start(binding=asked, by=self.user, begin_at=begin, shown=body.shown)
        shown = {**dict(shown_run(start.run)), "begins": begins if start.is_new else None}
        return answer(StartedRunResponse.model_validate(shown), 201 if start.is_new else 200)


class StopView(TenantView):
    """The stop of a binding."""

    @extend_schema(
        operation_id="bindings_stop",
        request=StopBody,
        responses={200: RunResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Ask the binding's run to stop; its state is kept for the next start, unless `discard` is set."""
        body = read_body(request, StopBody)
        stopped = services.stop(binding=access_binding(binding), flush=body.flush, discard=body.discard)
        return answer(shown_run(stopped))
