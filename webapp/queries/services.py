"""Writing queries and their versions."""

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from streaming.definition.versions.meaning import QueryMeaning, content_hash
from webapp.accounts.limits.quotas import check_room, counts
from webapp.accounts.models import User
from webapp.audit.recording import Target, record
from webapp.core.context import current_actor
from webapp.core.errors import Conflict
from webapp.core.turns import alone
from webapp.core.uses import refuse_while_used
from webapp.queries.access import current_version
from webapp.queries.checking import QueryDraft, drafted
from webapp.queries.made import version_was_made
from webapp.queries.models import Query, QueryText, QueryVersion
from webapp.queries.texts import settings_of, stored_text


@counts("queries")
def queries_used() -> int:
    """Return the number of queries of the organisation in context."""
    return Query.objects.count()


@counts("query_versions")
def versions_used() -> int:
    """Return the number of versions of all queries of the organisation in context."""
    return QueryVersion.objects.count()


def says_the_same(version: QueryVersion, meaning: QueryMeaning) -> bool:
    """Return whether `version` has the same graph as `meaning`, and the same settings of time.

    Versions stored before settings belonged to versions have a hash of the graph alone: their text is read.
    """
    wanted = content_hash(meaning)
    if version.content_hash != content_hash(QueryMeaning(graph=meaning.graph)):
        return version.content_hash == wanted  # another graph, or a hash that includes settings
    return content_hash(settings_of(version).beside(meaning.graph)) == wanted


def create_query(*, draft: QueryDraft, comment: str, author: User | None) -> Query:
    """Create a query with its first version. Raises `Conflict` for a name that is taken, `OverQuota`."""
    name = draft.graph.name
    try:
        with transaction.atomic():
            alone("queries")
            check_room("queries", queries_used())
            query = Query(name=name)
            query.save()
            made = _add_version(query, draft, comment=comment, author=author, parent=None)
            record("query.created", target=target_of(query), after=audited(made))
    except IntegrityError:
        raise Conflict(f"A query {name} already exists. Choose another name, or add a version to it.") from None
    return query


def create_version(
    *, query: Query, draft: QueryDraft, comment: str, author: User | None, parent: UUID | None
) -> tuple[QueryVersion, bool]:
    """Return the version of `draft`, and whether it was made; the current one if it already means the same.

    The text of the current one is replaced then, because comments and layout aren't part of its meaning: graph and
    settings of time. A version made from a graph gets the previous text, rewritten. Raises `Conflict` if `parent` is
    given and no longer current, or if the name is taken.
    """
    name = draft.graph.name
    read = current_version(query)
    same = says_the_same(read, draft.meaning)  # before the lock, because it may have to read a text
    try:
        with transaction.atomic():
            current = current_version(Query.objects.select_for_update().get(pk=query.pk))
            if parent is not None and parent != current.pk:
                raise Conflict(f"Version {current.number} was made since then. Check it, and base your change on it.")
            if same if current.pk == read.pk else says_the_same(current, draft.meaning):
                _write_text(query, current, draft.text)
                return current_version(query), False
            before = audited(current)
            query.name = name
            query.save()
            made = _add_version(query, draft, comment=comment, author=author, parent=current)
            record("query.version_made", target=target_of(query), before=before, after=audited(made))
    except IntegrityError:
        raise Conflict(f"Another query is called {name}. Choose another name.") from None
    return made, True


def rename_query(*, query: Query, name: str, author: User | None, parent: UUID | None) -> QueryVersion:
    """Make a version of `query` that differs only in its name. Raises like `create_version`."""
    current = current_version(query)
    draft = drafted(current.read_graph().model_copy(update={"name": name}), stored_text(current))
    comment = f"Renamed from {query.name}"
    return create_version(query=query, draft=draft, comment=comment, author=author, parent=parent or current.pk)[0]


def delete_query(*, query: Query) -> None:
    """Delete a query with its versions. Raises `Conflict`, which lists the bindings, while bindings need a version."""
    with transaction.atomic():
        refuse_while_used("query", query.pk, query.name)
        target, before = target_of(query), audited(current_version(query))
        query.delete()
        record("query.deleted", target=target, before=before)


def target_of(query: Query) -> Target:
    """Return the query as the audit log names it."""
    return Target("query", query.pk, query.name)


def audited(version: QueryVersion) -> dict[str, Any]:
    """Return the state of a version for the audit log; nodes are by id, so that only changed ones differ."""
    graph = {**version.graph, "nodes": {node["id"]: node for node in version.graph["nodes"]}}
    return {"version": version.number, "comment": version.comment, "graph": graph, "text": stored_text(version)}


def _write_text(query: Query, version: QueryVersion, text: str | None) -> None:
    before = stored_text(version)
    if text is not None and text != before:
        QueryText.objects.update_or_create(version=version, defaults={"text": text})
        record("query.text_replaced", target=target_of(query), before={"text": before}, after={"text": text})


def _add_version(
    query: Query, draft: QueryDraft, *, comment: str, author: User | None, parent: QueryVersion | None
) -> QueryVersion:
    check_room("query_versions", versions_used())
    version = QueryVersion(
        query=query,
        number=1 if parent is None else parent.number + 1,
        graph=draft.graph.model_dump(mode="json"),
        content_hash=content_hash(draft.meaning),
        author=author,
        author_label=current_actor().label,
        comment=comment,
        parent=parent,
    )
    before = None if parent is None else stored_text(parent)
    text = draft.text
    if text is None and before is not None:
        if draft.rewritten_from != before:  # rewriting takes seconds, too long for this lock
            raise Conflict("The text of this query has changed since then. Check it, and send your change again.")
        text = draft.written
    version.printed = draft.written if text is None else ""
    version.save()
    if text is not None:
        QueryText(version=version, text=text).save()
    version_was_made(version)
    return version
