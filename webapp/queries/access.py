"""Reading queries with rights: the organisation in context has been checked, so its rows are the caller's."""

from uuid import UUID

from streaming.definition.graph import InputNode
from webapp.core.errors import NotFound
from webapp.queries.models import Query, QueryVersion
from webapp.streams.models import Stream


def access_query(query: UUID) -> Query:
    """Return a query. Raises `NotFound` if absent or not yours."""
    found = Query.objects.filter(pk=query).first()
    if found is None:
        raise NotFound
    return found


def access_version(version: UUID) -> QueryVersion:
    """Return a version of any query. Raises `NotFound` if absent or not yours."""
    found = QueryVersion.objects.filter(pk=version).first()
    if found is None:
        raise NotFound
    return found


def current_version(query: Query) -> QueryVersion:
    """Return the newest version; every query has one."""
    version = query.versions.select_related("author").first()
    assert version is not None, "a query is created together with its first version"
    return version


def input_streams(version: QueryVersion) -> dict[str, str]:
    """Return for each input node of `version` the name of its stream."""
    return {node.id: node.stream for node in version.read_graph().nodes if isinstance(node, InputNode)}


def streams_used(version: QueryVersion) -> dict[str, UUID | None]:
    """Return the stream names in `version`, each with its id if the organisation has such a stream."""
    names = dict.fromkeys(input_streams(version).values())
    known = dict(Stream.objects.filter(name__in=names).values_list("name", "pk"))
    return {name: known.get(name) for name in names}
