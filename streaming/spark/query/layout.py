"""The folder of a carrier, and the settings that planner, workers and sink share through it."""

import re
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from streaming.spark.errors import PunctualError
from streaming.spark.query.control import ControlLog
from streaming.spark.query.damage import naming
from streaming.storage.backup_hold import read_hold
from streaming.storage.blobs import BlobFolder
from streaming.storage.copied_folders import is_marked, mark_place
from streaming.storage.folders import folder_at, is_remote
from streaming.storage.result_location import result_folder
from streaming.wasm.modules import FOLDER as MODULES
from streaming.wire.binding_homes import organisation_in
from streaming.wire.message import RELEASE, RELEASE_FILE, Message
from streaming.wire.messages import RunSpec
from streaming.wire.outgoing import NOTHING, OutgoingPolicy

LAYOUT: Final = 3
"""The format of a carrier's folder and checkpoint: offsets, manifests, commands, states. Any change needs a new one."""
LAYOUT_FILE: Final = "layout"
SUCCEEDS_FILE: Final = "succeeds"
"""In the folder of a carrier that replaced one with another layout: the name of the replaced one."""
ANOTHER_LAYOUT: Final = (
    "The carrier's checkpoint was written by another version of this program (layout {found}, this one reads {known}). "
    "Start the runs with the program that wrote it, or remove the carrier's folder and start them again."
)
SETTINGS_FILE = "carrier.json"
ASIDE: Final = "."
DAMAGED: Final = "damaged"
"""The end of the name of a carrier that was set aside because it is damaged."""
HOLD = "hold"
"""While this file exists the planner plans nothing: its driver is about to stop the query. So does a backup's hold."""
FIXED: Final = ("partitions", "stages", "pages")
"""The settings that never change."""
_ORGANISATION: Final = re.compile(r"[0-9A-Za-z_-]+")
_REMEMBERED_S: Final = 1.0
"""The time for which a process caches settings from an object store: operators read them at every key."""


