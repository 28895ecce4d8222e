"""Where a carrier keeps what, and the settings that planner, workers and sink share through its folder."""

import re
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from streaming.definition.strict import Strict
from streaming.spark.control import ControlLog
from streaming.spark.errors import PunctualError
from streaming.wire.binding_homes import organisation_in
from streaming.wire.folders import folder_at, is_remote
from streaming.wire.messages import RunSpec
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from streaming.wire.result_location import result_folder
from streaming.wire.storage import BlobFolder

LAYOUT: Final = 2
"""How a carrier's folder and checkpoint are written: offsets, manifests, commands, states. Any change makes another."""
LAYOUT_FILE: Final = "layout"
SUCCEEDS_FILE: Final = "succeeds"
"""In the folder of a carrier that took the place of one of another layout: the name under which that one lies."""
ANOTHER_LAYOUT: Final = (
    "The carrier's checkpoint was written by another version of this program (layout {found}, this one reads {known}). "
    "Start the runs with the program that wrote it, or remove the carrier's folder and start them anew."
)
SETTINGS_FILE = "carrier.json"
HOLD = "hold"
"""While this file exists the planner plans nothing: its driver is about to stop the query."""
FIXED: Final = ("partitions", "stages", "pages")
"""What of the settings never changes."""
_ORGANISATION: Final = re.compile(r"[0-9A-Za-z_-]+")
_REMEMBERED_S: Final = 1.0
"""For so long a process takes the settings on an object store for unchanged: operators ask for them at every key."""


