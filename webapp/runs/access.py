"""Reading bindings and runs with rights: the organisation in context has been checked, so its rows are the caller's."""

from uuid import UUID

from django.db.models import QuerySet

from streaming.definition.graph import InputNode, QueryGraph
from webapp.core.errors import NotFound
from webapp.runs.models import Binding, Run


def access_binding(binding: UUID) -> Binding:
    """Return a binding. Raises `NotFound` if absent or not yours."""
    found = Binding.objects.select_related("query_version__query").filter(pk=binding).first()
    if found is None:
        raise NotFound
    return found


def listed_runs() -> QuerySet[Run]:
    """Return the runs, newest first, with what is shown of each."""
    return Run.objects.select_related("binding__query_version__query", "started_by")


def access_run(run: UUID) -> Run:
    """Return a run. Raises `NotFound` if absent or not yours."""
    found = listed_runs().filter(pk=run).first()
    if found is None:
        raise NotFound
    return found


def latest_run(binding: Binding) -> Run | None:
    """Return the newest run of `binding`."""
    return listed_runs().filter(binding=binding).first()


def open_run(binding: Binding) -> Run | None:
    """Return the run of `binding` that has not ended."""
    return Run.objects.filter(binding=binding, ended_at__isnull=True).first()


def bound_graph(binding: Binding) -> QueryGraph:
    """Return the query of `binding` with the names of the streams that it binds to the input nodes."""
    names = {each.node: each.stream.name for each in binding.inputs.select_related("stream")}
    graph = binding.query_version.read_graph()
    nodes = [
        node.model_copy(update={"stream": names[node.id]}) if isinstance(node, InputNode) and node.id in names else node
        for node in graph.nodes
    ]
    return graph.model_copy(update={"nodes": nodes})