class CarrierSettings(Message):
    """The settings of a carrier.

    `partitions`, `stages` and `pages` are fixed at its first start, because lane clocks and Spark's state depend on
    them.

    - `home`: the folder in which adapters read and below which `RunSpec.results` is.
    - `files`: the folder in which adapters may read, if that is not all of `home`: adapters have no access to the other
      files that a runner stores with its organisation's data.
    - `modules`: the folder of modules in WebAssembly, if that is not `modules` in the organisation's folder.
    - `results`: the location (`wire/folders.py`) below which `RunSpec.results` is, if that is not `home`.
    - `stages`: the number of exchanges in front of its operators. 2 where the nodes of a binding in several buckets may
      need different keys. An older file has no value, which means 1.
    - `buckets`: the number of buckets of each binding.
    - `pages`: the names of the pages that bindings share (`shared_keys.py`). Without pages, as in an older file, each
      binding has its own key.
    - `rows_per_batch`: about how many rows a batch may read for each input. `batch_rows`: about how many rows all
      inputs together may read in a batch, in equal shares for organisations; None: no such limit.
    - `min_interval_s`: the poll interval of a binding without a freshness of its own (`poll_schedule.py`).
    - `eager_s`: the time after its start in which a binding is polled every second, because its user waits to see it.
    - `heartbeat_s`: the batch interval of bindings that wait for time to pass.
    - `isolate`: when the operators fail for a binding in one bucket, undo its batch in place. Without it, and for a
      binding in several buckets, the batch is repeated without that binding (`attempts.py`).
    - `list_ctis`: keep every output CTI in the manifests, not only the last.
    - `columns`: write results as tables instead of lines, for readers that start when the run has ended
      (`committed_rows.py`).
    - `keep_results_s`: delete results and quarantine older than this, of every binding that has any in the same place;
      None: never delete.
    - `outgoing`: the addresses to which adapters may connect.
    - `read_deadline_s`: the longest total time that the adapters of a binding may delay one batch; a slower binding
      fails. `compute_deadline_s`: the same for its work in one task.
    - `held_up_s`: the longest time that the adapters of a binding may delay a batch or its planning, if a slower
      binding continues elsewhere (`RunFailure.slow`); None: only `read_deadline_s` applies.
    - `patience_s`: the longest total time that one planning waits for adapters. `lanes_deadline_s`: the longest time
      that an adapter may take to name its lanes.
    - `places`: the folder of the task places (`task_places.py`) that its batches need; None: no places needed.
    - `pooled`: the bindings belong to several organisations. `home` has a folder for each; in it `files` is the name of
      the folder for adapters, and a note locates its results (`wire/result_location.py`).
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
    modules: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    pooled: bool = False
    batch_rows: Annotated[int, Field(ge=1)] | None = None
    patience_s: Annotated[float, Field(gt=0)] = 2.0
    lanes_deadline_s: Annotated[float, Field(gt=0)] = 10.0
    read_deadline_s: Annotated[float, Field(gt=0)] = 30.0
    held_up_s: Annotated[float, Field(gt=0)] | None = None
    compute_deadline_s: Annotated[float, Field(gt=0)] = 600.0
    heartbeat_s: Annotated[float, Field(gt=0)] = 1.0
    keep_results_s: Annotated[float, Field(gt=0)] | None = None
    eager_s: Annotated[float, Field(ge=0)] = 0.0
    places: str | None = None
    columns: bool = False

    @property
    def sends_away(self) -> bool:
        """True if a binding that delays a batch, or has it repeated, continues elsewhere."""
        return self.held_up_s is not None

    @property
    def longest_delay_s(self) -> float:
        """The longest total time that the adapters of a binding may delay one batch."""
        return self.read_deadline_s if self.held_up_s is None else min(self.held_up_s, self.read_deadline_s)


@dataclass(frozen=True)
class CarrierFolder:
    """An opened carrier folder; `location` is a path or that of an object store (`wire/folders.py`)."""

    location: str
    settings: CarrierSettings
    folder: BlobFolder
    control: ControlLog

    @cached_property
    def succeeds(self) -> str | None:
        """The name of the carrier that was set aside and replaced by this one; None if this one replaced none."""
        content = self.folder.read(SUCCEEDS_FILE)
        return None if content is None else content.decode()

    def files_of(self, organisation: str) -> Path:
        """Return the folder that adapters of `organisation` may not leave."""
        if self.settings.pooled:
            return Path(self.settings.home) / _plain(organisation) / (self.settings.files or "")
        return Path(self.settings.files or self.settings.home)

    def modules_of(self, organisation: str) -> Path:
        """Return the folder of the modules of `organisation`."""
        if self.settings.modules is not None:
            return Path(self.settings.modules)
        home = Path(self.settings.home)
        return (home / _plain(organisation) if self.settings.pooled else home) / MODULES

    @cached_property
    def local(self) -> Path | None:
        """The folder as a path; None on an object store."""
        return None if is_remote(self.location) else Path(self.location)

    @cached_property
    def root(self) -> Path:
        """The folder of all organisations, where a backup places its hold."""
        home = Path(self.settings.home)
        return home if self.settings.pooled else home.parent

    @property
    def held(self) -> bool:
        """True while nothing may be planned: the query is about to stop, or a backup clones the files."""
        return self.folder.read(HOLD) is not None or read_hold(self.root) is not None

    @cached_property
    def every(self) -> BlobFolder:
        """The folder that all carriers of the organisation share; in a pooled carrier it only holds organisations."""
        return folder_at(self.settings.home if self.settings.results is None else self.settings.results)

    def shared_of(self, organisation: str) -> BlobFolder:
        """Return the folder that all carriers of `organisation` share: results, savepoints, restart points."""
        return result_folder(Path(self.settings.home) / _plain(organisation)) if self.settings.pooled else self.every

    def organisation_of(self, name: str) -> str:
        """Return the organisation of the binding or state `name`; "" if all belong to one organisation."""
        return organisation_in(name) if self.settings.pooled else ""

    def results_called(self, name: str) -> BlobFolder:
        """Return the folder of results with a name from `results_within`."""
        if not self.settings.pooled:
            return self.every.within(name)
        organisation, _, rest = name.partition("/")
        return self.shared_of(organisation).within(rest)

    def results_within(self, spec: RunSpec) -> str:
        """Return the name of the folder of the results of `spec`, with its organisation if there are several."""
        return f"{_plain(spec.organisation)}/{spec.results}" if self.settings.pooled else spec.results

    def isolates(self, entry: int) -> bool:
        """Return True if a batch that fails in the operators can be undone in place: with a single bucket.

        A binding with several buckets may have been added when the settings did not isolate; its buckets must return
        together.
        """
        return self.settings.isolate and len(self.control.added(entry).bucket_ids) == 1

    def results_of(self, entry: int) -> BlobFolder:
        """Return the folder of the results of the binding that control entry `entry` added."""
        spec = self.control.added(entry).spec
        return self.shared_of(spec.organisation).within(spec.results)


def _plain(organisation: str) -> str:
    """Return `organisation` as the name of a folder. Raises `PunctualError` if it could name another folder."""
    if _ORGANISATION.fullmatch(organisation) is None:
        raise PunctualError("The run belongs to no organisation that has a folder.", domain="internal")
    return organisation


def mark_examined(place: Path) -> None:
    """Note that the checkpoint in `place` fits the results of its bindings (`gaps.py`). Raises `OSError`."""
    mark_place(place, LAYOUT_FILE)


def is_examined(place: Path) -> bool | None:
    """Return whether `place` is no copy since it was examined; None if it never was. Raises `OSError`."""
    return is_marked(place, LAYOUT_FILE)


def exists(location: Path | str) -> bool:
    """Return True if a carrier was ever created at `location`."""
    return folder_at(str(location)).read(SETTINGS_FILE) is not None


def leave_behind_other_layout(location: Path | str) -> str | None:
    """Set a carrier aside that another version of the program wrote; return its new name in the same folder.

    Its bindings start again here, at their restart points. Returns None if there is no carrier, or one with this
    layout. Raises `PunctualError` for a carrier on an object store, which cannot be renamed.
    """
    folder = folder_at(str(location))
    found = None if folder.read(SETTINGS_FILE) is None else _layout_of(folder)
    if found in (None, str(LAYOUT)):
        return None
    if is_remote(str(location)):
        raise PunctualError(ANOTHER_LAYOUT.format(found=found, known=LAYOUT), domain="user")
    return put_aside(Path(location), f"layout-{found}")


def put_aside(place: Path, why: str) -> str:
    """Rename the carrier at `place`; return its new name in the same folder. The carrier at `place` is then empty.

    `why`, a single word, is the end of that name. Raises `OSError`.
    """
    names = (f"{place.name}{ASIDE}{why}{number}" for number in ("", *(f"-{again}" for again in range(2, 1_000))))
    aside = next(name for name in names if not place.with_name(name).exists())
    place.rename(place.with_name(aside))
    folder_at(str(place)).write(SUCCEEDS_FILE, aside.encode())
    return aside


def is_aside(name: str) -> bool:
    """Return True if the carrier `name` was set aside: no runner opens it."""
    return f"{ASIDE}layout-" in name or f"{ASIDE}{DAMAGED}" in name


def _layout_of(folder: BlobFolder) -> str:
    content = folder.read(LAYOUT_FILE)
    if content is None:
        return "unknown"
    with naming(folder, LAYOUT_FILE):
        return str(int(content))


def create(location: Path | str, settings: CarrierSettings) -> CarrierFolder:
    """Open the carrier at `location` with `settings`; the `FIXED` ones stay as they were at its first start.

    Raises `PunctualError` for a carrier that another version of the program wrote.
    """
    folder = folder_at(str(location))
    known = folder.read(SETTINGS_FILE)
    if known is None:
        folder.write(LAYOUT_FILE, str(LAYOUT).encode())  # first: settings without a layout are older than layouts
        if not is_remote(str(location)):
            mark_examined(Path(location))
    elif _layout_of(folder) != str(LAYOUT):
        raise PunctualError(ANOTHER_LAYOUT.format(found=_layout_of(folder), known=LAYOUT), domain="user")
    if known is not None:
        with naming(folder, SETTINGS_FILE):
            before = CarrierSettings.model_validate_json(known)
        settings = settings.model_copy(update={name: getattr(before, name) for name in FIXED})
    folder.write(SETTINGS_FILE, settings.model_dump_json().encode())
    folder.write(RELEASE_FILE, RELEASE.encode())
    return CarrierFolder(str(location), settings, folder, ControlLog(folder, pooled=settings.pooled))


def open_carrier(location: str) -> CarrierFolder:
    """Return the carrier at `location` as workers see it; cached in each process while its settings stay the same.

    Raises `LookupError` if no carrier is there, `OSError`.
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
        with naming(folder, SETTINGS_FILE):
            settings = CarrierSettings.model_validate_json(content)
        carrier = CarrierFolder(location, settings, folder, ControlLog(folder, pooled=settings.pooled))
    _OPENED[location] = _OpenedCarrier(content, time.monotonic() + _REMEMBERED_S, carrier)
    return carrier


@dataclass(frozen=True)
class _OpenedCarrier:
    """A carrier opened from settings with `content`; until `until` the settings are not read again."""

    content: bytes
    until: float
    carrier: CarrierFolder


_OPENED: dict[str, _OpenedCarrier] = {}
