"""The effect of a binding's next start, over HTTP."""

from dataclasses import asdict
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.definition.versions.state_differences import NodeDifference
from streaming.wire.beginning import KeptBegin
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import access_version
from webapp.runs.access import access_binding
from webapp.runs.api.bindings import REFUSALS
from webapp.runs.outputs.bound_outputs import output_names
from webapp.runs.starts.next_start import next_start, start_mark


class NextStartQuery(Strict):
    """The query version that the binding would have; left out: its present one."""

    query_version: UUID | None = None


class StartOptionResponse(Strict):
    """A start position; times in ticks. The start reads `rows_again` rows again; `rows_at_most`: or fewer.

    `incomplete`: some results will be marked as incomplete, namely those before `whole_from`, or, if that is null, any.
    """

    begin: KeptBegin
    sentence: str
    rows_again: int
    rows_at_most: bool
    incomplete: bool
    whole_from: int | None


class NextStartResponse(Strict):
    """The effect of the next start of a binding on the state that its last run kept, as of now.

    `goes_on`: the start resumes with all state. `reason`: why state is discarded if the start does not resume or if an
    option is chosen; null without options; no other sentence repeats it. `open_from`, `open_until`: the time range of
    open windows, null if nothing is open. `open_windows`: the most windows that are open, each with all of its groups;
    null if windows have no fixed size or the number is unknown. `open_rows`: the most rows in them; null if unknown.
    `options`: the start positions to choose from; if the start does not resume, the first one is the default.
    `nodes`: for a query that differs from that of the last run, the effect on the state of each node: it is rebuilt
    from rows that are read again, or carried over if `carried_over` is an option. `not_carried`: why it is not an
    option; null if the query is the same. `mark`: identifies this answer in a start request; null while an input has no
    stream.
    """

    goes_on: bool
    reason: str | None
    sentence: str
    open_from: int | None
    open_until: int | None
    open_windows: int | None
    open_rows: int | None
    options: list[StartOptionResponse]
    nodes: list[NodeDifference]
    not_carried: str | None
    inputs_ended: bool
    delivers_to: list[str]
    mark: str | None


class NextStartView(TenantView):
    """The effect of the next start of a binding."""

    @extend_schema(
        operation_id="bindings_next_start",
        parameters=[OpenApiParameter("query_version", UUID, description="Answer as if the binding had this version.")],
        responses={200: NextStartResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return the effect of the next start on the last run's state; 404 for a version that is not yours."""
        asked = read_query(request, NextStartQuery).query_version
        version = None if asked is None else access_version(asked)
        of = access_binding(binding)
        mark = start_mark(of, version)  # first: a change during the rest of this request must give another mark
        found = next_start(of, version)
        options = [StartOptionResponse.model_validate(asdict(option)) for option in found.options]
        return answer(
            NextStartResponse(
                goes_on=found.goes_on,
                reason=found.reason,
                sentence=found.sentence,
                open_from=found.open_from,
                open_until=found.open_until,
                open_windows=found.open_windows,
                open_rows=found.open_rows,
                options=options,
                nodes=list(found.nodes),
                not_carried=found.not_carried,
                inputs_ended=found.inputs_ended,
                delivers_to=output_names(of),
                mark=mark,
            )
        )
