"""Celery tasks that work for one organisation."""

import functools
from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.app.task import Task

from webapp.core.context import NoOrganisation, organisation_context


def tenant_task(work: Callable[..., None]) -> "Task[Any, None]":
    """Make `work(*, organisation: str, ...)` a task that runs in that organisation, and refuses to run without one."""

    @shared_task(name=f"{work.__module__}.{work.__name__}")
    @functools.wraps(work)
    def in_organisation(*, organisation: str | None = None, **kwargs: Any) -> None:
        if not organisation:
            raise NoOrganisation(f"The task {work.__name__} was sent without an organisation.")
        with organisation_context(UUID(organisation)):
            work(organisation=organisation, **kwargs)

    return in_organisation
