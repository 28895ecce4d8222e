"""What the next start of a binding would do, over HTTP."""

from dataclasses import asdict
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.state_differences import NodeDifference
from streaming.definition.strict import Strict
from streaming.wire.beginning import KeptBegin
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import access_version
from webapp.runs.access import access_binding
from webapp.runs.api.bindings import REFUSALS
from webapp.runs.starts.next_start import next_start, start_mark


class NextStartAsked(Strict):
    """The version of a query that the binding would have; left out: the one that it has."""

    query_version: UUID | None = None


class StartOptionShown(Strict):
    """A way to begin; times in ticks. It reads `rows_again` again, `rows_at_most`: or fewer.

    `incomplete`: some results will say that they are not whole, those before `whole_from`, or, where it is null, any.
    """

    begin: KeptBegin
    sentence: str
    rows_again: int
    rows_at_most: bool
    incomplete: bool
    whole_from: int | None


class NextStartShown(Strict):
    """What the next start of a binding does with what its last run kept, as of now.

    `goes_on`: with all state. `reason`: why state is left behind if it does not go on or an option is chosen, null
    where there are none; no sentence repeats it. `open_from`, `open_until`: the time of what is open, null where
    nothing is. At most `open_windows` are open, each with all of its groups; null where windows are not fixed, or it is
    not known. At most `open_rows` rows are in what is open; null where that is not known. `options` are what may
    be chosen; where it does not go on, the first is what is done if nothing is. `nodes`: what becomes of what
    each node holds, where the query is another one than that of the last run: it is made again from rows that are read
    again, or carried over, where `carried_over` is an option. `not_carried`: why it is none; null where the query is
    the same. `mark`: what a start is known by that is as it is shown here; null where that has no streams yet.
    """

    goes_on: bool
    reason: str | None
    sentence: str
    open_from: int | None
    open_until: int | None
    open_windows: int | None
    open_rows: int | None
    options: list[StartOptionShown]
    nodes: list[NodeDifference]
    not_carried: str | None
    mark: str | None


class NextStartView(TenantView):
    """What the next start of a binding would do."""

    @extend_schema(
        operation_id="bindings_next_start",
        parameters=[OpenApiParameter("query_version", UUID, description="As if the binding were of this version.")],
        responses={200: NextStartShown, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Say what the next start does with what the last run kept; 404 for a version that is not yours."""
        asked = read_query(request, NextStartAsked).query_version
        version = None if asked is None else access_version(asked)
        of = access_binding(binding)
        mark = start_mark(of, version)  # before the rest: what changes in between is another start then
        found = next_start(of, version)
        options = [StartOptionShown.model_validate(asdict(option)) for option in found.options]
        return answer(
            NextStartShown(
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
                mark=mark,
            )
        )
