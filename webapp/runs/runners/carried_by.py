"""The runner of an organisation as its people may see it: with the number of others in it, never with their names."""

from streaming.definition.strict import Strict
from webapp.core.context import current_organisation, installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.runner_models import SeatInPool
from webapp.runs.runners.pooling import has_own_runner


class RunnerResponse(Strict):
    """A runner: `shared` with `others` organisations that have something to do in it now, or the organisation's own."""

    shared: bool
    others: int


def shown_runner() -> RunnerResponse:
    """Return the runner that carries the organisation in context, or would carry it."""
    seat = SeatInPool.objects.first()
    if seat is None:
        return RunnerResponse(shared=not has_own_runner(), others=0)
    with installation_context("how many organisations share a runner"):
        all_there: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool).filter(pool=seat.pool)
        others = all_there.exclude(organisation=current_organisation()).count()
    return RunnerResponse(shared=True, others=others)
