"""The number of an organisation's scenarios, and their size."""

from django.db.models import Sum

from webapp.accounts.limits.quotas import counts
from webapp.scenarios.models import Scenario


@counts("scenarios")
def scenarios() -> int:
    """Return the number of scenarios of the organisation in context."""
    return Scenario.objects.count()


@counts("scenario_bytes")
def scenario_bytes() -> int:
    """Return the characters of all its scenarios."""
    return Scenario.objects.aggregate(total=Sum("size"))["total"] or 0
