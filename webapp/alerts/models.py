"""Rules that differ from the built-in ones, states, transitions, incidents, silences, notes, channels, messages."""

from django.db import models

from webapp.core.database.ordered_json import OrderedJSON
from webapp.core.tenancy import TenantModel
from webapp.runs.models import Binding


class TurnCursor(TenantModel):
    """The position of an organisation's turns: everything up to tick `until` is decided; one row each.

    A turn writes all its rows in the transaction that moves `until`, so of two turns at once only one has an effect.
    `known` are the spans, in ticks, in which turns were made without a break.
    """

    exported = "how far its alerts were decided"

    until = models.BigIntegerField()
    known = models.JSONField(default=list)

    class Meta(TenantModel.Meta):
        """One row for each organisation."""

        constraints = (models.UniqueConstraint(fields=["organisation"], name="one_turn_cursor_each"),)

    def __str__(self) -> str:
        return f"{self.organisation_id} {self.until}"


class FactsChange(TenantModel):
    """The facts about a binding (None: the organisation) from tick `at` until its next change: an `AlertFacts`."""

    exported = "states over time from which alerts are decided; the journals of runs have them"

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    at = models.BigIntegerField()
    facts = models.JSONField()

    class Meta(TenantModel.Meta):
        """One for each time; found by binding and by age."""

        ordering = ("at",)
        constraints = (models.UniqueConstraint(fields=["organisation", "binding", "at"], name="one_change_each"),)
        indexes = (models.Index(fields=["organisation", "at"], name="facts_by_age"),)

    def __str__(self) -> str:
        return f"{self.binding_id} {self.at}"


class BindingMemory(TenantModel):
    """The position of a binding's turns (None: of the organisation): its minutes up to tick `until` are in `window`.

    `facts` are pairs of a tick and the AlertFacts from then on, the newest last, back to the one in force at `until`.
    `delays` is D by input of the run `delays_of`. `usual_at`: when the usual pauses in the facts were computed last.
    """

    exported = "figures from which alerts are decided"

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    facts = models.JSONField(default=list)
    until = models.BigIntegerField(default=0)
    window = models.JSONField(null=True)
    delays = models.JSONField(default=dict)
    delays_of = models.CharField(max_length=36, default="")
    usual_at = models.BigIntegerField(default=0)

    class Meta(TenantModel.Meta):
        """One for each binding."""

        constraints = (
            models.UniqueConstraint(fields=["organisation", "binding"], name="one_memory_of_binding"),
            models.UniqueConstraint(
                fields=["organisation"], condition=models.Q(binding__isnull=True), name="one_memory_of_organisation"
            ),
        )

    def __str__(self) -> str:
        return f"{self.binding_id} {self.until}"


class AlertRule(TenantModel):
    """The settings of a built-in rule that differ, for one binding or (None) for all bindings of the organisation.

    `warn` and `page` are stored Thresholds; null: the built-in ones, `{}`: no such level. Not `enabled`: off, for
    `reason`.
    """

    exported = ("rule", "binding_id", "warn", "page", "enabled", "reason", "changed_by", "changed_at")

    rule = models.CharField(max_length=32)
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    warn = models.JSONField(null=True)
    page = models.JSONField(null=True)
    enabled = models.BooleanField(default=True)
    reason = models.CharField(max_length=500, default="", blank=True)
    changed_by = models.CharField(max_length=254, default="")
    changed_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        """One for each rule and binding, and one for each rule of the organisation."""

        constraints = (
            models.UniqueConstraint(fields=["organisation", "rule", "binding"], name="one_rule_of_binding"),
            models.UniqueConstraint(
                fields=["organisation", "rule"],
                condition=models.Q(binding__isnull=True),
                name="one_rule_of_organisation",
            ),
        )

    def __str__(self) -> str:
        return f"{self.rule} of {self.binding_id}"


class AlertState(TenantModel):
    """The state of a rule for a binding (None: for the organisation), unless it is ok and was never anything else.

    `state` is a RuleState. `phase`, `level`, `since` and `fired_at` repeat it for lists. `sentence` describes it.
    `notified` is the level of the last notification that was written about this firing, empty before one.
    """

    exported = ("rule", "binding_id", "phase", "level", "sentence")

    rule = models.CharField(max_length=32)
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="alerts")
    state = models.JSONField()
    phase = models.CharField(max_length=8)
    level = models.CharField(max_length=4, default="", blank=True)
    since = models.BigIntegerField(null=True)
    fired_at = models.BigIntegerField(null=True)
    unknown_since = models.BigIntegerField(null=True)
    sentence = models.TextField(default="", blank=True)
    notified = models.CharField(max_length=4, default="", blank=True)

    class Meta(TenantModel.Meta):
        """One for each rule and binding."""

        constraints = (
            models.UniqueConstraint(fields=["organisation", "rule", "binding"], name="one_state_of_binding"),
            models.UniqueConstraint(
                fields=["organisation", "rule"],
                condition=models.Q(binding__isnull=True),
                name="one_state_of_organisation",
            ),
        )
        indexes = (models.Index(fields=["organisation", "phase"], name="alert_by_phase"),)

    def __str__(self) -> str:
        return f"{self.rule} of {self.binding_id}: {self.phase}"