class CarrierSettings(Strict):
    """How a carrier runs. `partitions`, `stages` and `pages` are fixed at its first start: lane clocks and Spark's
    state hang on them. `stages`: behind how many exchanges its operators run, 2 where the nodes of a binding in several
    buckets may meet by different keys; a file of before there were two says nothing, and means 1. `pages`: the names of
    those that bindings share (pages.py); without any, as in a file of before, each binding is by itself.

    `home`: the folder inside which adapters read and under which `RunSpec.results` lies. `rows_per_batch`: about how
    many rows a batch may read for each input. `min_interval_s`: how often a binding is looked at that does not say
    how fresh its results must be (looks.py). `isolate`: a fault in one binding
    stops that binding alone; without it the query fails (right for a carrier with one binding in several buckets).
    `buckets`: how many each binding gets. `list_ctis`: keep every output CTI in the manifests, not only the last.
    `outgoing`: where adapters may connect to. `results`: the location (storage.py) under which `RunSpec.results` lies
    where that is not `home`. `read_deadline_s`: so long, in all, the adapters of a binding may keep one batch waiting;
    `compute_deadline_s`: so long its work in one task may last; it fails where either is not enough. `heartbeat_s`: how
    often those bindings get a batch that wait for time to pass. `keep_results_s`: results and quarantine older than
    this go, of every binding that has any beside these; None: they stay. `eager_s`: so long after its start a binding
    is looked at every second, for somebody waits to see it.

    `files`: the folder inside which adapters read where that is not all of `home`: what a runner keeps beside its
    organisation's data is no adapter's business.

    `pooled`: the bindings are of several organisations; `home` holds a folder for each, in which `files` is the name of
    the one for adapters, and a note where its results lie (`results_at`). `batch_rows`: about so many rows all inputs
    together may read in a batch, each organisation as many as any other; None: no such limit. `patience_s`: one
    planning waits so long in all for adapters that do not answer; `lanes_deadline_s`: so long one may take to name its
    lanes. `held_up_s`: so long the adapters of a binding may keep a batch or its planning waiting, where what does so
    for longer goes on elsewhere (`RunFailure.slow`); None: `read_deadline_s` alone counts. `places`: the folder of the
    places for tasks (task_places.py) of which its batches need some; None: it need not ask. `columns`: results are
    written as tables instead of lines, for who reads them when all has ended (committed_rows.py).
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
        """Whether who holds a batch up, or has it repeated, goes on elsewhere."""
        return self.held_up_s is not None

    @property
    def held_up_at_most_s(self) -> float:
        """So long, in all, the adapters of a binding may keep one batch waiting."""
        return self.read_deadline_s if self.held_up_s is None else min(self.held_up_s, self.read_deadline_s)


@dataclass(frozen=True)
class CarrierFolder:
    """An opened carrier folder; `location` is a path or that of an object store (storage.py)."""

    location: str
    settings: CarrierSettings
    folder: BlobFolder
    control: ControlLog

    @cached_property
    def succeeds_another_layout(self) -> bool:
        """Whether it took the place of a carrier that another version of the program wrote."""
        return self.folder.read(SUCCEEDS_FILE) is not None

    def files_of(self, organisation: str) -> Path:
        """The folder that adapters of `organisation` may not leave."""
        if self.settings.pooled:
            return Path(self.settings.home) / _plain(organisation) / (self.settings.files or "")
        return Path(self.settings.files or self.settings.home)

    @cached_property
    def local(self) -> Path | None:
        """The folder as a path, None where it is on an object store."""
        return None if is_remote(self.location) else Path(self.location)

    @cached_property
    def every(self) -> BlobFolder:
        """What all carriers of the organisation see; in a pooled one nothing lies there but organisations."""
        return folder_at(self.settings.home if self.settings.results is None else self.settings.results)

    def shared_of(self, organisation: str) -> BlobFolder:
        """What all carriers of `organisation` see: results, savepoints, restart points."""
        return result_folder(Path(self.settings.home) / _plain(organisation)) if self.settings.pooled else self.every

    def organisation_of(self, name: str) -> str:
        """The organisation of the binding, or of its state, that is called `name` here; "" where all are of one."""
        return organisation_in(name) if self.settings.pooled else ""

    def results_called(self, name: str) -> BlobFolder:
        """The folder of results that `results_within` calls so."""
        if not self.settings.pooled:
            return self.every.within(name)
        organisation, _, rest = name.partition("/")
        return self.shared_of(organisation).within(rest)

    def results_within(self, spec: RunSpec) -> str:
        """What the folder of the results of `spec` is called, with its organisation where there are several."""
        return f"{_plain(spec.organisation)}/{spec.results}" if self.settings.pooled else spec.results

    def isolates(self, entry: int) -> bool:
        """Whether a fault of the operators stops the binding of `entry` alone: its only bucket can go back by itself.

        One in several buckets was perhaps added when the settings did not isolate: then they must go back together.
        """
        return self.settings.isolate and len(self.control.added(entry).bucket_ids) == 1

    def results_of(self, entry: int) -> BlobFolder:
        """Where the results go of the binding that control entry `entry` added."""
        spec = self.control.added(entry).spec
        return self.shared_of(spec.organisation).within(spec.results)


def _plain(organisation: str) -> str:
    """`organisation`, which names a folder. Raises `PunctualError` for what could name another one."""
    if _ORGANISATION.fullmatch(organisation) is None:
        raise PunctualError("The run belongs to no organisation that has a folder.", domain="internal")
    return organisation


def exists(location: Path | str) -> bool:
    """Whether a carrier was ever created at `location`."""
    return folder_at(str(location)).read(SETTINGS_FILE) is not None


def leave_behind_other_layout(location: Path | str) -> str | None:
    """Put a carrier aside that another version of the program wrote, and return the name under which it lies beside.

    Its bindings begin anew here, at their restart points. Returns None where there is none, or one of this layout.
    Raises `PunctualError` for one on an object store, which cannot be renamed.
    """
    folder = folder_at(str(location))
    found = None if folder.read(SETTINGS_FILE) is None else _layout_of(folder)
    if found in (None, str(LAYOUT)):
        return None
    if is_remote(str(location)):
        raise PunctualError(ANOTHER_LAYOUT.format(found=found, known=LAYOUT), domain="user")
    place = Path(location)
    names = (f"{place.name}.layout-{found}{number}" for number in ("", *(f"-{again}" for again in range(2, 1_000))))
    aside = next(name for name in names if not place.with_name(name).exists())
    place.rename(place.with_name(aside))
    fresh = folder_at(str(location))
    fresh.write(SUCCEEDS_FILE, aside.encode())
    return aside


def _layout_of(folder: BlobFolder) -> str:
    content = folder.read(LAYOUT_FILE)
    return "unknown" if content is None else content.decode()


def create(location: Path | str, settings: CarrierSettings) -> CarrierFolder:
    """Open the carrier at `location` with `settings`; what is `FIXED` stays as it was at its first start.

    Raises `PunctualError` for one that another version of the program wrote.
    """
    folder = folder_at(str(location))
    known = folder.read(SETTINGS_FILE)
    if known is None:
        folder.write(LAYOUT_FILE, str(LAYOUT).encode())  # first: what has settings and no layout is of before layouts
    elif _layout_of(folder) != str(LAYOUT):
        raise PunctualError(ANOTHER_LAYOUT.format(found=_layout_of(folder), known=LAYOUT), domain="user")
    if known is not None:
        before = CarrierSettings.model_validate_json(known)
        settings = settings.model_copy(update={name: getattr(before, name) for name in FIXED})
    folder.write(SETTINGS_FILE, settings.model_dump_json().encode())
    return CarrierFolder(str(location), settings, folder, ControlLog(folder, pooled=settings.pooled))


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
        carrier = CarrierFolder(location, settings, folder, ControlLog(folder, pooled=settings.pooled))
    _OPENED[location] = _OpenedCarrier(content, time.monotonic() + _REMEMBERED_S, carrier)
    return carrier


@dataclass(frozen=True)
class _OpenedCarrier:
    """A carrier that was opened from settings with `content`, which count until `until` without another look."""

    content: bytes
    until: float
    carrier: CarrierFolder


_OPENED: dict[str, _OpenedCarrier] = {}
