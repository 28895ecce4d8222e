"""Samples over HTTP; nothing is stored."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import LARGE_BYTES, answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries.simulation.bodies import MOST_BODY_BYTES
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
from webapp.samples.replay_bodies import ReplayBody, ReplayResponse
from webapp.samples.why_bodies import WhyBody, WhyResponse

ANSWERS: dict[int, Any] = {
    200: SampleTaken,
    401: ErrorEnvelope,
    403: ErrorEnvelope,
    404: ErrorEnvelope,
    422: ErrorEnvelope,
    429: ErrorEnvelope,
}


class StreamRowsView(TenantView):
    """Rows from a stream's adapter."""

    @extend_schema(operation_id="samples_stream", request=StreamSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read the first rows of a stream through its adapter."""
        return answer(taking.of_stream(read_body(request, StreamSampleBody, most_bytes=LARGE_BYTES)))


class PastedRowsView(TenantView):
    """Rows of a text."""

    @extend_schema(operation_id="samples_text", request=TextSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read CSV or JSON lines as rows of a stream; unnamed columns are guessed."""
        return answer(taking.of_text(read_body(request, TextSampleBody, most_bytes=MOST_BODY_BYTES)))


class GeneratedRowsView(TenantView):
    """Generated rows."""

    @extend_schema(operation_id="samples_generated", request=GeneratedSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Generate rows of a stream, some of them late."""
        return answer(taking.of_generator(read_body(request, GeneratedSampleBody, most_bytes=LARGE_BYTES)))


class QuarantineRowsView(TenantView):
    """Rows of quarantine."""

    @extend_schema(operation_id="samples_quarantine", request=QuarantineSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Return late and malformed rows of a binding in their original form."""
        body = read_body(request, QuarantineSampleBody, most_bytes=LARGE_BYTES)
        return answer(taking.of_binding(access_binding(body.binding), body))


class RunningRowsView(TenantView):
    """Rows that a binding has read."""

    @extend_schema(operation_id="samples_running", request=RunningSampleBody, responses=ANSWERS)
    def post(self, request: Request, slug: str) -> Response:
        """Read the last rows of a running or ended binding again, including those that were on time."""
        body = read_body(request, RunningSampleBody, most_bytes=LARGE_BYTES)
        return answer(running.last_read(access_binding(body.binding), body.rows))


class ReplayView(TenantView):
    """Rows of quarantine, as if they had been on time."""

    @extend_schema(operation_id="samples_replay", request=ReplayBody, responses={**ANSWERS, 200: ReplayResponse})
    def post(self, request: Request, slug: str) -> Response:
        """Return the rows of a binding's results that would change if rows of its quarantine had been on time.

        The binding's input is read again, and its query runs without and with the chosen rows; nothing is stored.
        """
        body = read_body(request, ReplayBody, most_bytes=MOST_BODY_BYTES)
        return answer(replaying.replayed(access_binding(body.binding), body))


class WhyView(TenantView):
    """A row of the results, and its origin."""

    @extend_schema(operation_id="samples_why", request=WhyBody, responses={**ANSWERS, 200: WhyResponse})
    def post(self, request: Request, slug: str) -> Response:
        """Explain how a row of a binding's results was made, or why a time has no row.

        The binding's input is read again, and its query runs on it; nothing is stored. If the input cannot be read
        again, the answer contains the stored facts about the row, and the reason.
        """
        body = read_body(request, WhyBody, most_bytes=LARGE_BYTES)
        return answer(why.why(access_binding(body.binding), body))
