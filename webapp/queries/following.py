"""Queries that name streams: told where it is asked what needs a stream, and following one that is renamed."""

from uuid import UUID

from streaming.definition.graph import InputNode
from webapp.core.uses import Use, register_follower, register_uses
from webapp.queries.access import current_versions, input_streams
from webapp.queries.models import QueryVersion
from webapp.queries.services import changed_draft, create_version


def _naming(stream: str) -> list[QueryVersion]:
    return [version for version in current_versions() if stream in input_streams(version).values()]


def _uses(_: UUID, stream: str) -> list[Use]:
    return [
        Use(kind="query", id=str(each.query_id), name=each.query.name, says=f"names it in version {each.number}")
        for each in _naming(stream)
    ]


def _follow(before: str, after: str) -> None:
    """Give each query whose current version names the stream a version with the new name; older ones keep the old."""
    for version in _naming(before):
        graph = version.read_graph()
        nodes = [
            node.model_copy(update={"stream": after}) if isinstance(node, InputNode) and node.stream == before else node
            for node in graph.nodes
        ]
        draft = changed_draft(version, graph.model_copy(update={"nodes": nodes}))
        comment = f"The stream {before} is now called {after}"
        create_version(query=version.query, draft=draft, comment=comment, author=None, parent=version.pk)


register_uses("stream", _uses)
register_follower("stream", _follow)
