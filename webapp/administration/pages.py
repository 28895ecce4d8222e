"""The installation's pages for administrators: organisations with their limits, people, runs, the audit log."""

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import Count, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import URLPattern, path

from webapp.accounts.limits.quotas import QUOTAS, set_limit
from webapp.accounts.members import owned_by_nobody_else
from webapp.accounts.models import Membership, Organisation, OrganisationLimit, User
from webapp.administration.impersonation import may_act_as
from webapp.administration.reset_links import may_make_link, reset_link_page
from webapp.administration.runner_fields import (
    RUNNER_FIELDS,
    check_runner,
    runner_words,
    save_runner,
    show_runner,
    with_runners,
)
from webapp.administration.site import site
from webapp.audit.models import AuditEvent
from webapp.audit.recording import Target, record
from webapp.core.context import organisation_context
from webapp.core.errors import ApiError
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.lifecycle.liveness import state_now
from webapp.runs.models import Run
from webapp.runs.starts.services import stop

if TYPE_CHECKING:  # Django's own classes take no parameters at run time
    ModelPage = admin.ModelAdmin[Any]
    UserPage = UserAdmin[User]
    OrganisationFields = forms.ModelForm[Organisation]
    MembershipTable = admin.TabularInline[Membership, Organisation]
else:
    ModelPage, UserPage = admin.ModelAdmin, UserAdmin
    OrganisationFields, MembershipTable = forms.ModelForm, admin.TabularInline

OF_LIMITS = "limit_"
WITHOUT_OWNER = (
    "These organisations have no owner with an open account now: {}. Nobody can hand them over or delete them. "
    "Activate {} again until somebody else is an owner."
)


class ReadOnly(ModelPage):
    """A page that changes nothing."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """No."""
        return False


class OfEveryOrganisation(ReadOnly):
    """A page over rows of all organisations, which the scoped manager would refuse."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:  # noqa: ARG002
        """Return the rows of all organisations; the site records the reason."""
        return TenantQuerySet(self.model).order_by(*self.model._meta.ordering)


class LimitsForm(OrganisationFields):
    """An organisation with one field for each quota; an empty one means the installation's default."""

    class Meta:
        """Only the name is a field of the organisation itself."""

        model = Organisation
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            with organisation_context(self.instance.pk):
                own = dict(OrganisationLimit.objects.values_list("quota", "value"))
            for name in QUOTAS:
                self.initial[OF_LIMITS + name] = own.get(name)
                default = settings.QUOTA_DEFAULTS[name]
                self.fields[OF_LIMITS + name].help_text = f"Empty: the installation's default, {default:,}."
            show_runner(self)

    def clean(self) -> dict[str, Any]:
        """Check the fields of the runner too."""
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        check_runner(self, fields)
        return fields


def _field(name: str) -> forms.IntegerField:
    quota = QUOTAS[name]
    return forms.IntegerField(
        label=f"{quota.title} ({quota.unit})",
        required=False,
        min_value=0,
        max_value=2**62,
    )


LIMIT_FIELDS = {OF_LIMITS + name: _field(name) for name in QUOTAS}
OrganisationForm = type("OrganisationForm", (LimitsForm,), {**LIMIT_FIELDS, **RUNNER_FIELDS})


class MembersInline(MembershipTable):
    """The members of an organisation; only its own admins change them."""

    model = Membership
    fields = readonly_fields = ("user", "role")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """No."""
        return False


