"""Bindings and runs, and what is kept of them."""

from typing import Any, Final

from django.db import models

from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, EventTimeBy
from streaming.wire.freshness import USUAL, Freshness
from streaming.wire.messages import RunSpec
from webapp.accounts.models import User
from webapp.core.ordered_json import OrderedJSON
from webapp.core.tenancy import TenantModel
from webapp.queries.models import Query, QueryVersion
from webapp.runs import runner_models  # noqa: F401 - Django looks for the models of a room in this module
from webapp.runs.states import Desired, Observed
from webapp.streams.models import Stream

IS_OPEN: Final = models.Q(ended_at__isnull=True)


class Binding(TenantModel):
    """A query version with a stream for each of its inputs.

    `dedicated`: its next run is to have a streaming query of its own, instead of sharing one with others. `freshness`:
    a Freshness, how long rows may wait before they are read; it holds at once, for a run under way too. `outputs`:
    where its results are brought, each a BoundOutput with its secrets sealed.
    """

    exported = "a file of the definitions"

    name = models.CharField(max_length=63)
    query_version = models.ForeignKey(QueryVersion, on_delete=models.PROTECT, related_name="bindings")
    dedicated = models.BooleanField(default=False)
    freshness = models.CharField(
        max_length=8, default=USUAL.value, choices=[(each.value, each.value) for each in Freshness]
    )
    outputs = OrderedJSON(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="binding_name_once"),)

    def __str__(self) -> str:
        return self.name

    def stored(self) -> dict[str, Any]:
        """Return all that a change replaces, its streams by id, for they may be renamed."""
        inputs = {each.node: [str(each.stream_id), each.advance, each.event_time] for each in self.inputs.all()}
        own = {"name": self.name, "dedicated": self.dedicated, "freshness": self.freshness, "outputs": self.outputs}
        return {**own, "version": str(self.query_version_id), "inputs": inputs}


class BindingInput(TenantModel):
    """The stream of one input node; `advance` and `event_time`, where set, replace what the stream says."""

    exported = "in the file of its binding"

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, related_name="inputs")
    node = models.CharField(max_length=63)
    stream = models.ForeignKey(Stream, on_delete=models.PROTECT, related_name="+")
    advance = models.JSONField(null=True)
    event_time = models.JSONField(null=True)

    class Meta(TenantModel.Meta):
        """One stream for each input node."""

        ordering = ("node",)
        constraints = (models.UniqueConstraint(fields=["binding", "node"], name="binding_input_once"),)

    def __str__(self) -> str:
        return f"{self.binding_id} {self.node}"

    def read_advance(self) -> AdvanceTimeSettings | None:
        """Return the validated settings; None where the stream's own apply."""
        return None if self.advance is None else AdvanceTimeSettings.model_validate(self.advance)

    def read_event_time(self) -> EventTimeBy | None:
        """Return where the time of the events is; None where the stream says it."""
        return None if self.event_time is None else EventTimeBy.model_validate(self.event_time)


