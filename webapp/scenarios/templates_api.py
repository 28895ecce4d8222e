"""Templates over HTTP: the gallery, and using one."""

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.templates.catalogue import QueryTemplate, templates
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import current_version, streams_used
from webapp.queries.api import REFUSALS, to_response
from webapp.queries.bodies import QueryResponse
from webapp.scenarios.templates import take, template_named


class TemplateDetailResponse(Strict):
    """A template in the gallery: a description, its query, and the number of rows and results of its sample.

    `late` counts the late rows by outcome.
    """

    name: str
    title: str
    shows: str
    sql: str
    streams: list[str]
    rows: int
    results: int
    late: dict[str, int]


class TemplateList(RootModel[list[TemplateDetailResponse]]):
    """All templates by name."""


def shown_template(template: QueryTemplate) -> TemplateDetailResponse:
    """Return a template as the API shows it."""
    expect = template.transcript.expect
    return TemplateDetailResponse(
        name=template.name,
        title=template.head.title,
        shows=template.head.shows,
        sql=template.sql,
        streams=list(template.streams),
        rows=sum(row != "batch" for row in template.transcript.input),
        results=0 if expect is None else len(expect.events),
        late=template.late,
    )


class TemplatesView(TenantView):
    """Templates of real tasks."""

    @extend_schema(operation_id="templates_list", responses={200: TemplateList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the templates."""
        return answer(TemplateList([shown_template(each) for each in templates()]))


class TemplateTakenView(TenantView):
    """The use of a template."""

    @extend_schema(
        operation_id="templates_take",
        request=None,
        responses={201: QueryResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, template: str) -> Response:
        """Make the query of a template, with streams that read its rows from files, and its sample as a scenario."""
        version = current_version(take(template=template_named(template), author=self.user))
        return answer(to_response(version, streams_used([version])), 201)
