"""Requests for a turn of the reconciler by the name of its task, so that callers load nothing of a turn."""

from typing import Final
from uuid import UUID

from celery import current_app
from django.db import transaction

RECONCILE: Final = "webapp.runs.tasks.reconcile"
TIMES: Final = 10
"""The number of tries while another turn is under way, which may have missed the change."""


def reconcile_soon(organisation: UUID) -> None:
    """Reconcile once the present transaction is committed; without a broker the next beat does it."""
    transaction.on_commit(
        lambda: current_app.send_task(RECONCILE, kwargs={"organisation": str(organisation), "again": TIMES}),
        robust=True,
    )
