"""Scenarios over HTTP: stored with a query, run on its versions and on drafts, written and read as transcripts."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.simulator.samples.scenario import Expect
from webapp.accounts.access import TenantView
from webapp.accounts.limits.previews import previewing
from webapp.core.api import LARGE_BYTES, answer, read_body
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.queries.access import access_query, access_version_of, current_version
from webapp.queries.api import REFUSALS
from webapp.queries.checking import too_long
from webapp.queries.simulation.bodies import MOST_BODY_BYTES
from webapp.queries.texts import text_of
from webapp.scenarios import jobs, running, services
from webapp.scenarios.bodies import (
    ObserveBody,
    RunBody,
    ScenarioBody,
    ScenarioList,
    ScenarioResponse,
    ScenarioSummary,
    TranscriptRead,
    TranscriptText,
    VerdictList,
    VerdictResponse,
    VersionVerdictList,
)
from webapp.scenarios.jobs import QueryOfStreams
from webapp.scenarios.models import Scenario
from webapp.streams.access import stream_definitions

WRITES = {409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS}


def to_response(scenario: Scenario) -> ScenarioResponse:
    """Return a whole scenario as the API shows it."""
    return ScenarioResponse(**dict(services.body_of(scenario)), id=str(scenario.pk), query=str(scenario.query_id))


def whole(scenario: Scenario, status: int = 200) -> Response:
    """Return a scenario as the answer; omitted fields stay omitted, because an absent `end` and a null one differ."""
    return Response(to_response(scenario).model_dump(mode="json", exclude_unset=True), status=status)


class ScenariosView(TenantView):
    """The scenarios of a query."""

    @extend_schema(operation_id="scenarios_list", responses={200: ScenarioList, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """List the scenarios by name, each with its verdict on the current version."""
        found = access_query(query)
        scenarios = list(Scenario.objects.filter(query=found))
        verdicts = running.known_verdicts(current_version(found), scenarios)
        return answer(ScenarioList([_summary(each, verdicts.get(each.pk)) for each in scenarios]))

    @extend_schema(operation_id="scenarios_create", request=ScenarioBody, responses={201: ScenarioResponse, **WRITES})
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Store a sample with its expected results."""
        found = access_query(query)
        body = read_body(request, ScenarioBody, most_bytes=MOST_BODY_BYTES)
        return whole(services.create_scenario(query=found, body=body), 201)


def _summary(scenario: Scenario, verdict: VerdictResponse | None) -> ScenarioSummary:
    return ScenarioSummary(
        id=str(scenario.pk),
        name=scenario.name,
        rows=sum(row != "batch" for row in scenario.rows),
        expected=len(scenario.expect["events"]),
        author=scenario.author_label,
        changed_at=scenario.changed_at.isoformat(),
        verdict=verdict,
    )


class ScenarioView(TenantView):
    """One scenario."""

    @extend_schema(operation_id="scenarios_get", responses={200: ScenarioResponse, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID, scenario: UUID) -> Response:
        """Return a whole scenario."""
        return whole(services.access_scenario(access_query(query), scenario))

    @extend_schema(operation_id="scenarios_replace", request=ScenarioBody, responses={200: ScenarioResponse, **WRITES})
    def put(self, request: Request, slug: str, query: UUID, scenario: UUID) -> Response:
        """Replace a scenario, including its name; earlier verdicts become invalid."""
        found = services.access_scenario(access_query(query), scenario)
        body = read_body(request, ScenarioBody, most_bytes=MOST_BODY_BYTES)
        return whole(services.change_scenario(scenario=found, body=body))

    @extend_schema(operation_id="scenarios_delete", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, query: UUID, scenario: UUID) -> Response:
        """Delete a scenario."""
        services.delete_scenario(scenario=services.access_scenario(access_query(query), scenario))
        return Response(status=204)


class ScenariosRunView(TenantView):
    """Runs of scenarios."""

    @extend_schema(
        operation_id="scenarios_run",
        request=RunBody,
        responses={200: VerdictList, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Run all scenarios, or one, on a stored version or on a draft text, and return the differences."""
        found, body = access_query(query), read_body(request, RunBody, most_bytes=LARGE_BYTES)
        scenarios = list(Scenario.objects.filter(query=found))
        if body.only is not None:
            scenarios = [services.access_scenario(found, body.only)]
        if body.version is not None:
            return answer(VerdictList(running.run_version(access_version_of(found, body.version), scenarios)))
        return answer(VerdictList(running.run_text(_checked(body.text or ""), scenarios)))


def _checked(text: str) -> str:
    if refused := too_long(text):
        raise Faulty(refused)
    return text


class ObserveView(TenantView):
    """The results of a sample."""

    @extend_schema(
        operation_id="scenarios_observe",
        request=ObserveBody,
        responses={200: Expect, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Return net results, CTIs and late rows of a text on a sample, to be stored as an expectation."""
        access_query(query)
        body = read_body(request, ObserveBody, most_bytes=MOST_BODY_BYTES)
        with previewing():
            given = jobs.observed(QueryOfStreams(_checked(body.text), stream_definitions()), body.sample, body.advance)
        if given.expect is None:
            raise Faulty(given.faults)
        return Response(given.expect)


class ReadTranscriptView(TenantView):
    """Transcripts of files."""

    @extend_schema(
        operation_id="scenarios_read",
        request=TranscriptText,
        responses={200: TranscriptRead, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Read a transcript as a scenario of this query, with notes on ignored parts; nothing is stored."""
        version = current_version(access_query(query))
        body = read_body(request, TranscriptText, most_bytes=MOST_BODY_BYTES)
        given = jobs.transcript_read(body.transcript, QueryOfStreams(text_of(version), stream_definitions()))
        if given.read is None:
            remedy = "Upload a file in the form of a download from here."
            raise Faulty([fault(FaultCode.BAD_FILE, given.refused, remedy, field="transcript")])
        return Response(given.read)


class ScenarioTranscriptView(TenantView):
    """A scenario as a file."""

    @extend_schema(
        operation_id="scenarios_transcript",
        responses={(200, "application/yaml"): OpenApiTypes.STR, **REFUSALS},
    )
    def get(self, request: Request, slug: str, query: UUID, scenario: UUID) -> HttpResponse:
        """Return a scenario on the current version as a self-contained transcript."""
        found = access_query(query)
        asked = services.access_scenario(found, scenario)
        text = jobs.transcript_text(
            QueryOfStreams(text_of(current_version(found)), stream_definitions()), services.body_of(asked)
        )
        named = "".join(each if each.isascii() and each.isalnum() else "_" for each in asked.name)
        headers = {"Content-Disposition": f'attachment; filename="{found.name}_{named}.yaml"'}
        return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


class VerdictsView(TenantView):
    """The verdicts of the versions of a query."""

    @extend_schema(operation_id="scenarios_verdicts", responses={200: VersionVerdictList, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return for each version how many scenarios pass, differ, and have no current verdict."""
        return answer(VersionVerdictList(running.verdicts_by_version(access_query(query))))
