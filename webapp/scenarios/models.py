"""Scenarios of queries, and the verdicts of versions on them."""

from django.db import models

from webapp.core.tenancy import TenantModel
from webapp.queries.models import Query, QueryVersion


class Scenario(TenantModel):
    """A sample stored with a query: `rows` as in transcripts, `advance` by input, how it ends, and its expectation.

    `size` is the number of characters of all that as JSON, which counts for the quota.
    """

    exported = ("query_id", "name", "rows", "advance", "end", "expect", "author_label", "created_at", "changed_at")

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="scenarios")
    name = models.CharField(max_length=200)
    rows = models.JSONField()
    advance = models.JSONField(default=dict)
    end = models.CharField(max_length=5)
    expect = models.JSONField()
    size = models.PositiveIntegerField()
    author_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        """Names are unique in a query."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["query", "name"], name="scenario_name_once"),)

    def __str__(self) -> str:
        return self.name


class ScenarioVerdict(TenantModel):
    """The verdict of a version on a scenario: the differences of the last run.

    `fingerprint` is a hash of everything that was run: if it differs now, the scenario or a stream has changed since
    then.
    """

    exported = "verdicts: the export contains the scenarios, which can be run again"

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="verdicts")
    version = models.ForeignKey(QueryVersion, on_delete=models.CASCADE, related_name="+")
    fingerprint = models.CharField(max_length=64)
    holds = models.BooleanField()
    findings = models.JSONField()
    ran_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        """One verdict for each version."""

        constraints = (models.UniqueConstraint(fields=["scenario", "version"], name="verdict_once"),)

    def __str__(self) -> str:
        return f"{self.scenario_id} on {self.version_id}: {'holds' if self.holds else 'differs'}"