class Transition(TenantModel):
    """A change of the phase or level of a rule at tick `at`; `fired_at` is the start of the firing it belongs to."""

    exported = ("rule", "binding_id", "at", "before", "after", "level", "value", "sentence")

    rule = models.CharField(max_length=32)
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    at = models.BigIntegerField()
    before = models.CharField(max_length=8)
    after = models.CharField(max_length=8)
    level = models.CharField(max_length=4, default="", blank=True)
    value = models.FloatField()
    rows = models.BigIntegerField(default=0)
    since = models.BigIntegerField(null=True)
    fired_at = models.BigIntegerField(null=True)
    sentence = models.TextField()

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering = ("-at", "-id")
        indexes = (models.Index(fields=["organisation", "-at", "-id"], name="transition_by_time"),)

    def __str__(self) -> str:
        return f"{self.rule} of {self.binding_id} at {self.at}: {self.after}"


class Incident(TenantModel):
    """Trouble of a binding (None: of the organisation) since tick `begin`, open until it is resolved at `resolved_at`.

    `number` counts from 1. `rule` opened it, or a person (`opened_by`) if it is empty; `level` is the highest level of
    its rules. `taken_by`: the person who works on it. `resolved_by`: empty if the last of its rules resolved.
    """

    exported = (
        "id",
        "number",
        "binding_id",
        "title",
        "begin",
        "opened_at",
        "opened_by",
        "taken_by",
        "resolved_at",
        "resolved_by",
        "resolution",
    )

    number = models.PositiveIntegerField()
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    title = models.CharField(max_length=200)
    rule = models.CharField(max_length=32, default="", blank=True)
    level = models.CharField(max_length=4, default="", blank=True)
    begin = models.BigIntegerField()
    opened_at = models.BigIntegerField()
    opened_by = models.CharField(max_length=254, default="", blank=True)
    taken_by = models.CharField(max_length=254, default="", blank=True)
    resolved_at = models.BigIntegerField(null=True)
    resolved_by = models.CharField(max_length=254, default="", blank=True)
    resolution = models.CharField(max_length=1000, default="", blank=True)

    class Meta(TenantModel.Meta):
        """Newest first; one that is open for each binding, and one for the organisation."""

        ordering = ("-number", "-id")
        constraints = (
            models.UniqueConstraint(fields=["organisation", "number"], name="incident_number_once"),
            models.UniqueConstraint(
                fields=["organisation", "binding"],
                condition=models.Q(resolved_at__isnull=True),
                name="one_open_incident_of_binding",
            ),
            models.UniqueConstraint(
                fields=["organisation"],
                condition=models.Q(resolved_at__isnull=True, binding__isnull=True),
                name="one_open_incident_of_organisation",
            ),
        )

    def __str__(self) -> str:
        return f"#{self.number} {self.title}"


class AlertSilence(TenantModel):
    """No notifications from `begins_at` to `ends_at` about a binding (None: all) and a rule (empty: all)."""

    exported = ("rule", "binding_id", "begins_at", "ends_at", "reason", "by_label")

    rule = models.CharField(max_length=32, default="", blank=True)
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    reason = models.CharField(max_length=500)
    by_label = models.CharField(max_length=254)

    class Meta(TenantModel.Meta):
        """The one that ends last comes first."""

        ordering = ("-ends_at", "-id")

    def __str__(self) -> str:
        return f"{self.rule or 'all rules'} of {self.binding_id} until {self.ends_at}"


class Acknowledgement(TenantModel):
    """Somebody has taken the firing of a rule that started at tick `fired_at`."""

    exported = ("rule", "binding_id", "fired_at", "at", "by_label", "note")

    rule = models.CharField(max_length=32)
    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    fired_at = models.BigIntegerField()
    at = models.DateTimeField()
    by_label = models.CharField(max_length=254)
    note = models.CharField(max_length=500, default="", blank=True)

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering = ("-at", "-id")
        indexes = (models.Index(fields=["organisation", "fired_at"], name="acknowledged_by_firing"),)

    def __str__(self) -> str:
        return f"{self.rule} of {self.binding_id} by {self.by_label}"


class Annotation(TenantModel):
    """A note at tick `begin`, or over the ticks `[begin, end)`, about a binding (None: about all of them)."""

    exported = ("id", "binding_id", "begin", "end", "text", "by_label", "created_at")

    binding = models.ForeignKey(Binding, on_delete=models.CASCADE, null=True, related_name="+")
    begin = models.BigIntegerField()
    end = models.BigIntegerField(null=True)
    text = models.CharField(max_length=1000)
    by_label = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        """The one that begins last comes first."""

        ordering = ("-begin", "-id")
        indexes = (models.Index(fields=["organisation", "-begin", "-id"], name="annotation_by_time"),)

    def __str__(self) -> str:
        return f"{self.binding_id} {self.begin}: {self.text}"


class Channel(TenantModel):
    """A place for notifications: its `kind` and `options`, secrets sealed; `level` is the lowest level that it gets."""

    exported = ("name", "kind", "level", "enabled")

    name = models.CharField(max_length=63)
    kind = models.CharField(max_length=16)
    options = OrderedJSON(default=dict)
    level = models.CharField(max_length=4)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=["organisation", "name"], name="channel_name_once"),)

    def __str__(self) -> str:
        return self.name


class OutboxEntry(TenantModel):
    """A notification that goes to a channel: a `Notification`, written in the transaction of its transitions.

    Its id goes to the receiver with every attempt. `subject` is the binding or organisation that it is about: those of
    one subject are sent in order. `state` is an OutboxState; it is tried next at `due_at`. `message`: why the last
    attempt failed.
    """

    exported = "notifications, which the channels have received"

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="entries")
    subject = models.CharField(max_length=36)
    notification = models.JSONField()
    state = models.CharField(max_length=8)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    message = models.TextField(default="", blank=True)
    ended_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; found when they are due."""

        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=["organisation", "state", "due_at"], name="outbox_by_due"),
            models.Index(fields=["channel", "-created_at", "-id"], name="outbox_of_channel"),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.state}"
