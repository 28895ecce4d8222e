"""Reads of bindings and runs with rights: the organisation in context was checked, so its rows are the caller's."""

from typing import Final
from uuid import UUID

from django.db.models import Max, OuterRef, Prefetch, Q, QuerySet, Subquery

from streaming.definition.graph import InputNode
from webapp.core.errors import NotFound
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.models import Binding, BindingInput, Run


def listed_bindings() -> QuerySet[Binding]:
    """Return the bindings by name, with everything that the API shows of each."""
    inputs = Prefetch("inputs", BindingInput.objects.select_related("stream"))
    return Binding.objects.select_related("query_version__query").prefetch_related(inputs)


def access_binding(binding: UUID) -> Binding:
    """Return a binding. Raises `NotFound` if absent or not yours."""
    found = listed_bindings().filter(pk=binding).first()
    if found is None:
        raise NotFound
    return found


NEWEST_FIRST: Final = ("-number", "-created_at", "-pk")
"""Runs by number: web servers have clocks of their own, so a later run may have an earlier time."""


def next_number() -> int:
    """Return the number of the next run of the organisation in context, whose row the caller has locked."""
    newest = Run.objects.aggregate(newest=Max("number"))["newest"]
    return (newest or 0) + 1


def older_than(run: Run) -> Q:
    """Return the condition for runs that started before `run`."""
    same_time = Q(created_at__lt=run.created_at) | Q(created_at=run.created_at, pk__lt=run.pk)
    return Q(number__lt=run.number) | (Q(number=run.number) & same_time)


def listed_runs() -> QuerySet[Run]:
    """Return the runs, newest first, with everything that the API shows of each."""
    return Run.objects.select_related("binding", "started_by").defer("query_text").order_by(*NEWEST_FIRST)


def runs_before(run: Run) -> QuerySet[Run]:
    """Return the runs that are older than `run`, newest first."""
    return listed_runs().filter(older_than(run))


def access_run(run: UUID) -> Run:
    """Return a run. Raises `NotFound` if absent or not yours."""
    found = listed_runs().filter(pk=run).first()
    if found is None:
        raise NotFound
    return found


def latest_run(binding: Binding) -> Run | None:
    """Return the newest run of `binding`."""
    return listed_runs().filter(binding=binding).first()


def latest_runs() -> dict[UUID, Run]:
    """Return the newest run of each binding, by the binding's id."""
    own = Run.objects.filter(binding=OuterRef("pk")).order_by(*NEWEST_FIRST)
    newest = Binding.objects.order_by().annotate(newest=Subquery(own.values("pk")[:1])).values("newest")
    return {run.binding_id: run for run in listed_runs().filter(pk__in=newest)}


def open_run(binding: Binding) -> Run | None:
    """Return the run of `binding` that has not ended."""
    return Run.objects.filter(binding=binding, ended_at__isnull=True).first()


Held = tuple[str, str]
"""The kind (stream, query, binding) and the name of a definition."""


def held_by_open_runs() -> dict[Held, str]:
    """Return the definitions that open runs need, each with the name of such a run's binding."""
    held: dict[Held, str] = {}
    for run in Run.objects.filter(ended_at__isnull=True).select_related("binding__query_version__query"):
        binding = run.binding
        query = run.read_spec().query
        names = {("query", query.name), ("query", binding.query_version.query.name), ("binding", binding.name)}
        names |= {("stream", node.stream) for node in query.nodes if isinstance(node, InputNode)}
        held |= dict.fromkeys(names, binding.name)
    return held


def bound_inputs(binding: Binding) -> dict[str, BoundInput]:
    """Return the inputs of `binding` by node."""
    inputs = binding.inputs.all()  # `listed_bindings` has already read them with their streams
    return {each.node: BoundInput(each.stream, each.read_advance(), each.read_event_time()) for each in inputs}
