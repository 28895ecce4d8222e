"""One run over HTTP, with the fields that only its own page needs."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import MendTarget
from webapp.runs.access import access_run
from webapp.runs.api.bindings import REFUSALS, RunResponse, shown_run
from webapp.runs.bindings.mending import targets_of
from webapp.runs.runners.carried_by import RunnerResponse, shown_runner


class MendableRun(RunResponse):
    """One run: `mend` lists the objects to change before its binding is started again, by their present names.

    `runner`: the runner that carries it, null once it has ended.
    """

    mend: list[MendTarget]
    runner: RunnerResponse | None


class RunView(TenantView):
    """One run."""

    @extend_schema(operation_id="runs_get", responses={200: MendableRun, **REFUSALS})
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return a run."""
        found = access_run(run)
        runner = None if found.ended_at is not None else shown_runner()
        return answer(MendableRun(**dict(shown_run(found)), mend=targets_of(found), runner=runner))
