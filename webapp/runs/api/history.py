"""What a run ran, as it was at its start: the query's text and graph, and what its inputs read and how."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope
from webapp.queries.texts import printed
from webapp.runs.access import access_run
from webapp.runs.models import Run

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class RunInputShown(Strict):
    """What an input node read: the stream's name and what it said, the kind of its adapter, the binding's settings."""

    node: str
    stream: str
    definition: StreamDefinition
    adapter: str
    advance: AdvanceTimeSettings | None


class RunDefinitionShown(Strict):
    """What a run ran. `query_version` is null where it is not known.

    `text` is the query's SQL; where none was kept it is written from `graph`, which names the streams that were bound.
    """

    binding_name: str
    query_name: str
    query_version: int | None
    text: str
    graph: QueryGraph
    inputs: list[RunInputShown]


def shown_definition(run: Run) -> RunDefinitionShown:
    """Return what `run` ran as the API shows it; no option of an adapter is in it."""
    spec = run.read_spec()
    streams = {node.id: node.stream for node in spec.query.nodes if isinstance(node, InputNode)}
    inputs = [
        RunInputShown(
            node=node,
            stream=streams.get(node, node),
            definition=each.stream,
            adapter=each.adapter.kind,
            advance=each.advance,
        )
        for node, each in spec.inputs.items()
    ]
    return RunDefinitionShown(
        binding_name=run.binding_name,
        query_name=run.query_name,
        query_version=run.query_version,
        text=run.query_text or printed(spec.query),
        graph=spec.query,
        inputs=inputs,
    )


class RunDefinitionView(TenantView):
    """What a run ran."""

    @extend_schema(operation_id="runs_definition", responses={200: RunDefinitionShown, **REFUSALS})
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return the query, the streams and the settings of a run as they were at its start."""
        return answer(shown_definition(access_run(run)))
