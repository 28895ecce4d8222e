"""The definition that a run started with: the query's text and graph, and the streams and settings of its inputs."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope
from webapp.queries.texts import printed
from webapp.runs.access import access_run
from webapp.runs.models import Run

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class RunInputResponse(Strict):
    """The stream that an input node read, its definition then, the adapter's kind, and the binding's settings."""

    node: str
    stream: str
    definition: StreamDefinition
    adapter: str
    advance: AdvanceTimeSettings | None


class RunDefinitionResponse(Strict):
    """The definition of a run. `query_version` is null if it was not stored.

    `text` is the query's SQL; if none was stored, it is printed from `graph`, which names the bound streams.
    """

    binding_name: str
    query_name: str
    query_version: int | None
    text: str
    graph: QueryGraph
    inputs: list[RunInputResponse]


def shown_definition(run: Run) -> RunDefinitionResponse:
    """Return the definition of `run` as the API shows it, without any adapter options."""
    spec = run.read_spec()
    streams = {node.id: node.stream for node in spec.query.nodes if isinstance(node, InputNode)}
    inputs = [
        RunInputResponse(
            node=node,
            stream=streams.get(node, node),
            definition=each.stream,
            adapter=each.adapter.kind,
            advance=each.advance,
        )
        for node, each in spec.inputs.items()
    ]
    return RunDefinitionResponse(
        binding_name=run.binding_name,
        query_name=run.query_name,
        query_version=run.query_version,
        text=run.query_text or printed(spec.query),
        graph=spec.query,
        inputs=inputs,
    )


class RunDefinitionView(TenantView):
    """The definition that a run started with."""

    @extend_schema(operation_id="runs_definition", responses={200: RunDefinitionResponse, **REFUSALS})
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return the query, the streams and the settings of a run as they were at its start."""
        return answer(shown_definition(access_run(run)))
