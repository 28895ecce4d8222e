"""Bindings and runs, and their stored data."""

from typing import Any, Final

from django.db import models

from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, EventTimeBy
from streaming.wire.freshness import USUAL, Freshness
from streaming.wire.messages import RunSpec
from webapp.accounts.models import User
from webapp.core.database.ordered_json import OrderedJSON
from webapp.core.tenancy import TenantModel
from webapp.queries.models import Query, QueryVersion
from webapp.runs import runner_models  # noqa: F401 - Django looks for the models of a room in this module
from webapp.runs.states import Desired, Observed
from webapp.streams.models import Stream

IS_OPEN: Final = models.Q(ended_at__isnull=True)


class Binding(TenantModel):
    """A query version with a stream for each of its inputs.

    `dedicated`: its next run gets a streaming query of its own, instead of sharing one with others. `freshness`:
    a Freshness, how long rows may wait before they are read; it also applies at once to a run under way. `outputs`:
    the targets of its results, each a BoundOutput with its secrets sealed. `completeness`: the promised share of
    rows in results, in percent, and `freshness_level`: a FreshnessLevel, None without one (`bindings/service_levels`).
    """

    exported = "a file of the definitions"

    name = models.CharField(max_length=63)
    query_version = models.ForeignKey(QueryVersion, on_delete=models.PROTECT, related_name="bindings")
    dedicated = models.BooleanField(default=False)
    freshness = models.CharField(
        max_length=8, default=USUAL.value, choices=[(each.value, each.value) for each in Freshness]
    )
    outputs = OrderedJSON(default=list)
    completeness = models.FloatField(default=99.9, db_default=99.9)
    freshness_level = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="binding_name_once"),)

    def __str__(self) -> str:
        return self.name

    def stored(self) -> dict[str, Any]:
        """Return all that a change replaces, with streams by id, because they may be renamed."""
        inputs = {each.node: [str(each.stream_id), each.advance, each.event_time] for each in self.inputs.all()}
        own = {"name": self.name, "dedicated": self.dedicated, "freshness": self.freshness, "outputs": self.outputs}
        own |= {"completeness": self.completeness, "freshness_level": self.freshness_level}
        return {**own, "version": str(self.query_version_id), "inputs": inputs}


class BindingInput(TenantModel):
    """The stream of one input node; `advance` and `event_time`, where set, replace the stream's settings."""

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
        """Return the event time of the input; None where the stream's own applies."""
        return None if self.event_time is None else EventTimeBy.model_validate(self.event_time)


class Run(TenantModel):
    """One execution of a binding, from its start until it has stopped or failed for good (`ended_at`).

    `spec` is the RunSpec of its start, so an edit changes nothing in a run under way except its freshness. `discard`:
    its state is discarded, and no run resumes with it. `observed_at` is the runner's own time, in ticks, of the newest
    observation copied; older ones are ignored. `progress` is the newest ProgressReport copied. `stopped_because`: the
    sentence for the user if a full quota asked it to stop. `dedicated` is that of `spec`, so that such runs can be
    counted. `without_clock` are the NoClock values of its start: why it may never emit; `steps` the StartStep values
    of its latest start.

    Its definition stays as it was at the start, whatever is renamed, changed or deleted later: `binding_name`,
    `query_name`, the number `query_version` and its text `query_text`. `query` is today's query, null once it is
    deleted. Runs from before these fields were stored have a null number and an empty text.
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
    number = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)

    class Meta(TenantModel.Meta):
        """Newest first; a binding has at most one run that has not ended."""

        ordering = ("-number", "-created_at", "-id")
        indexes = (
            models.Index(fields=["organisation", "-number", "-created_at", "-id"], name="run_by_number"),
            models.Index(fields=["binding", "-number", "-created_at", "-id"], name="run_of_binding_by_number"),
            models.Index(fields=["organisation", "-created_at", "-id"], name="run_by_time"),
            models.Index(fields=["binding", "-created_at", "-id"], name="run_of_binding_by_time"),
        )
        constraints = (models.UniqueConstraint(fields=["binding"], condition=IS_OPEN, name="one_open_run_each"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.observed}"

    def read_spec(self) -> RunSpec:
        """Return what a runner must do for this run now, with the present freshness of its binding."""
        spec, freshness = RunSpec.model_validate(self.spec), Freshness(self.binding.freshness).ticks
        now = {"desired": Desired(self.desired).value, "freshness": freshness}
        return spec.model_copy(update=now | {"flush": self.flush, "discard": self.discard})


class Repair(TenantModel):
    """Rows of a quarantine added to the results of `binding`, from the request until the repair's rows are written.

    `rows` holds the repaired rows by their ids in the quarantine (`taken`): each a LateEvent and, if it was corrected,
    the correction. `lost` counts those that had been in no result, by the batch that put them into quarantine.
    `replaced`: the ids of results that are retracted. `marks` counts the result rows that differ, `asked` is the user's
    choice. `run` is the one whose results are repaired. `batch`: the batch that has the repair's rows; if no run writes
    them, it is chosen before anything is written. `failure`: why they can't be written now.
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
    lost = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    replaced = models.JSONField(default=list)
    marks = models.JSONField(default=dict)
    batch = models.BigIntegerField(null=True)
    failure = models.TextField(default="")
    by_label = models.CharField(max_length=254, default="")
    created_at = models.DateTimeField()
    given_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; a binding has at most one whose rows are not written yet."""

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
    """A change of the open run `run` to another version without a pause, from the request to its end (`ended_at`).

    Its id is that of the run that reads next to `run`; `next_run` is the one that takes over, `spec` its RunSpec while
    the change is open, `settled` the checked settings. `state` is a ChangeState, `message` why it was called off,
    `progress` a ChangeProgress, `from_version` the binding's previous version; `ctis`: where it took over, by output,
    in ticks.
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
    """The bytes of results and of quarantine that a binding keeps, counted up to the commit `batch`.

    `binding` isn't a foreign key: the files of a deleted binding stay, and count until somebody deletes them. `name` is
    the binding's name when it was last measured.
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
    """The footprint that an input of a binding may have left on another server (`streaming.adapters.kinds.Footprint`).

    It is recorded before the first run that could leave it, and deleted when it is known to be removed. `binding` isn't
    a foreign key, and the names are those of the last start, because all of them may be deleted before. `adapter` is
    what the run read by, secrets sealed; `where` the place that these options name. `names`, `kept_bytes` and `warning`
    are as seen at `seen_at`; `message`: why the check or removal at `tried_at` failed. At `due_at` it is checked again,
    or removed if no input reads there any more.
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
        """Return the adapter options that left it, secrets sealed."""
        return AdapterChoice.model_validate(self.adapter)


class RunEvent(TenantModel):
    """One entry of a run's journal: an event, its time, and its author ("": the system); `number` counts from 1.

    `kind` is a RunEventKind; `observed` the state that the run entered, `domain` who must act, `message` a sentence.
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
        """In the order of their numbers."""

        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["run", "number"], name="one_journal_entry_each"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.number} {self.kind}"
