"""Application of files: all changes in one transaction, or none."""

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from graphlib import TopologicalSorter
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from webapp.accounts.models import Organisation, User
from webapp.audit.recording import Target, record
from webapp.boards.boards import change_board, create_board, delete_board
from webapp.boards.definition import BoardDefinition
from webapp.boards.models import Board, BoardVersion
from webapp.bundles.bodies import Kind
from webapp.bundles.exporting import read_present
from webapp.bundles.files import in_no_file
from webapp.bundles.modules import keep
from webapp.bundles.planning import PlannedChanges, StreamPlanned, held_faults, plan, token_of
from webapp.core.context import current_organisation
from webapp.core.errors import Conflict, Faulty
from webapp.queries.access import current_version, input_streams
from webapp.queries.checking import QueryDraft
from webapp.queries.models import Query, QueryVersion
from webapp.queries.services import create_query, create_version, delete_query
from webapp.runs.access import bound_inputs, held_by_open_runs
from webapp.runs.bindings.binding_rows import write_binding
from webapp.runs.bindings.bindings import delete_binding
from webapp.runs.bindings.service_levels import stored_level
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import store_outputs
from webapp.runs.outputs.composing import composed_together, feed_of
from webapp.streams.models import Stream
from webapp.streams.services import delete_stream, store_stream

COMMENT = "Applied from files"
_DONE: Final = {"create": "created", "update": "updated", "delete": "deleted"}


def apply(
    files: Mapping[str, str],
    *,
    prune: bool,
    token: str,
    author: User | None,
    within: Callable[[], object] = lambda: None,
) -> PlannedChanges:
    """Create and update everything as in `files`, and with `prune` delete everything else.

    `within` is called in the transaction, under the locks and before the changes; its exceptions undo everything.

    Raises `Conflict` if anything changed since the plan of `token`, `Faulty` with the errors of all files. One
    transaction makes all changes. The files are checked before it, so that nobody waits for its locks; under the locks
    only the token is compared again. Modules are stored by their hash before what names them; a refused change may
    leave one without a use.
    """
    if token_of(files, read_present(), prune=prune) != token:
        raise _changed()
    planned = plan(files, prune=prune)
    if planned.token != token:
        raise _changed()
    if planned.refused:
        raise Faulty(list(planned.found.faults))
    try:
        with transaction.atomic():
            _lock()
            if read_present().fingerprint() != planned.present.fingerprint():
                raise _changed()
            if held := held_faults(planned.found.deleted, held_by_open_runs()):
                raise Faulty([*held])
            within()
            keep(files, planned.found.modules)
            with composed_together():
                _write(planned, author)
            _record(planned)
            if planned.found.bindings or planned.found.deleted:
                reconcile_soon(current_organisation())  # what is delivered may be other outputs
            return planned
    except Faulty as refused:
        raise Faulty([in_no_file(each) for each in refused.faults]) from None
    except (IntegrityError, ProtectedError):
        raise Conflict("Somebody changed a definition at the same time. Make a new plan and check it.") from None


def _changed() -> Conflict:
    return Conflict("Definitions or files have changed since the plan. Make a new plan and check it.")


def _lock() -> None:
    """Lock everything that is about to be read; one apply at a time in an organisation."""
    list(Organisation.objects.select_for_update().filter(pk=current_organisation()))
    for model in (Stream, Query, Binding, Board):
        list(model.objects.select_for_update().order_by("pk"))


def _record(planned: PlannedChanges) -> None:
    """Record the whole change, in addition to each definition's own event."""
    counts = Counter(_DONE[each.action] for each in planned.found.changes if each.action in _DONE)
    target = Target("organisation", current_organisation(), "definitions")
    record("definitions.applied", target=target, after={name: counts[name] for name in _DONE.values()})


def _write(planned: PlannedChanges, author: User | None) -> None:
    found, present = planned.found, planned.present
    changed = {(each.kind, each.name) for each in found.changes if each.action in ("create", "update")}
    streams = dict(present.streams)
    for name, stream in found.streams.items():
        streams[name] = _stream(name, stream, present.streams.get(name))
        if ("stream", name) in changed:
            store_stream(stream=streams[name])
    for name, draft in found.queries.items():
        if ("query", name) in changed:
            _write_query(present.versions.get(name), draft, author)
    for name, each in found.bindings.items():
        if ("binding", name) in changed:
            binding = present.bindings.get(name) or Binding(pk=each.id, name=name)
            binding.dedicated, binding.freshness = each.dedicated, each.freshness
            binding.completeness = each.completeness
            binding.freshness_level = stored_level(each.freshness_level)
            store_outputs(binding, each.outputs)
            chosen = {
                node: BoundInput(streams[one.stream], one.advance, one.event_time) for node, one in each.inputs.items()
            }
            write_binding(binding, current_version(Query.objects.get(name=each.query)), chosen)
    for name, definition in found.boards.items():
        if ("board", name) in changed:
            _write_board(present.boards.get(name), name, definition)
    _delete(planned)


def _stream(name: str, planned: StreamPlanned, present: Stream | None) -> Stream:
    stream = Stream(name=name) if present is None else copy.copy(present)
    stream.definition, stream.adapter = planned.definition, planned.adapter
    return stream


def _write_query(version: QueryVersion | None, draft: QueryDraft, author: User | None) -> None:
    if version is None:
        create_query(draft=draft, comment=COMMENT, author=author)
    else:
        create_version(query=version.query, draft=draft, comment=COMMENT, author=author, parent=None)


def _write_board(version: BoardVersion | None, name: str, definition: BoardDefinition) -> None:
    if version is None:
        create_board(name=name, definition=definition)
    else:
        change_board(board=version.board, definition=definition, parent=None)


def _delete(planned: PlannedChanges) -> None:
    present = planned.present
    for kind, name in _in_order(planned):
        if kind == "board":
            delete_board(board=present.boards[name].board)
        elif kind == "binding":
            delete_binding(binding=present.bindings[name])
        elif kind == "query":
            delete_query(query=present.versions[name].query)
        else:
            delete_stream(stream=present.streams[name])


def _in_order(planned: PlannedChanges) -> Iterator[tuple[Kind, str]]:
    """Return the definitions to delete, users first: a stream may read the results of a binding."""
    present, names = planned.present, planned.present.names()
    needed_by: dict[tuple[Kind, str], set[tuple[Kind, str]]] = {
        (kind, name): set() for kind, found in planned.found.deleted.items() for name in found
    }

    def needs(user: tuple[Kind, str], kind: Kind, name: str) -> None:
        if user in needed_by and (kind, name) in needed_by:
            needed_by[kind, name].add(user)

    for name, binding in present.bindings.items():
        needs(("binding", name), "query", binding.query_version.query.name)
        for each in bound_inputs(binding).values():
            needs(("binding", name), "stream", each.stream.name)
    for name, version in present.versions.items():
        for stream in input_streams(version).values():
            needs(("query", name), "stream", stream)
    for name, read in present.streams.items():
        feed = feed_of(read.read_adapter())
        if feed is not None and feed.binding in names:
            needs(("stream", name), "binding", names[feed.binding])
    yield from TopologicalSorter(needed_by).static_order()
