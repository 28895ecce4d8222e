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
from webapp.core.api import MOST_BYTES, answer, raw_body, read_body, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.runs.access import access_binding, open_run
from webapp.runs.api.bindings import REFUSALS, RunShown, shown_run
from webapp.runs.starts import services
from webapp.runs.starts.next_start import refuse_carrying
from webapp.runs.starts.timeline import place_faults


class StopBody(Strict):
    """How to stop: `flush` closes all windows first on inputs whose settings say `final` (T15).

    `discard` throws the state away: no start goes on with it, and nothing is flushed. One of them at most.
    """

    flush: bool = False
    discard: bool = False

    @model_validator(mode="after")
    def _one_at_most(self) -> Self:
        if self.flush and self.discard:
            raise ValueError("choose flush or discard, not both")
        return self


class StartAsked(Strict):
    """Where a run begins if the state of the one before cannot go on; left out: where nothing is lost, if it can be.

    `carried_over` is refused (409) where state cannot be carried over to another version (`next-start/` says why).
    All but it, `oldest_open` and `old_positions` also drop state that could go on. Times are ticks; positions are by
    input and lane, as `timeline/` shows them. Inputs of a run that begins now, at a time or at positions are asked
    before (`timeline/`): 409 `inputs_not_asked` names those that were not within five minutes, or refused it earlier.
    `shown`: the `mark` of what `next-start/` said; 409 `changed_meanwhile` if a start would begin otherwise by now.
    """

    begin: BeginAt | None = None
    shown: Annotated[str, Field(max_length=64)] | None = None


class StartWord(Strict):
    """Where a run begins, where one word says it."""

    begin: KeptBegin | Literal["now"] | None = None


class StartView(TenantView):
    """The start of a binding."""

    @extend_schema(
        operation_id="bindings_start",
        request=StartAsked,
        parameters=[
            OpenApiParameter("begin", str, enum=[*KEPT_BEGINS, "now"], description="The same as `begin` of the body.")
        ],
        responses={200: RunShown, 201: RunShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Start a run; 422 with all faults of the query, the settings and the adapters. The body may be left out.

        200 with the run that was started already, where the same is asked again before a runner carries it.
        """
        word = read_query(request, StartWord).begin
        body = read_body(request, StartAsked) if raw_body(request, MOST_BYTES) else StartAsked()
        said = body.begin
        if word is not None and said is not None:
            raise Faulty([fault(FaultCode.BAD_SHAPE, "Where it begins is said twice.", "Say it in the body alone.")])
        begin: BeginAt | None = word or said
        asked = access_binding(binding)
        if open_run(asked) is None:  # else it is the same start, or refused for that
            if faults := place_faults(asked, begin):
                raise Faulty(faults)
            if begin == "carried_over":
                refuse_carrying(asked)
        start = services.start(binding=asked, by=self.user, begin_at=begin, shown=body.shown)
        return answer(shown_run(start.run), 201 if start.is_new else 200)


class StopView(TenantView):
    """The stop of a binding."""

    @extend_schema(
        operation_id="bindings_stop",
        request=StopBody,
        responses={200: RunShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Ask the binding's run to stop; its state is kept for the next start, unless it is to be thrown away."""
        body = read_body(request, StopBody)
        stopped = services.stop(binding=access_binding(binding), flush=body.flush, discard=body.discard)
        return answer(shown_run(stopped))