class Run(TenantModel):
    """One execution of a binding, from its start until it has stopped or failed for good (`ended_at`).

    `spec` is the RunSpec as it was at the start, so that an edit changes no run that is under way, but for its
    freshness. `discard`: its state is thrown away, no run goes on with it.
    `observed_at` is the runner's own time, in ticks, of the newest observation copied; older ones are
    ignored. `progress` is the newest ProgressReport copied. `stopped_because`: the sentence for the user where a full
    quota asked it to stop. `dedicated` is that of `spec`, so that such runs can be counted. `without_clock` are the
    NoClock values of its start: why it may never emit; `steps` the StartStep values of its latest start.

    What it ran stays as it was at the start, whatever is renamed, changed or deleted later: `binding_name`,
    `query_name`, the number `query_version` and its text `query_text`. `query` is the query of today, null once it is
    deleted. Of runs of before this was kept, number and text may be null and empty: not known.
    """

    exported = (
        "id",
        "binding_id",
        "binding_name",
        "query_name",
        "query_version",
        "query_text",
        "observed",
        "domain",
        "message",
        "started_by_label",
        "created_at",
        "ended_at",
    )

    binding = models.ForeignKey(Binding, on_delete=models.PROTECT, related_name="runs")
    binding_name = models.CharField(max_length=63)
    query = models.ForeignKey(Query, on_delete=models.SET_NULL, null=True, related_name="+")
    query_name = models.CharField(max_length=63)
    query_version = models.PositiveIntegerField(null=True)
    query_text = models.TextField(default="")
    spec = OrderedJSON()
    desired = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Desired])
    flush = models.BooleanField(default=False)
    discard = models.BooleanField(default=False)
    observed = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Observed])
    observed_at = models.BigIntegerField(null=True)
    domain = models.CharField(max_length=10, null=True)
    message = models.TextField(null=True)
    failures = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True)
    progress = models.JSONField(null=True)
    without_clock = models.JSONField(default=list)
    steps = models.JSONField(default=list)
    stopped_because = models.TextField(default="")
    dedicated = models.BooleanField(default=False)
    started_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    started_by_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; a binding has at most one run that has not ended."""

        ordering = ("-created_at",)
        indexes = (
            models.Index(fields=["organisation", "-created_at", "-id"], name="run_by_time"),
            models.Index(fields=["binding", "-created_at", "-id"], name="run_of_binding_by_time"),
        )
        constraints = (models.UniqueConstraint(fields=["binding"], condition=IS_OPEN, name="one_open_run_each"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.observed}"

    def read_spec(self) -> RunSpec:
        """Return what a runner must do for this run now; its results are as fresh as its binding says by now."""
        spec, freshness = RunSpec.model_validate(self.spec), Freshness(self.binding.freshness).ticks
        now = {"desired": Desired(self.desired).value, "freshness": freshness}
        return spec.model_copy(update=now | {"flush": self.flush, "discard": self.discard})


class Repair(TenantModel):
    """Rows of a quarantine taken back into the results of `binding`, from the wish until its rows are given.

    `rows` has by the ids of quarantine (`taken`) those that are taken, each a LateEvent and, if it was mended, how;
    `replaced` the ids of results that are taken back. `marks` counts the rows of the result that are others, `asked`
    is what was chosen. `run` is the one whose results they are. `batch` is chosen before anything is written where no
    run gives the rows; then, and in the end, it is the one that has them. `failure`: why they cannot be given now.
    """

    exported = (
        "id",
        "binding_id",
        "run_id",
        "asked",
        "taken",
        "replaced",
        "marks",
        "batch",
        "by_label",
        "created_at",
        "given_at",
    )

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, related_name="repairs")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    asked = models.JSONField()
    rows = models.JSONField()
    taken = models.JSONField(default=list)
    replaced = models.JSONField(default=list)
    marks = models.JSONField(default=dict)
    batch = models.BigIntegerField(null=True)
    failure = models.TextField(default="")
    by_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField()
    given_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; a binding has at most one whose rows are not given yet."""

        ordering = ("-created_at",)
        indexes = (models.Index(fields=["binding", "-created_at"], name="repair_of_binding_by_time"),)
        constraints = (
            models.UniqueConstraint(
                fields=["binding"], condition=models.Q(given_at__isnull=True), name="one_open_repair_each"
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} of {self.binding_id}"


class VersionChange(TenantModel):
    """A change of the open run `run` to another version without a pause, from the wish until it is over (`ended_at`).

    Its id is that of the run that reads beside; `next_run` is the one that takes over, `spec` its RunSpec while the
    change is open, `settled` what it was checked to be. `state` is a ChangeState, `message` why it was called off,
    `progress` a ChangeProgress, `from_version` the binding's before; `ctis` by output where it took over, in ticks.
    """

    exported = "changes of running bindings, which the journals of their runs have"

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, related_name="changes")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    query_version = models.ForeignKey(QueryVersion, on_delete=models.SET_NULL, null=True, related_name="+")
    version = models.PositiveIntegerField()
    from_version = models.UUIDField()
    next_run = models.UUIDField()
    spec = OrderedJSON(null=True)
    settled = models.JSONField(default=dict)
    state = models.CharField(max_length=12)
    message = models.TextField(default="")
    progress = models.JSONField(null=True)
    ctis = models.JSONField(default=dict)
    asked_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    by_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    swept = models.BooleanField(default=False)

    class Meta(TenantModel.Meta):
        """Newest first; a binding has at most one that is not over."""

        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=["binding"], condition=IS_OPEN, name="one_open_change_each"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.state}"


