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
    "Your role may not give the binding another version. Ask a designer to change the binding, then change its run."
)


class VersionChangeAsked(Strict):
    """The version that a change would be to; left out: the one that the binding has."""

    query_version: UUID | None = None


class VersionChangeBody(Strict):
    """The version of a query that is to take over from the run of a binding."""

    query_version: UUID


class VersionChangeShown(Strict):
    """A change of the run `run` to version number `version` without a pause; `next_run` is the one that takes over.

    `behind`: so many rows the new version has still to read of those that the run has read, `seconds_left` how long
    that takes at the speed so far; `held`: so many rows it holds that the run has not given; null: not known yet.
    `began` says how it began. `message`: why it was called off. `ctis`: by output, where it took over, in ticks; null
    where nothing had been given yet.
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
    """The change of a binding that is under way, or the last one; null: there was none.

    `refusal`: why the run cannot be changed now to the version that was asked about; null: it can.
    """

    change: VersionChangeShown | None
    refusal: str | None


def shown_change(change: VersionChange) -> VersionChangeShown:
    """Return a change as it is shown."""
    progress = None if change.progress is None else ChangeProgress.model_validate(change.progress)
    return VersionChangeShown(
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
        parameters=[OpenApiParameter("query_version", UUID, description="The version that a change would be to.")],
        responses={200: VersionChangeStanding, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Say how far a change is, and whether one could begin; 404 for a version that is not yours."""
        asked = read_query(request, VersionChangeAsked).query_version
        return answer(_standing(access_binding(binding), asked))

    @extend_schema(
        operation_id="bindings_change_version",
        request=VersionChangeBody,
        responses={201: VersionChangeShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Let another version catch up beside the run, and take over without a pause; 409 says why it cannot."""
        found, version = access_binding(binding), access_version(read_body(request, VersionChangeBody).query_version)
        if version.pk != found.query_version_id and not self.may(Permission.EDIT):
            raise Forbidden(NOT_ITS_VERSION)
        change = begin_change(binding=found, version=version, by=self.user)
        return answer(shown_change(change), 201)

    @extend_schema(
        operation_id="bindings_call_off_change",
        responses={200: VersionChangeShown, 409: ErrorEnvelope, **REFUSALS},
    )
    def delete(self, request: Request, slug: str, binding: UUID) -> Response:
        """Call the change off while the new version catches up: the run goes on as it is."""
        return answer(shown_change(cancel_change(binding=access_binding(binding))))
