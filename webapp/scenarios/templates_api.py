"""Templates over HTTP: the gallery, and taking one."""

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
from webapp.queries.api import REFUSALS, shown
from webapp.queries.bodies import QueryShown
from webapp.scenarios.templates import take, template_named


class TemplateShown(Strict):
    """A template in the gallery: what it shows, its query, and of its sample how many rows and results there are.

    `late` counts the rows that came late by what became of them.
    """

    name: str
    title: str
    shows: str
    sql: str
    streams: list[str]
    rows: int
    results: int
    late: dict[str, int]


class TemplateList(RootModel[list[TemplateShown]]):
    """All templates by name."""


def shown_template(template: QueryTemplate) -> TemplateShown:
    """Return a template as the API shows it."""
    expect = template.transcript.expect
    return TemplateShown(
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
    """Real tasks to begin with."""

    @extend_schema(operation_id="templates_list", responses={200: TemplateList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the templates."""
        return answer(TemplateList([shown_template(each) for each in templates()]))


class TemplateTakenView(TenantView):
    """Beginning with one."""

    @extend_schema(
        operation_id="templates_take",
        request=None,
        responses={201: QueryShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, template: str) -> Response:
        """Make the query of a template, with streams that read its rows from files, and its sample as a scenario."""
        version = current_version(take(template=template_named(template), author=self.user))
        return answer(shown(version, streams_used([version])), 201)