class StoredBytes(TenantModel):
    """How much of results and of quarantine a binding keeps, counted up to the commit `batch`.

    `binding` is no foreign key: the files of a deleted binding stay, and count until somebody deletes them. `name` is
    the name that it had when it was last measured.
    """

    exported = "the sizes of the files that are in the export"

    binding = models.UUIDField()
    name = models.CharField(max_length=63)
    batch = models.BigIntegerField(default=0)
    result_bytes = models.PositiveBigIntegerField(default=0)
    quarantine_bytes = models.PositiveBigIntegerField(default=0)

    class Meta(TenantModel.Meta):
        """One for each binding."""

        constraints = (models.UniqueConstraint(fields=["organisation", "binding"], name="one_stored_bytes_each"),)

    def __str__(self) -> str:
        return f"{self.name} {self.result_bytes} + {self.quarantine_bytes}"


class InputFootprint(TenantModel):
    """What an input of a binding may have left on somebody else's server (`streaming.adapters.kinds.Footprint`).

    It is noted before the first run that could leave it, and goes when it is known to be removed. `binding` is no
    foreign key and the names are those of the last start, for all of them may be deleted before. `adapter` is what the
    run read by, secrets sealed; `where` the place that these options name. `names`, `kept_bytes` and `warning` are as
    they were seen at `seen_at`; `message` is why that could not be asked, or removed, at `tried_at`. At `due_at` it is
    asked again, or removed if nobody reads there any more.
    """

    exported = "what inputs keep on other servers, which is removed there with the organisation"

    binding = models.UUIDField()
    binding_name = models.CharField(max_length=63)
    node = models.CharField(max_length=63)
    stream = models.UUIDField()
    stream_name = models.CharField(max_length=63)
    adapter = OrderedJSON()
    where = models.CharField(max_length=500)
    noted_at = models.DateTimeField()
    due_at = models.DateTimeField()
    names = models.JSONField(default=list)
    kept_bytes = models.BigIntegerField(null=True)
    warning = models.TextField(default="")
    seen_at = models.DateTimeField(null=True)
    message = models.TextField(default="")
    tried_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)

    class Meta(TenantModel.Meta):
        """One for each place in which an input has read."""

        constraints = (
            models.UniqueConstraint(
                fields=["organisation", "binding", "node", "where"], name="one_footprint_in_each_place"
            ),
        )
        indexes = (models.Index(fields=["organisation", "due_at"], name="footprint_by_due"),)

    def __str__(self) -> str:
        return f"{self.binding_name} {self.node}: {self.where}"

    def read_adapter(self) -> AdapterChoice:
        """Return by which options it was left, secrets sealed."""
        return AdapterChoice.model_validate(self.adapter)


class RunEvent(TenantModel):
    """One entry of a run's journal: what happened, when, and by whom ("" by the system); `number` counts from 1.

    `kind` is a RunEventKind; `observed` the state to which a run moved, `domain` who must act, `message` a sentence.
    """

    exported = "journals of runs, which the API gives as long as they are kept"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="journal")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=10)
    observed = models.CharField(max_length=10, null=True)
    domain = models.CharField(max_length=10, null=True)
    who = models.CharField(max_length=254, default="")
    message = models.TextField(default="")

    class Meta(TenantModel.Meta):
        """In order."""

        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["run", "number"], name="one_journal_entry_each"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.number} {self.kind}"
