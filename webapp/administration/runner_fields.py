"""The part of an organisation's page in the installation that sets the runner of its runs."""

from typing import Any, Final

from django import forms
from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from streaming.definition.counts import counted
from webapp.accounts.models import Organisation
from webapp.core.context import organisation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.runner_models import OwnRunner, SeatInPool
from webapp.runs.runners.own_runners import SIZES, give_own_runner, own_runner, take_back_own_runner
from webapp.runs.runners.pooling import MOVES_AFTER, changing_now

OWN: Final = "own_runner"
LARGEST_MB: Final = 2**20
RUNNER_FIELDS: Final[dict[str, forms.Field]] = {
    OWN: forms.BooleanField(label="A runner of its own", required=False),
    "heap_mb": forms.IntegerField(label="Heap of its JVM (MB)", required=False, min_value=256, max_value=LARGEST_MB),
    "worker_mb": forms.IntegerField(
        label="Memory of each worker (MB)", required=False, min_value=128, max_value=LARGEST_MB
    ),
    "cores": forms.IntegerField(label="Cores that Spark uses", required=False, min_value=1, max_value=256),
}
SIZE_WITHOUT: Final = "Only a runner of its own has a size: tick “A runner of its own”, or leave the sizes empty."


def show_runner(form: "forms.ModelForm[Any]") -> None:
    """Fill the fields of the runner in `form`, which has an organisation."""
    with organisation_context(form.instance.pk):
        given, changing = own_runner(), changing_now(timezone.now()).count()
    form.initial[OWN] = given is not None
    form.initial.update(given or {})
    form.fields[OWN].help_text = (
        f"If not, it shares {counted(settings.POOLS, 'pooled runner')} with others. Runs move automatically, without "
        f"lost or repeated results.{_waits(changing)}"
        if settings.POOLS
        else "In this installation every organisation has one (PUNCTUAL_POOLS is 0); tick this box to set its size. "
        "The runner is then restarted, and its runs continue."
    )
    form.fields["heap_mb"].help_text = f"Empty: the installation's default, {settings.JVM_MEMORY_MB:,}."
    form.fields["worker_mb"].help_text = f"Empty: the installation's default, {settings.WORKER_MEMORY_MB:,}."
    form.fields["cores"].help_text = "Empty: 2."


def _waits(changing: int) -> str:
    """Return a sentence about the wait of a move while this many runs change their version."""
    if not changing:
        return ""
    runs = "One run is" if changing == 1 else f"{changing:,} runs are"
    return (
        f" {runs} now changing to another version: a move waits until the new version has taken over, "
        f"{counted(MOVES_AFTER.seconds // 60, 'minute')} at most, and then ends the change."
    )


def check_runner(form: "forms.ModelForm[Any]", fields: dict[str, Any]) -> None:
    """Add an error to `form` if sizes are set without a runner of its own."""
    if not fields.get(OWN) and (sized := [name for name in SIZES if fields.get(name) is not None]):
        form.add_error(sized[0], SIZE_WITHOUT)


def save_runner(organisation: Organisation, form: "forms.ModelForm[Any]") -> None:
    """Give `organisation` its own runner or remove it, if `form` changes that."""
    if not {OWN, *SIZES} & set(form.changed_data):
        return
    fields = form.cleaned_data
    with organisation_context(organisation.pk):
        if fields[OWN]:
            give_own_runner(**{name: fields[name] for name in SIZES})
        else:
            take_back_own_runner()


def with_runners(organisations: QuerySet[Organisation]) -> QuerySet[Organisation]:
    """Return `organisations` with the columns that `runner_words` needs."""
    own: QuerySet[OwnRunner] = TenantQuerySet(OwnRunner).filter(organisation=OuterRef("pk"))
    seat: QuerySet[SeatInPool] = TenantQuerySet(SeatInPool).filter(organisation=OuterRef("pk"))
    return organisations.annotate(has_own=Exists(own), pool=Subquery(seat.values("pool")[:1]))


def runner_words(organisation: Organisation) -> str:
    """Return the runner of an organisation that `with_runners` returned, in words."""
    pool = getattr(organisation, "pool", None)
    own = not settings.POOLS or getattr(organisation, "has_own", False)
    if pool is not None:
        return f"pool {pool}, moving to its own" if own else f"pool {pool}"
    return "its own" if own else "a pool, when something runs"
