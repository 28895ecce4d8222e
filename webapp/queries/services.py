"""Writing queries and their versions."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from streaming.definition.graph import QueryGraph
from webapp.accounts.models import User
from webapp.core.errors import Conflict
from webapp.queries.access import current_version
from webapp.queries.checking import sound_graph
from webapp.queries.models import Query, QueryVersion


def content_hash(graph: QueryGraph) -> str:
    """Return the SHA-256 of the graph in its canonical form: two graphs that mean the same text have the same hash."""
    canonical = json.dumps(graph.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def create_query(*, graph: Mapping[str, Any], comment: str, author: User) -> Query:
    """Create a query with its first version. Raises `Faulty` with all faults, `Conflict` for a name that is taken."""
    sound = sound_graph(graph)
    try:
        with transaction.atomic():
            query = Query(name=sound.name)
            query.save()
            _add_version(query, sound, number=1, comment=comment, author=author, parent=None)
    except IntegrityError:
        raise Conflict(f"There is a query {sound.name} already. Choose another name, or add a version to it.") from None
    return query


def create_version(
    *, query: Query, graph: Mapping[str, Any], comment: str, author: User, parent: UUID | None
) -> tuple[QueryVersion, bool]:
    """Return the version that says `graph`, and whether it was made; the current one if it says the same already.

    Raises `Faulty` with all faults, `Conflict` if `parent` is given and no longer current, or if the name is taken.
    """
    sound = sound_graph(graph)
    try:
        with transaction.atomic():
            current = current_version(Query.objects.select_for_update().get(pk=query.pk))
            if parent is not None and parent != current.pk:
                raise Conflict(
                    f"Version {current.number} was made meanwhile. Look at it, and send your change again upon it."
                )
            if current.content_hash == content_hash(sound):
                return current, False
            query.name = sound.name
            query.save()
            made = _add_version(query, sound, number=current.number + 1, comment=comment, author=author, parent=current)
    except IntegrityError:
        raise Conflict(f"There is another query {sound.name}. Choose another name.") from None
    return made, True


def _add_version(
    query: Query, graph: QueryGraph, *, number: int, comment: str, author: User, parent: QueryVersion | None
) -> QueryVersion:
    version = QueryVersion(
        query=query,
        number=number,
        graph=graph.model_dump(mode="json"),
        content_hash=content_hash(graph),
        author=author,
        comment=comment,
        parent=parent,
    )
    version.save()
    return version
