"""Applying files: everything in one transaction, or nothing."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from webapp.accounts.models import Organisation, User
from webapp.audit.recording import Target, record
from webapp.bundles.planning import Planned, plan
from webapp.core.context import current_organisation
from webapp.core.errors import Conflict, Faulty
from webapp.queries.access import current_version
from webapp.queries.checking import Draft
from webapp.queries.models import Query, QueryVersion
from webapp.queries.services import create_query, create_version, delete_query
from webapp.runs.bindings import delete_binding, write_binding
from webapp.runs.models import Binding
from webapp.streams.models import Stream
from webapp.streams.services import delete_stream, store_stream

COMMENT = "Applied from files"
_DONE: Final = {"create": "created", "update": "updated", "delete": "deleted"}


def apply(files: Mapping[str, str], *, prune: bool, token: str, author: User | None) -> Planned:
    """Make everything as `files` say it, and with `prune` delete what they do not say.

    Raises `Conflict` if anything changed since the plan of `token`, `Faulty` with the faults of all files. Nothing is
    half applied: one transaction holds it all, and the rows that it reads are locked meanwhile.
    """
    try:
        with transaction.atomic():
            _lock()
            planned = plan(files, prune=prune)
            if planned.token != token:
                raise Conflict("Definitions or files have changed since the plan. Make a new plan and look at it.")
            if planned.refused:
                raise Faulty(list(planned.faults))
            _write(planned, author)
            _record(planned)
            return planned
    except (IntegrityError, ProtectedError):
        raise Conflict("Somebody changed a definition at the same time. Make a new plan and look at it.") from None


def _lock() -> None:
    """Keep everybody else from changing what is about to be read; one apply at a time in an organisation."""
    list(Organisation.objects.select_for_update().filter(pk=current_organisation()))
    for model in (Stream, Query, Binding):
        list(model.objects.select_for_update().order_by("pk"))


def _record(planned: Planned) -> None:
    """Record the whole beside what each definition's own event says."""
    counts = Counter(_DONE[each.action] for each in planned.changes if each.action in _DONE)
    target = Target("organisation", current_organisation(), "definitions")
    record("definitions.applied", target=target, after={name: counts[name] for name in _DONE.values()})


def _write(planned: Planned, author: User | None) -> None:
    changed = {(each.kind, each.name) for each in planned.changes if each.action in ("create", "update")}
    after, present = planned.after, planned.present
    for name, stream in after.streams.items():
        if ("stream", name) in changed:
            store_stream(stream=stream)
    for name, query in after.queries.items():
        if ("query", name) in changed:
            _write_query(present.versions.get(name), query.draft, author)
    for name, bound in after.bindings.items():
        if ("binding", name) in changed:
            binding = present.bindings.get(name) or Binding(name=name)
            binding.dedicated, binding.freshness = bound.dedicated, bound.freshness
            write_binding(binding, current_version(Query.objects.get(name=bound.query)), bound.chosen)
    _delete(planned)


def _write_query(version: QueryVersion | None, draft: Draft, author: User | None) -> None:
    if version is None:
        create_query(draft=draft, comment=COMMENT, author=author)
    else:
        create_version(query=version.query, draft=draft, comment=COMMENT, author=author, parent=None)


def _delete(planned: Planned) -> None:
    present = planned.present
    for name in planned.deleted.get("binding", ()):
        delete_binding(binding=present.bindings[name])
    for name in planned.deleted.get("query", ()):
        delete_query(query=present.versions[name].query)
    for name in planned.deleted.get("stream", ()):
        delete_stream(stream=present.streams[name])
