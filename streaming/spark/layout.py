"""Where a carrier keeps what, and the settings that planner, workers and sink share through its folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from streaming.definition.graph import Strict
from streaming.spark.control import ControlLog
from streaming.spark.storage import Folder, LocalFolder
from streaming.wire.outgoing import NOTHING, OutgoingPolicy

SETTINGS_FILE = "carrier.json"
HOLD = "hold"
"""While this file exists the planner plans nothing: its driver is about to stop the query."""


class CarrierSettings(Strict):
    """How a carrier runs. `partitions` is fixed at its first start: lane clocks and Spark's state depend on it.

    `home`: the folder inside which adapters read and under which `RunSpec.results` lies. `rows_per_batch`: about how
    many rows a batch may read for each input. `min_interval_s`: at least so long between two batches, unless more rows
    wait than one batch takes. `isolate`: a fault in one binding stops that binding alone; without it the query fails
    (right for a carrier with one binding in several buckets). `buckets`: how many each binding gets. `list_ctis`: keep
    every output CTI in the manifests, not only the last. `outgoing`: where adapters may connect to.
    """

    home: str
    partitions: Annotated[int, Field(ge=1, le=256)] = 2
    rows_per_batch: Annotated[int, Field(ge=1)] = 1_000_000
    min_interval_s: Annotated[float, Field(ge=0)] = 0.0
    isolate: bool = True
    buckets: Annotated[int, Field(ge=1, le=256)] = 1
    list_ctis: bool = False
    outgoing: OutgoingPolicy = NOTHING


@dataclass(frozen=True)
class CarrierFolder:
    """An opened carrier folder."""

    path: Path
    settings: CarrierSettings
    folder: Folder
    control: ControlLog

    @property
    def home(self) -> Path:
        """The folder of the organisation."""
        return Path(self.settings.home)


def create(path: Path, settings: CarrierSettings) -> CarrierFolder:
    """Open the carrier at `path` with `settings`; only its partitions stay as they were at its first start."""
    folder = LocalFolder(path)
    known = folder.read(SETTINGS_FILE)
    if known is not None:
        partitions = CarrierSettings.model_validate_json(known).partitions
        settings = settings.model_copy(update={"partitions": partitions})
    folder.write(SETTINGS_FILE, settings.model_dump_json().encode())
    return CarrierFolder(path, settings, folder, ControlLog(folder))


def opened(path: str) -> CarrierFolder:
    """The carrier at `path` as workers see it; remembered for each process as long as its settings stay."""
    folder = LocalFolder(path)
    content = folder.read(SETTINGS_FILE)
    if content is None:
        raise LookupError(f"{path} is not the folder of a carrier")
    known = _OPENED.get(path)
    if known is None or known[0] != content:
        settings = CarrierSettings.model_validate_json(content)
        known = (content, CarrierFolder(Path(path), settings, folder, ControlLog(folder)))
        _OPENED[path] = known
    return known[1]


_OPENED: dict[str, tuple[bytes, CarrierFolder]] = {}
