"""Requests that the target of an output refused for good: listed, and deleted by a person."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework.exceptions import NotFound

from streaming.storage.refused_requests import StoredRefusedRequest, forget_refused, refused_rows, stored_refused
from webapp.audit.recording import record
from webapp.runs.audit_targets import target_of
from webapp.runs.kept_folders import rows_beside
from webapp.runs.lifecycle.turn_requests import reconcile_soon
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, outputs_of, write_outputs


def refused_of(binding: UUID, output: UUID) -> Sequence[StoredRefusedRequest]:
    """Return the requests of an output, newest batches first. Raises `NotFound` if absent or not yours."""
    return stored_refused(*_place(binding, output))


def rows_of_refused(binding: UUID, output: UUID, number: int, part: int) -> Sequence[Mapping[str, Any]]:
    """Return the rows of one request. Raises `NotFound` if the request, the output or the binding is absent."""
    rows = refused_rows(*_place(binding, output), number, part)
    if rows is None:
        raise NotFound
    return rows


def put_refused_aside(binding: UUID, output: UUID) -> int:
    """Delete all requests of an output and return their number; a delivery that waited for that continues.

    Raises `NotFound` if absent or not yours.
    """
    with transaction.atomic():
        locked = Binding.objects.select_for_update().filter(pk=binding).first()
        if locked is None:
            raise NotFound
        identity, folder = _output(locked, output).identity, rows_beside(binding)
        requests = stored_refused(folder, identity)
        if requests:  # a new revision is tried at once
            write_outputs(
                locked, [_revised(each) if each.identity == identity else each for each in outputs_of(locked)]
            )
            locked.save(update_fields=["outputs"])
            transaction.on_commit(lambda: forget_refused(folder, identity, requests), robust=True)
            reconcile_soon(locked.organisation_id)
        after = {"output": identity, "requests": len(requests)}
        record("binding.refused_deleted", target=target_of(locked), after=after)
    return len(requests)


def _revised(output: BoundOutput) -> BoundOutput:
    return output.model_copy(update={"revision": output.revision + 1})


def _place(binding: UUID, output: UUID) -> tuple[Path, str]:
    found = Binding.objects.filter(pk=binding).first()
    if found is None:
        raise NotFound
    return rows_beside(binding), _output(found, output).identity


def _output(binding: Binding, output: UUID) -> BoundOutput:
    for each in outputs_of(binding):
        if each.identity == str(output):
            return each
    raise NotFound
