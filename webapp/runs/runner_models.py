"""Runner processes: their launches, sizes, and pools."""

from django.db import models

from webapp.core.tenancy import TenantModel


class LaunchNote(models.Model):
    """The latest launch of a runner process, so that no second one is launched next to it.

    `attempts` counts the launches since a runner last held a lease; `stood_by`: it was a standby before the launch.
    """

    host = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    launched_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    stood_by = models.BooleanField(default=False)

    class Meta:
        """Options of all kinds of launches."""

        abstract = True

    def __str__(self) -> str:
        return f"{self.host} {self.pid}"


class RunnerSize(models.Model):
    """The size of a runner: the heap of its JVM, the memory of each worker, Spark's cores; null: the installation's."""

    heap_mb = models.PositiveIntegerField(null=True)
    worker_mb = models.PositiveIntegerField(null=True)
    cores = models.PositiveIntegerField(null=True)

    class Meta:
        """Options of all sizes."""

        abstract = True

    @property
    def size(self) -> tuple[int | None, int | None, int | None]:
        """Heap and worker in MB, and cores."""
        return (self.heap_mb, self.worker_mb, self.cores)


class RunnerLaunch(LaunchNote, RunnerSize, TenantModel):
    """The latest launch of the organisation's own runner, and its size."""

    exported = "a process of this installation, none of the organisation's data"

    class Meta(TenantModel.Meta):
        """One row for each organisation."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_launch_each"),)


class OwnRunner(RunnerSize, TenantModel):
    """A runner of the organisation's own, granted by the installation's administrators, and its wanted size."""

    exported = "what the installation gives it to work with"

    class Meta(TenantModel.Meta):
        """One row for each organisation that has its own runner while others share."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_own_runner_each"),)

    def __str__(self) -> str:
        return f"{self.heap_mb} {self.worker_mb} {self.cores}"


class SeatInPool(TenantModel):
    """The pooled runner in which the organisation has something to do; there is one row while it has.

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
    """The latest launch of pooled runner `number`, which serves many organisations.

    `domain` and `message`: why it is missing, for the runs that wait for it.
    """

    number = models.PositiveIntegerField(unique=True)
    domain = models.CharField(max_length=10, null=True)
    message = models.TextField(null=True)

    def __str__(self) -> str:
        return f"pool {self.number}"
