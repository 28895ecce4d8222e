"""The stored progress of runs: totals at the end of each time step, and the position of the reader of reports."""

from django.db import models

from webapp.core.tenancy import TenantModel
from webapp.runs.models import Run


class RunRollup(TenantModel):
    """The totals in the last report of the step `[at, at + seconds)`; steps without a report have no row.

    Times are ticks; `sample` is that report's RunSample, `lag` the largest `lag_of` of all reports of the step, and
    `overdue` their largest `overdue_of`. Totals only rise, so writing a row again, or reading a report twice, changes
    nothing.
    """

    exported = "figures of runs over time, which the API gives as long as they are kept"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rollups")
    seconds = models.PositiveSmallIntegerField()
    at = models.BigIntegerField()
    reported_at = models.BigIntegerField()
    sample = models.JSONField()
    lag = models.BigIntegerField(null=True)
    overdue = models.BigIntegerField(null=True)

    class Meta(TenantModel.Meta):
        """One for each step; found by run and time, and by age."""

        ordering = ("at",)
        constraints = (models.UniqueConstraint(fields=["run", "seconds", "at"], name="one_rollup_each"),)
        indexes = (models.Index(fields=["seconds", "at"], name="rollup_by_age"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.seconds} s {self.at}"


class RollupDetail(TenantModel):
    """The details of the step `[at, at + seconds)` of a run, in ticks.

    `largest` is the `LargestLag` of its `RunDetail`, `content` are the other fields, packed.
    """

    exported = "figures of runs over time, which the API gives as long as they are kept"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rollup_details")
    seconds = models.PositiveSmallIntegerField()
    at = models.BigIntegerField()
    largest = models.JSONField(null=True)
    content = models.BinaryField()

    class Meta(TenantModel.Meta):
        """One for each step; found by run and time, and by age."""

        ordering = ("at",)
        constraints = (models.UniqueConstraint(fields=["run", "seconds", "at"], name="one_detail_each"),)
        indexes = (models.Index(fields=["seconds", "at"], name="detail_by_age"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.seconds} s {self.at}"


class RollupCursor(TenantModel):
    """The position up to which the reports of a run were read: `reading` is a Reading, `entry` its last Redis entry.

    It is written together with the rows of the reports read. `done`: the run has ended, and no report will follow.
    """

    exported = "how far such figures were read"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="rollup_cursor")
    entry = models.CharField(max_length=48)
    reading = models.JSONField()
    done = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.run_id} {self.entry}"
