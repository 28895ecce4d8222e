"""What is kept of the progress of runs: their totals at the end of each step of time, and how far reports were read."""

from django.db import models

from webapp.core.tenancy import TenantModel
from webapp.runs.models import Run


class RunRollup(TenantModel):
    """The totals of a run as its last report of the step `[at, at + seconds)` told them; steps without one have no row.

    Times are ticks; `sample` is that report's RunSample. Totals rise, so a row that is written again, or a report that
    is read twice, changes nothing.
    """

    exported = "figures of runs over time, which the API gives as long as they are kept"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rollups")
    seconds = models.PositiveSmallIntegerField()
    at = models.BigIntegerField()
    reported_at = models.BigIntegerField()
    sample = models.JSONField()

    class Meta(TenantModel.Meta):
        """One for each step; found by run and time, and by age."""

        ordering = ("at",)
        constraints = (models.UniqueConstraint(fields=["run", "seconds", "at"], name="one_rollup_each"),)
        indexes = (models.Index(fields=["organisation", "seconds", "at"], name="rollup_by_age"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.seconds} s {self.at}"


class RollupCursor(TenantModel):
    """How far the reports of a run were read: `reading` is a Reading, `entry` of it the last one in Redis.

    It is written together with the rows of what was read. `done`: the run has ended, and nothing more will come.
    """

    exported = "how far such figures were read"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="rollup_cursor")
    entry = models.CharField(max_length=48)
    reading = models.JSONField()
    done = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.run_id} {self.entry}"
