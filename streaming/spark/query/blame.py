"""Blame for an error in the work of one binding in a stage after the feed: the binding, or the machine."""

import traceback
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.spark.errors import explain_binding, shared_fault
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.state_change import StateChange
from streaming.storage.blobs import BlobFolder

_TRIAL: Final = "writable"


def blame(carrier: CarrierFolder, key: str, error: Exception, where: str, *, undo: bool = True) -> StateChange:
    """Return the failure of the binding `key` at `where`; `undo` as in `StateChange`. Call it where `error` is handled.

    Raises `error` itself if the machine is to blame, so that the query ends and keeps its checkpoint.
    """
    if shared_fault(error) or (_of_system(error) and not _takes_files(carrier, key)):
        raise error
    return StateChange.failed(explain_binding(error, where, traceback.format_exc()), undo=undo)


def _of_system(error: Exception) -> bool:
    return isinstance(error, OSError) and not isinstance(error, AdapterError)


def _takes_files(carrier: CarrierFolder, key: str) -> bool:
    """Return True if files can be written in the carrier's folder and in the organisation's folder."""
    return _takes_file(carrier.folder) and _takes_file(carrier.shared_of(carrier.organisation_of(key)))


def _takes_file(folder: BlobFolder) -> bool:
    try:
        folder.write(_TRIAL, b"")
        folder.remove(_TRIAL)
    except OSError:
        return False
    return True
