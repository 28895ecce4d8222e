"""Tags and owners of queries: stored apart from their versions, so that a change of them makes no version."""

from collections.abc import Collection
from typing import Any

from django.db import transaction

from streaming.definition.faults import FaultCode
from webapp.accounts.members import members
from webapp.accounts.models import User
from webapp.audit.recording import record
from webapp.core.errors import Faulty, fault
from webapp.queries.models import Query
from webapp.queries.services import target_of


def owner_of(query: Query) -> str | None:
    """Return the address of the owner of `query`; None without one."""
    return None if query.owner is None else query.owner.email


def label_query(*, query: Query, tags: Collection[str], owner: str | None) -> Query:
    """Replace the tags and the owner of `query`; return it. Raises `Faulty` unless the owner is a member."""
    person = None if owner is None else _member(owner)
    with transaction.atomic():
        found = Query.objects.select_for_update(of=("self",)).select_related("owner").get(pk=query.pk)
        before = _audited(found)
        found.tags, found.owner = sorted(set(tags)), person
        found.save(update_fields=["tags", "owner"])
        if (after := _audited(found)) != before:
            record("query.labelled", target=target_of(found), before=before, after=after)
    return found


def _member(email: str) -> User:
    member = members().filter(user__email__iexact=email).first()
    if member is None:
        message = f"{email} isn't a member of this organisation."
        raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Choose one of its members.", field="owner")])
    return member.user


def _audited(query: Query) -> dict[str, Any]:
    return {"tags": query.tags, "owner": owner_of(query)}
