"""One run over HTTP, with what only its own page asks for."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import MendTarget
from webapp.runs.access import access_run
from webapp.runs.api.bindings import REFUSALS, RunShown, shown_run
from webapp.runs.bindings.mending import targets_of
from webapp.runs.runners.carried_by import RunnerShown, shown_runner


class MendableRun(RunShown):
    """A run by itself: `mend` is what may be changed before its binding is started again, as it is called today.

    `runner`: which one carries it, null once it has ended.
    """

    mend: list[MendTarget]
    runner: RunnerShown | None


class RunView(TenantView):
    """One run."""

    @extend_schema(operation_id="runs_get", responses={200: MendableRun, **REFUSALS})
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return a run."""
        found = access_run(run)
        runner = None if found.ended_at is not None else shown_runner()
        return answer(MendableRun(**dict(shown_run(found)), mend=targets_of(found), runner=runner))
