"""The folder at a location: a path, or an address of an object store."""

from typing import Final

from streaming.storage.blobs import BlobFolder, LocalFolder

REMOTE: Final = "s3://"


def is_remote(location: str) -> bool:
    """Return whether `location` is on an object store."""
    return location.startswith(REMOTE)


def folder_at(location: str) -> BlobFolder:
    """Return the folder at `location`. Raises `ValueError` for an invalid one."""
    if not is_remote(location):
        return LocalFolder(location)
    from streaming.storage.object_store import (
        object_folder,  # the client of an object store loads only where one is used
    )

    return object_folder(location)
