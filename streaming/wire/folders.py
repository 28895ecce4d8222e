"""The folder at a location: a path, or an address of an object store."""

from typing import Final

from streaming.wire.storage import BlobFolder, LocalFolder

REMOTE: Final = "s3://"


def is_remote(location: str) -> bool:
    """Whether `location` is one of an object store."""
    return location.startswith(REMOTE)


def folder_at(location: str) -> BlobFolder:
    """The folder at `location`. Raises `ValueError` for one that cannot be."""
    if not is_remote(location):
        return LocalFolder(location)
    from streaming.wire.object_store import object_folder  # only who has one loads the client of a store

    return object_folder(location)
