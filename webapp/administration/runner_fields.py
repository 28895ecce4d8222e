"""The part of an organisation's page in the installation that says which runner carries its runs."""

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
    """Fill the fields of the runner in `form`, whose organisation is known."""
    with organisation_context(form.instance.pk):
        given, changing = own_runner(), changing_now(timezone.now()).count()
    form.initial[OWN] = given is not None
    form.initial.update(given or {})
    form.fields[OWN].help_text = (
        f"Else it shares {counted(settings.POOLS, 'pooled runner')} with others. What runs moves by itself, and "
        f"nothing of it is lost or given twice.{_waits(changing)}"
        if settings.POOLS
        else "In this installation every organisation has one (PUNCTUAL_POOLS is 0); tick it to say how large it is. "
        "It is then ended and started again, and what runs goes on."
    )
    form.fields["heap_mb"].help_text = f"Empty: as the installation says, {settings.JVM_MEMORY_MB:,}."
    form.fields["worker_mb"].help_text = f"Empty: as the installation says, {settings.WORKER_MEMORY_MB:,}."
    form.fields["cores"].help_text = "Empty: 2."


def _waits(changing: int) -> str:
    """Return what a move waits for while so many runs are being changed to another version."""
    if not changing:
        return ""
    runs = "One run is" if changing == 1 else f"{changing:,} runs are"
    return (
        f" {runs} being changed to another version now: a move waits until that has taken over, "
        f"{counted(MOVES_AFTER.seconds // 60, 'minute')} at most, after which it would end the change."
    )


def check_runner(form: "forms.ModelForm[Any]", said: dict[str, Any]) -> None:
    """Add an error to `form` where a size is `said` of no runner."""
    if not said.get(OWN) and (sized := [name for name in SIZES if said.get(name) is not None]):
        form.add_error(sized[0], SIZE_WITHOUT)


def save_runner(organisation: Organisation, form: "forms.ModelForm[Any]") -> None:
    """Give or take back the runner of `organisation` if `form` says something new."""
    if not {OWN, *SIZES} & set(form.changed_data):
        return
    said = form.cleaned_data
    with organisation_context(organisation.pk):
        if said[OWN]:
            give_own_runner(**{name: said[name] for name in SIZES})
        else:
            take_back_own_runner()


def with_runners(organisations: QuerySet[Organisation]) -> QuerySet[Organisation]:
    """Return `organisations` with what `runner_words` needs of each."""
    own: QuerySet[OwnRunner] = TenantQuerySet(OwnRunner).filter(organisation=OuterRef("pk"))
    seat: QuerySet[SeatInPool] = TenantQuerySet(SeatInPool).filter(organisation=OuterRef("pk"))
    return organisations.annotate(has_own=Exists(own), pool=Subquery(seat.values("pool")[:1]))


def runner_words(organisation: Organisation) -> str:
    """Return which runner carries the organisation, one of `with_runners`."""
    pool = getattr(organisation, "pool", None)
    own = not settings.POOLS or getattr(organisation, "has_own", False)
    if pool is not None:
        return f"pool {pool}, moving to its own" if own else f"pool {pool}"
    return "its own" if own else "a pool, when something runs"