@admin.register(Organisation, site=site)
class OrganisationPage(ModelPage):
    """Organisations: search, members, limits, runs."""

    form = OrganisationForm
    list_display = ("slug", "name", "members", "open_runs", "runner", "created_at", "delete_after")
    list_filter = (("delete_after", admin.EmptyFieldListFilter),)
    search_fields = ("slug", "name", "memberships__user__email")
    readonly_fields = ("slug", "created_at", "created_by", "delete_after", "open_runs", "runner")
    inlines: ClassVar = [MembersInline]
    fieldsets = (
        (None, {"fields": ("slug", "name", "created_at", "created_by", "delete_after", "open_runs")}),
        ("Runner", {"fields": ("runner", *RUNNER_FIELDS)}),
        ("Limits", {"fields": tuple(LIMIT_FIELDS)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organisation]:
        """Return the organisations with their counts."""
        found: QuerySet[Organisation] = super().get_queryset(request)
        runs: QuerySet[Run] = TenantQuerySet(Run).filter(organisation=OuterRef("pk"), ended_at__isnull=True)
        counted = runs.order_by().values("organisation").annotate(count=Count("pk")).values("count")
        return with_runners(found).annotate(
            member_count=Count("memberships", distinct=True), run_count=Coalesce(Subquery(counted), 0)
        )

    @admin.display(description="Members", ordering="member_count")
    def members(self, organisation: Organisation) -> int:
        """Return the number of members."""
        count: int = getattr(organisation, "member_count", 0)
        return count

    @admin.display(description="Open runs")
    def open_runs(self, organisation: Organisation) -> int:
        """Return the number of runs that have not ended."""
        count: int = getattr(organisation, "run_count", 0)
        return count

    @admin.display(description="Runs in")
    def runner(self, organisation: Organisation) -> str:
        """Return the runner of its runs."""
        return runner_words(organisation)

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Refuse: people make organisations, and then own them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Refuse: owners request the deletion, and a grace period passes."""
        return False

    def save_model(self, request: HttpRequest, obj: Organisation, form: Any, change: bool) -> None:
        """Write the name, the limits and the runner, each with its audit event."""
        if "name" in form.changed_data:
            with organisation_context(obj.pk):
                target = Target("organisation", obj.pk, obj.slug)
                record(
                    "organisation.renamed",
                    target=target,
                    before={"name": form.initial["name"]},
                    after={"name": obj.name},
                )
            super().save_model(request, obj, form, change)
        for name in QUOTAS:
            if OF_LIMITS + name in form.changed_data:
                with organisation_context(obj.pk):
                    set_limit(name, form.cleaned_data[OF_LIMITS + name])
        save_runner(obj, form)


@admin.register(User, site=site)
class PersonPage(UserPage):
    """People: search, deactivate, act as one of them, reset a password if no mail goes out."""

    change_form_template = "administration/person.html"
    ordering = ("email",)
    list_display = ("email", "is_active", "is_staff", "is_superuser", "last_login", "date_joined")
    search_fields = ("email", "memberships__organisation__slug")
    list_filter = ("is_active", "is_staff", "is_superuser")
    readonly_fields = ("email", "last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("email", "last_login", "date_joined")}),
        ("Rights in this installation", {"fields": ("is_active", "is_staff", "is_superuser")}),
    )
    filter_horizontal = ()

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Refuse: people sign up, or are invited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Refuse: past actions stay attributed to them; deactivate them instead."""
        return False

    def get_urls(self) -> list[URLPattern]:
        """Leave out Django's page that sets a password: staff who may change people could become superusers.

        Superusers act as somebody instead: this is recorded, limited, and ends. People reset their own passwords;
        without a mail server, with a link that superusers make.
        """
        link = self.admin_site.admin_view(reset_link_page)
        return [path("<path:object_id>/reset-link/", link), *super(UserAdmin, self).get_urls()]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer with the form, and with the actions that this administrator may take for the person."""
        by, person = request.user, context.get("original")
        if isinstance(by, User) and isinstance(person, User):
            context["may_act_as"] = may_act_as(hijacker=by, hijacked=person)
            context["may_make_link"] = may_make_link(by=by, person=person)
        return super().render_change_form(request, context, *args, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether this administrator may change the person: only superusers change staff and superusers."""
        above = obj is not None and (obj.is_staff or obj.is_superuser)
        return super().has_change_permission(request, obj) and (request.user.is_superuser or not above)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Return the fixed fields: only superusers grant rights, and nobody removes their own."""
        fixed = super().get_readonly_fields(request, obj)
        if obj is not None and obj.pk == request.user.pk:
            return (*fixed, "is_active", "is_staff", "is_superuser")
        return fixed if request.user.is_superuser else (*fixed, "is_staff", "is_superuser")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Write the rights with an audit event of the installation; warn of organisations without owner."""
        before = {name: form.initial[name] for name in form.changed_data}
        after = {name: form.cleaned_data[name] for name in form.changed_data}
        super().save_model(request, obj, form, change)
        left = owned_by_nobody_else(obj) if after.get("is_active") is False else []
        if left:
            after["organisations_without_owner"] = left
            self.message_user(request, WITHOUT_OWNER.format(", ".join(left), obj.email), messages.WARNING)
        record("person.rights_changed", target=Target("person", obj.pk, obj.email), before=before, after=after)


@admin.register(Run, site=site)
class RunPage(OfEveryOrganisation):
    """Runs of all organisations and their states."""

    list_display = ("binding_name", "organisation", "desired", "seen", "sentence", "created_at", "ended_at")
    list_filter = ("observed", "desired", ("ended_at", admin.EmptyFieldListFilter), "domain")
    search_fields = ("organisation__slug", "binding_name", "id")
    actions = ("ask_to_stop",)
    exclude = ("spec", "progress")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Return the runs with the rows that the page shows."""
        return super().get_queryset(request).select_related("organisation", "binding", "started_by")

    def has_stop_permission(self, request: HttpRequest) -> bool:
        """Return whether this administrator may stop runs: only if they may change them, not just see them."""
        return request.user.has_perm("runs.change_run")

    @admin.display(description="Binding", ordering="binding_name")
    def binding_name(self, run: Run) -> str:
        """Return the name of the binding."""
        return run.binding_name

    @admin.display(description="Observed", ordering="observed")
    def seen(self, run: Run) -> str:
        """Return the state as the page of the run shows it: a run with a silent runner has no trusted state."""
        return state_now(run).observed

    @admin.display(description="Message")
    def sentence(self, run: Run) -> str | None:
        """Return the message of the state."""
        return state_now(run).message

    @admin.action(description="Ask the chosen runs to stop, keeping their state", permissions=["stop"])
    def ask_to_stop(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        """Ask each run to stop; the reconciler of its organisation does the rest."""
        for run in runs.filter(Q(ended_at__isnull=True)):
            with organisation_context(run.organisation_id):
                try:
                    stop(binding=run.binding, flush=False)
                except ApiError as error:
                    self.message_user(request, error.message, messages.WARNING)
                else:
                    self.message_user(request, f"Asked {run.binding.name} of {run.organisation.slug} to stop.")


@admin.register(AuditEvent, site=site)
class AuditEventPages(OfEveryOrganisation):
    """The events of every organisation and of the installation itself."""

    list_display = ("at", "organisation_slug", "actor_label", "impersonator", "action", "target_label", "request_id")
    list_filter = ("actor_kind", "target_kind")
    search_fields = ("action", "actor_label", "target_label", "request_id")
    date_hierarchy = "at"
    fields = readonly_fields = tuple(each.name for each in AuditEvent._meta.fields if each.name not in {"organisation"})

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Answer, with all slugs read in one query; deleted organisations have none."""
        self._slugs = dict(Organisation.objects.values_list("pk", "slug"))
        return super().changelist_view(request, extra_context)

    @admin.display(description="Organisation")
    def organisation_slug(self, event: AuditEvent) -> str:
        """Return the short name, or the id of a deleted organisation."""
        if event.organisation_id is None:
            return "the installation"
        return self._slugs.get(event.organisation_id, str(event.organisation_id))
