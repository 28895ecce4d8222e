"""Where a carrier keeps what, and the settings that planner, workers and sink share through its folder."""

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.spark.control import ControlLog
from streaming.spark.folders import folder_at, is_remote
from streaming.spark.storage import BlobFolder
from streaming.wire.outgoing import NOTHING, OutgoingPolicy

SETTINGS_FILE = "carrier.json"
HOLD = "hold"
"""While this file exists the planner plans nothing: its driver is about to stop the query."""
FIXED: Final = ("partitions", "stages", "pages")
"""What of the settings never changes."""
_REMEMBERED_S: Final = 1.0
"""For so long a process takes the settings on an object store for unchanged: operators ask for them at every key."""


class CarrierSettings(Strict):
    """How a carrier runs. `partitions`, `stages` and `pages` are fixed at its first start: lane clocks and Spark's
    state hang on them. `stages`: behind how many exchanges its operators run, 2 where the nodes of a binding in several
    buckets may meet by different keys; a file of before there were two says nothing, and means 1. `pages`: the names of
    those that bindings share (pages.py); without any, as in a file of before, each binding is by itself.

    `home`: the folder inside which adapters read and under which `RunSpec.results` lies. `rows_per_batch`: about how
    many rows a batch may read for each input. `min_interval_s`: at least so long from the end of a batch to the next,
    unless a binding asks for fresher results, or more rows wait than one batch takes. `isolate`: a fault in one binding
    stops that binding alone; without it the query fails (right for a carrier with one binding in several buckets).
    `buckets`: how many each binding gets. `list_ctis`: keep every output CTI in the manifests, not only the last.
    `outgoing`: where adapters may connect to. `results`: the location (storage.py) under which `RunSpec.results` lies
    where that is not `home`. `read_deadline_s`: so long, in all, the adapters of a binding may keep one batch waiting;
    `compute_deadline_s`: so long its work in one task may last; it fails where either is not enough. `heartbeat_s`: how
    often those bindings get a batch that wait for time to pass. `keep_results_s`: results and quarantine older than
    this go, of every binding that has any beside these; None: they stay.

    `files`: the folder inside which adapters read where that is not all of `home`: what a runner keeps beside its
    organisation's data is no adapter's business.
    """

    home: str
    partitions: Annotated[int, Field(ge=1, le=256)] = 2
    rows_per_batch: Annotated[int, Field(ge=1)] = 1_000_000
    min_interval_s: Annotated[float, Field(ge=0)] = 0.0
    isolate: bool = True
    buckets: Annotated[int, Field(ge=1, le=256)] = 1
    stages: Annotated[int, Field(ge=1, le=2)] = 1
    pages: tuple[str, ...] = ()
    list_ctis: bool = False
    outgoing: OutgoingPolicy = NOTHING
    results: str | None = None
    files: str | None = None
    read_deadline_s: Annotated[float, Field(gt=0)] = 30.0
    compute_deadline_s: Annotated[float, Field(gt=0)] = 600.0
    heartbeat_s: Annotated[float, Field(gt=0)] = 1.0
    keep_results_s: Annotated[float, Field(gt=0)] | None = None


@dataclass(frozen=True)
class CarrierFolder:
    """An opened carrier folder; `location` is a path or that of an object store (storage.py)."""

    location: str
    settings: CarrierSettings
    folder: BlobFolder
    control: ControlLog

    @property
    def files(self) -> Path:
        """The folder that adapters may not leave."""
        return Path(self.settings.files or self.settings.home)

    @property
    def local(self) -> Path | None:
        """The folder as a path, None where it is on an object store."""
        return None if is_remote(self.location) else Path(self.location)

    @cached_property
    def shared(self) -> BlobFolder:
        """What all carriers of the organisation see: results, savepoints."""
        return folder_at(self.settings.home if self.settings.results is None else self.settings.results)

    def isolates(self, entry: int) -> bool:
        """Whether a fault of the operators stops the binding of `entry` alone: its only bucket can go back by itself.

        One in several buckets was perhaps added when the settings did not isolate: then they must go back together.
        """
        return self.settings.isolate and len(self.control.added(entry).bucket_ids) == 1

    def results_of(self, entry: int) -> BlobFolder:
        """Where the results go of the binding that control entry `entry` added."""
        return self.shared.within(self.control.added(entry).spec.results)


def exists(location: Path | str) -> bool:
    """Whether a carrier was ever created at `location`."""
    return folder_at(str(location)).read(SETTINGS_FILE) is not None


def create(location: Path | str, settings: CarrierSettings) -> CarrierFolder:
    """Open the carrier at `location` with `settings`; what is `FIXED` stays as it was at its first start."""
    folder = folder_at(str(location))
    known = folder.read(SETTINGS_FILE)
    if known is not None:
        before = CarrierSettings.model_validate_json(known)
        settings = settings.model_copy(update={name: getattr(before, name) for name in FIXED})
    folder.write(SETTINGS_FILE, settings.model_dump_json().encode())
    return CarrierFolder(str(location), settings, folder, ControlLog(folder))


def opened(location: str) -> CarrierFolder:
    """The carrier at `location` as workers see it; remembered for each process as long as its settings stay.

    Raises `LookupError` where no carrier is, `OSError`.
    """
    known = _OPENED.get(location)
    if known is not None and is_remote(location) and time.monotonic() < known.until:
        return known.carrier
    folder = folder_at(location)
    content = folder.read(SETTINGS_FILE)
    if content is None:
        raise LookupError(f"{location} is not the folder of a carrier")
    if known is not None and known.content == content:
        carrier = known.carrier
    else:
        settings = CarrierSettings.model_validate_json(content)
        carrier = CarrierFolder(location, settings, folder, ControlLog(folder))
    _OPENED[location] = _OpenedCarrier(content, time.monotonic() + _REMEMBERED_S, carrier)
    return carrier


@dataclass(frozen=True)
class _OpenedCarrier:
    """A carrier that was opened from settings with `content`, which count until `until` without another look."""

    content: bytes
    until: float
    carrier: CarrierFolder


_OPENED: dict[str, _OpenedCarrier] = {}
