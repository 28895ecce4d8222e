"""Reading queries with rights: the organisation in context has been checked, so its rows are the caller's."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from streaming.definition.graph import InputNode
from webapp.core.errors import NotFound
from webapp.queries.models import Query, QueryVersion
from webapp.streams.models import Stream


def access_query(query: UUID) -> Query:
    """Return a query. Raises `NotFound` if absent or not yours."""
    found = Query.objects.select_related("owner").filter(pk=query).first()
    if found is None:
        raise NotFound
    return found


def access_version(version: UUID) -> QueryVersion:
    """Return a version of any query. Raises `NotFound` if absent or not yours."""
    found = listed_versions().filter(pk=version).first()
    if found is None:
        raise NotFound
    return found


def access_version_of(query: Query, version: UUID) -> QueryVersion:
    """Return a version of `query`. Raises `NotFound` if absent, of another query, or not yours."""
    found = listed_versions().filter(query=query, pk=version).first()
    if found is None:
        raise NotFound
    return found


def listed_versions() -> QuerySet[QueryVersion]:
    """Return the versions with the rows that the API shows, newest first in each query."""
    return QueryVersion.objects.select_related("author", "text", "query__owner")


def current_versions(*, with_authors: bool = True) -> list[QueryVersion]:
    """Return the newest version of each query, by the query's name; without authors if only definitions count."""
    newer = QueryVersion.objects.filter(query=OuterRef("query"), number__gt=OuterRef("number"))
    found = listed_versions().filter(~Exists(newer)).order_by("query__name")
    return list(found if with_authors else found.select_related(None).select_related("text", "query"))


def listed_queries(*, after: str, most: int) -> list[QueryVersion]:
    """Return the newest versions of the queries whose names follow `after`, by name, without their texts."""
    newer = QueryVersion.objects.filter(query=OuterRef("query"), number__gt=OuterRef("number"))
    found = QueryVersion.objects.filter(~Exists(newer), query__name__gt=after).select_related("author", "query__owner")
    return list(found.defer("printed").order_by("query__name")[:most])


def listed_streams(version: QueryVersion) -> list[str]:
    """Return the names of the streams that a stored version reads, without reading its other nodes."""
    nodes = version.graph["nodes"]
    return list(dict.fromkeys(node["stream"] for node in nodes if node["kind"] == "input"))


def current_version(query: Query) -> QueryVersion:
    """Return the newest version; every query has one."""
    version = listed_versions().filter(query=query).first()
    assert version is not None, "a query is created together with its first version"  # nosec B101 # for the type checker only
    return version


def input_streams(version: QueryVersion) -> dict[str, str]:
    """Return for each input node of `version` the name of its stream."""
    return {node.id: node.stream for node in version.read_graph().nodes if isinstance(node, InputNode)}


def streams_used(versions: Iterable[QueryVersion]) -> dict[str, UUID]:
    """Return the streams of the organisation that `versions` name, with their ids."""
    names = {name for version in versions for name in listed_streams(version)}
    return dict(Stream.objects.filter(name__in=names).values_list("name", "pk"))
