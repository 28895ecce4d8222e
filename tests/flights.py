"""The real flights of `../shared/data/flights`: reports in order of landing, so the departures come late."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import EventTime, StreamDefinition, TimeColumn

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FLIGHTS = DATA / "flights" / "flights.csv.gz"
ROWS = 223_874
STREAM = StreamDefinition(
    fields={"carrier": "string", "dest": "string", "distance_mi": "long", "dep_delay_min": "long"},
    event_time=EventTime(start=TimeColumn(column="departed_at")),
)
"""Event time `departed_at`; some of the fields."""


def require(path: Path) -> Path:
    """The path, if it is there. Raises FileNotFoundError that says where the data must lie."""
    if not path.exists():
        raise FileNotFoundError(
            f"The test data {path} is absent: these tests need the shared data beside the project, at {DATA}."
        )
    return path


def flights_adapter(stream: StreamDefinition = STREAM, journal: Path | None = None) -> InputAdapter:
    """An adapter over the whole file; its only lane is "0"."""
    folder = require(FLIGHTS).parent
    return input_adapter("file", {"path": FLIGHTS.name}, stream, folder, journal)
