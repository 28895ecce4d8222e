"""Asks for a turn of the reconciler by the name of its task: who asks loads nothing of what a turn does."""

from typing import Final
from uuid import UUID

from celery import current_app
from django.db import transaction

RECONCILE: Final = "webapp.runs.tasks.reconcile"
TIMES: Final = 10
"""While another turn is under way, which may know nothing of a change yet, one that was asked for is tried so often."""


def reconcile_soon(organisation: UUID) -> None:
    """Reconcile once the present transaction is committed; without a broker the next beat does it."""
    transaction.on_commit(
        lambda: current_app.send_task(RECONCILE, kwargs={"organisation": str(organisation), "again": TIMES}),
        robust=True,
    )
