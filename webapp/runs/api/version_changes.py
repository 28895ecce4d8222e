"""Changes of running bindings to another version without a pause, over HTTP."""

from datetime import datetime
from typing import Final
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.permissions import Permission
from webapp.core.api import answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope, Forbidden
from webapp.queries.access import access_version
from webapp.runs.access import access_binding
from webapp.runs.api.bindings import REFUSALS
from webapp.runs.bindings.changing import ChangeProgress
from webapp.runs.models import Binding, VersionChange
from webapp.runs.states import ChangeState
from webapp.runs.versions.version_changes import begin_change, cancel_change, newest_change, refusal

NOT_ITS_VERSION: Final = (
    "Your role may not change a binding's version. Ask a designer to change the binding, then change its run."
)


class VersionChangeQuery(Strict):
    """The target version of a change; left out: the binding's own version."""

    query_version: UUID | None = None


class VersionChangeBody(Strict):
    """The query version that is to take over from the run of a binding."""

    query_version: UUID


class VersionChangeResponse(Strict):
    """A change of the run `run` to version number `version` without a pause; `next_run` is the run that takes over.

    `behind`: the rows that the run has read and the new version has not, `seconds_left`: the time to read them at the
    present speed; `held`: the rows that the new version holds and the run has not emitted; null: unknown so far.
    `began` describes its start. `message`: why the change was called off. `ctis`: where it took over, by output, in
    ticks; null if nothing had been emitted yet.
    """

    id: UUID
    state: ChangeState
    version: int
    run: UUID
    next_run: UUID
    by: str
    created_at: datetime
    ended_at: datetime | None
    message: str
    behind: int | None
    seconds_left: int | None
    held: int | None
    began: str
    ctis: dict[str, int | None]


class VersionChangeStanding(Strict):
    """The change of a binding that is under way, or the last one; null: no change so far.

    `refusal`: why the run can't be changed to the requested version now; null: it can.
    """

    change: VersionChangeResponse | None
    refusal: str | None


def shown_change(change: VersionChange) -> VersionChangeResponse:
    """Return a change as the API shows it."""
    progress = None if change.progress is None else ChangeProgress.model_validate(change.progress)
    return VersionChangeResponse(
        id=change.pk,
        state=ChangeState(change.state),
        version=change.version,
        run=change.run_id,
        next_run=change.next_run,
        by=change.by_label,
        created_at=change.created_at,
        ended_at=change.ended_at,
        message=change.message,
        behind=None if progress is None else progress.behind,
        seconds_left=None if progress is None else progress.seconds_left,
        held=None if progress is None else progress.held,
        began="" if progress is None else progress.sentence,
        ctis=change.ctis,
    )


def _standing(binding: Binding, query_version: UUID | None) -> VersionChangeStanding:
    version = binding.query_version if query_version is None else access_version(query_version)
    change = newest_change(binding)
    return VersionChangeStanding(
        change=None if change is None else shown_change(change), refusal=refusal(binding, version)
    )


class VersionChangeView(TenantView):
    """The change of a binding to another version without a pause."""

    @extend_schema(
        operation_id="bindings_version_change",
        parameters=[OpenApiParameter("query_version", UUID, description="The target version of a change.")],
        responses={200: VersionChangeStanding, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return the progress of a change, and whether one could start; 404 for a version that is not yours."""
        asked = read_query(request, VersionChangeQuery).query_version
        return answer(_standing(access_binding(binding), asked))

    @extend_schema(
        operation_id="bindings_change_version",
        request=VersionChangeBody,
        responses={201: VersionChangeResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Start another version next to the run; it takes over once it has caught up. 409 if impossible."""
        found, version = access_binding(binding), access_version(read_body(request, VersionChangeBody).query_version)
        if version.pk != found.query_version_id and not self.may(Permission.EDIT):
            raise Forbidden(NOT_ITS_VERSION)
        change = begin_change(binding=found, version=version, by=self.user)
        return answer(shown_change(change), 201)

    @extend_schema(
        operation_id="bindings_call_off_change",
        responses={200: VersionChangeResponse, 409: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Call the change off while the new version catches up; the run continues unchanged."""
        return answer(shown_change(cancel_change(binding=access_binding(binding))))
