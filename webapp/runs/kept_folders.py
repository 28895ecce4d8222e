"""Folders of what bindings keep: on this machine, or, for long data, on the installation's object store."""

from pathlib import Path
from uuid import UUID

from django.conf import settings

from streaming.storage.blobs import BlobFolder
from streaming.storage.result_location import RESULTS, result_folder
from webapp.core.context import current_organisation


def own_folder() -> Path:
    """Return the folder of the organisation in context on this machine."""
    root: Path = settings.PUNCTUAL_DATA
    return root / str(current_organisation())


def shared_folder() -> BlobFolder:
    """Return the folder in which results, restart points and savepoints of the organisation lie. Raises `OSError`."""
    return result_folder(own_folder())


def rows_folder(binding: UUID) -> BlobFolder:
    """Return the folder of results and quarantine of a binding, whether it exists or was deleted. Raises `OSError`."""
    return shared_folder().within(f"{RESULTS}/{binding}")


def rows_beside(binding: UUID) -> Path:
    """Return a binding's folder on this machine: marks of deliveries and readers, refused requests, lock."""
    return own_folder() / RESULTS / str(binding)
