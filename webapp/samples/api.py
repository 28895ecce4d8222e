"""Samples over HTTP; nothing is stored."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries.simulation_bodies import MOST_BODY_BYTES
from webapp.runs.access import access_binding
from webapp.samples import replaying, running, taking, why
from webapp.samples.bodies import (
    GeneratedSampleBody,
    QuarantineSampleBody,
    RunningSampleBody,
    SampleTaken,
    StreamSampleBody,
    TextSampleBody,
)
from webapp.samples.replay_bodies import ReplayBody, ReplayShown
from webapp.samples.why_bodies import WhyBody, WhyShown

ANSWERS: dict[int, Any] = {
    200: SampleTaken,
    401: ErrorEnvelope,
    403: ErrorEnvelope,
    404: ErrorEnvelope,
    422: ErrorEnvelope,
    429: ErrorEnvelope,
}


class StreamRowsView(TenantView):
    """Rows that an adapter reads."""

    @extend_schema(operation_id="samples_stream", request=StreamSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read the first rows of a stream through its adapter."""
        return answer(taking.of_stream(read_body(request, StreamSampleBody)))


class PastedRowsView(TenantView):
    """Rows of a text."""

    @extend_schema(operation_id="samples_text", request=TextSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read CSV or JSON lines as rows of a stream; which column is what is guessed where it is not said."""
        return answer(taking.of_text(read_body(request, TextSampleBody, most_bytes=MOST_BODY_BYTES)))


class GeneratedRowsView(TenantView):
    """Made-up rows."""

    @extend_schema(operation_id="samples_generated", request=GeneratedSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Make up rows of a stream, some of them late."""
        return answer(taking.of_generator(read_body(request, GeneratedSampleBody)))


class QuarantineRowsView(TenantView):
    """Rows of quarantine."""

    @extend_schema(operation_id="samples_quarantine", request=QuarantineSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Take late and malformed rows of a binding as they came."""
        body = read_body(request, QuarantineSampleBody)
        return answer(taking.of_binding(access_binding(body.binding), body))


class RunningRowsView(TenantView):
    """Rows that a binding has read."""

    @extend_schema(operation_id="samples_running", request=RunningSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read the last rows of a running or ended binding again, those that were on time among them."""
        body = read_body(request, RunningSampleBody)
        return answer(running.last_read(access_binding(body.binding), body.rows))


class ReplayView(TenantView):
    """Rows of quarantine, as if they had come in time."""

    @extend_schema(operation_id="samples_replay", request=ReplayBody, responses={**ANSWERS, 200: ReplayShown})
    def post(self, request: Request, slug: str) -> Response:
        """Say which rows of a binding's results would be other ones, had rows of its quarantine come in time.

        What the binding has read is read again, and its query runs without and with the chosen rows; nothing is stored.
        """
        body = read_body(request, ReplayBody, most_bytes=MOST_BODY_BYTES)
        return answer(replaying.replayed(access_binding(body.binding), body))


class WhyView(TenantView):
    """A row of the results, and what made it."""

    @extend_schema(operation_id="samples_why", request=WhyBody, responses={**ANSWERS, 200: WhyShown})
    def post(self, request: Request, slug: str) -> Response:
        """Say what made a row of a binding's results, or why there is none at a time.

        What the binding had read is read again, and its query runs on it; nothing is stored. Of a row whose input can
        not be read again what is kept of it is told, and why it cannot.
        """
        body = read_body(request, WhyBody)
        return answer(why.why(access_binding(body.binding), body))
