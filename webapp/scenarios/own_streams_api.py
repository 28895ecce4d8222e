"""Templates on own streams over HTTP: the fitting streams, a preview of the query, and making it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.templates.fitting import FieldFit, InputFit
from webapp.accounts.access import TenantView
from webapp.core.api import LARGE_BYTES, answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import current_version, streams_used
from webapp.queries.api import REFUSALS, to_response
from webapp.scenarios.own_streams import fitting, take_on, written
from webapp.scenarios.own_streams_bodies import (
    FieldChoice,
    OfferedField,
    OwnQueryPreview,
    OwnQueryResponse,
    OwnStreamsBody,
    StreamChoice,
    TemplateInputChoice,
    TemplateInputs,
)
from webapp.scenarios.templates import template_named
from webapp.streams.access import streams_by_name
from webapp.streams.models import Stream


class TemplateStreamsView(TenantView):
    """The streams that a template may read instead of its own."""

    @extend_schema(operation_id="templates_inputs", responses={200: TemplateInputs, **REFUSALS})
    def get(self, request: Request, slug: str, template: str) -> Response:
        """List the inputs of a template, each with the streams, how they fit, and a proposal with its reason."""
        found, streams = fitting(template_named(template)), streams_by_name()
        return answer(TemplateInputs([_input(each, streams) for each in found]))

    @extend_schema(
        operation_id="templates_take_on_streams",
        request=OwnStreamsBody,
        responses={201: OwnQueryResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, template: str) -> Response:
        """Make the query of a template on chosen streams, with its scenario if it passes there."""
        found = template_named(template)
        taken = take_on(
            template=found, chosen=read_body(request, OwnStreamsBody, most_bytes=LARGE_BYTES), author=self.user
        )
        version = current_version(taken.query)
        query = to_response(version, streams_used([version]))
        return answer(OwnQueryResponse(query=query, scenario=taken.scenario, scenario_words=taken.words), 201)


class TemplatePreviewView(TenantView):
    """A preview of a template's query."""

    @extend_schema(
        operation_id="templates_preview",
        request=OwnStreamsBody,
        responses={200: OwnQueryPreview, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, template: str) -> Response:
        """Write the query of a template on chosen streams and check it; nothing is stored."""
        found = template_named(template)
        made = written(template=found, chosen=read_body(request, OwnStreamsBody, most_bytes=LARGE_BYTES))
        comes = made.scenario is not None
        return answer(OwnQueryPreview(text=made.text, faults=made.faults, scenario=comes, scenario_words=made.words))


def _input(fit: InputFit, streams: dict[str, Stream]) -> TemplateInputChoice:
    listed = [
        StreamChoice(
            id=str(streams[each.stream].pk),
            name=each.stream,
            missing=each.missing,
            note=each.note,
            fields=[_field(field, streams[each.stream].read_definition().fields) for field in each.fields],
        )
        for each in fit.streams
    ]
    proposed = None if fit.proposed is None else str(streams[fit.proposed].pk)
    return TemplateInputChoice(input=fit.input, needs=fit.needs, proposed=proposed, streams=listed)


def _field(fit: FieldFit, fields: dict[str, str]) -> FieldChoice:
    offered = [OfferedField(name=each, type=fields[each]) for each in fit.offered]
    return FieldChoice(field=fit.field, type=fit.type, offered=offered, proposed=fit.proposed, reason=fit.reason)
