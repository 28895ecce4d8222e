"""Queries that name streams: reported as uses of a stream, and updated when it is renamed."""

from collections.abc import Callable
from uuid import UUID

from streaming.definition.graph import InputNode, QueryGraph
from webapp.core.errors import Conflict
from webapp.core.uses import ObjectUse, register_follower, register_uses
from webapp.queries.access import current_versions, input_streams
from webapp.queries.checking import all_drafted
from webapp.queries.models import QueryVersion
from webapp.queries.services import create_version
from webapp.queries.texts import stored_text


def _naming(stream: str) -> list[QueryVersion]:
    return [version for version in current_versions() if stream in input_streams(version).values()]


def _uses(_: UUID, stream: str) -> list[ObjectUse]:
    return [
        ObjectUse(kind="query", id=str(each.query_id), name=each.query.name, says=f"names it in version {each.number}")
        for each in _naming(stream)
    ]


def _follow(before: str, after: str) -> Callable[[], None]:
    """Make a version with the new name of each query whose current version names the stream; older ones stay."""
    versions = _naming(before)
    changes = [(_reading(each.read_graph(), before, after), stored_text(each)) for each in versions]
    drafts = all_drafted(changes)

    def follow() -> None:
        if {each.pk for each in _naming(before)} != {each.pk for each in versions}:
            raise Conflict(f"A query that names {before} has changed since then. Send your change again.")
        comment = f"The stream {before} is now called {after}"
        for version, draft in zip(versions, drafts, strict=True):
            create_version(query=version.query, draft=draft, comment=comment, author=None, parent=version.pk)

    return follow


def _reading(graph: QueryGraph, before: str, after: str) -> QueryGraph:
    nodes = [
        node.model_copy(update={"stream": after}) if isinstance(node, InputNode) and node.stream == before else node
        for node in graph.nodes
    ]
    return graph.model_copy(update={"nodes": nodes})


register_uses("stream", _uses)
register_follower("stream", _follow)
