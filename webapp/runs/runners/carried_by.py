"""Which runner carries the runs of an organisation, as its people may see it: with how many others, never with whom."""

from streaming.definition.strict import Strict
from webapp.core.context import current_organisation, installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.runner_models import SeatInPool
from webapp.runs.runners.pooling import has_own_runner


class RunnerShown(Strict):
    """A runner: `shared` with so many `others`, the organisations that have something to do in it now, or its own."""

    shared: bool
    others: int


def shown_runner() -> RunnerShown:
    """Return which runner carries the organisation in context, or would carry it."""
    seat = SeatInPool.objects.first()
    if seat is None:
        return RunnerShown(shared=not has_own_runner(), others=0)
    with installation_context("how many organisations share a runner"):
        all_there: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool).filter(pool=seat.pool)
        others = all_there.exclude(organisation=current_organisation()).count()
    return RunnerShown(shared=True, others=others)
