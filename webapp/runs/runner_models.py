"""Runner processes: their launches, how large they are, who shares one."""

from django.db import models

from webapp.core.tenancy import TenantModel


class LaunchNote(models.Model):
    """The latest launch of a runner process, so that nobody launches a second beside it.

    `attempts` counts the launches since a runner was last heard of; `stood_by`: it was up before it was launched.
    """

    host = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    launched_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    stood_by = models.BooleanField(default=False)

    class Meta:
        """What launches of all kinds have in common."""

        abstract = True

    def __str__(self) -> str:
        return f"{self.host} {self.pid}"


class RunnerSize(models.Model):
    """How large a runner is: the heap of its JVM, each worker, Spark's cores; null: what the installation says."""

    heap_mb = models.PositiveIntegerField(null=True)
    worker_mb = models.PositiveIntegerField(null=True)
    cores = models.PositiveIntegerField(null=True)

    class Meta:
        """What a wish and a launch have in common."""

        abstract = True

    @property
    def size(self) -> tuple[int | None, int | None, int | None]:
        """Heap and worker in MB, and cores."""
        return (self.heap_mb, self.worker_mb, self.cores)


class RunnerLaunch(LaunchNote, RunnerSize, TenantModel):
    """The latest launch of the organisation's own runner, and how large that was made."""

    exported = "a process of this installation, none of the organisation's data"

    class Meta(TenantModel.Meta):
        """One row for each organisation."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_launch_each"),)


class OwnRunner(RunnerSize, TenantModel):
    """That the installation's admins gave the organisation a runner of its own, and how large it is to be."""

    exported = "what the installation gives it to work with"

    class Meta(TenantModel.Meta):
        """One row for each organisation that has one where others share."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_own_runner_each"),)

    def __str__(self) -> str:
        return f"{self.heap_mb} {self.worker_mb} {self.cores}"


class SeatInPool(TenantModel):
    """In which pooled runner the organisation has something to do; there is one row while it has.

    Not `served`: nothing is left to do there, but the pool still holds the organisation's lease.
    """

    exported = "which process of this installation works for it now"

    pool = models.PositiveIntegerField()
    served = models.BooleanField(default=True)

    class Meta(TenantModel.Meta):
        """One row for each organisation, so that no two pools serve it."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_seat_each"),)
        indexes = (models.Index(fields=["pool"], name="seat_by_pool"),)

    def __str__(self) -> str:
        return f"{self.organisation_id} in pool {self.pool}"


class PooledRunner(LaunchNote):
    """The latest launch of pooled runner `number`, which serves many organisations and is nobody's.

    `domain` and `message`: why it is not there though it should be, for the runs that wait for it.
    """

    number = models.PositiveIntegerField(unique=True)
    domain = models.CharField(max_length=10, null=True)
    message = models.TextField(null=True)

    def __str__(self) -> str:
        return f"pool {self.number}"
