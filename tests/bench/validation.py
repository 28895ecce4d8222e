"""Time to validate and complete a text of two hundred lines, compared with tokenizing it."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.table import Table
from sqlglot.dialects.spark import Spark

from streaming.definition.sql.check import check_sql
from streaming.definition.sql.completion.complete import complete_sql
from streaming.definition.streams.stream import StreamDefinition

LINES: Final = 200
TARGET_MS: Final = 50
RUNS: Final = 31
STREAMS: Final = {
    "cars": StreamDefinition.model_validate(
        {
            "fields": {"plate": "string", "road_lane": "long", "speed": "double", "seen_at": "timestamp"},
            "advance": {"preset": "watermark(5s)"},
        }
    ),
    "owners": StreamDefinition.model_validate(
        {"fields": {"plate": "string", "owner": "string", "since": "timestamp"}, "advance": {"preset": "rowtime"}}
    ),
}
_STEP: Final = """\
  -- What is fast in part {n}, and how often each car is
  fast_{n} AS (
    SELECT STREAM plate, road_lane, speed * 1.609 AS kmh, upper(plate) AS shown
    FROM cars
    WHERE speed > {n} AND plate LIKE 'B{n}%' AND NOT (road_lane IN (1, 2, {n}) OR speed IS NULL)
  ),
  per_plate_{n} AS (
    SELECT STREAM plate, COUNT(*) AS n, AVG(kmh) AS mean, MAX(kmh) FILTER (WHERE road_lane > 1) AS top
    FROM fast_{n}
    WINDOW BY HOP 10m,1m
    GROUP BY plate
  ),
  owned_{n} AS (
    SELECT STREAM p.plate, owner, n, round(mean, 1) AS mean
    FROM per_plate_{n} AS p JOIN owners ON p.plate = owners.plate
    WHERE n > 3 AND CASE WHEN mean > 100 THEN true ELSE top > 120 END
  )"""


def text() -> str:
    """Return a valid text of LINES lines: steps that filter, count and join, and an output for each."""
    numbers = range(1, (LINES - 12) // (_STEP.count("\n") + 2) + 1)
    steps = ",\n".join(_STEP.format(n=n) for n in numbers)
    inserts = "\n".join(f"INSERT INTO out_{n} SELECT STREAM * FROM owned_{n};" for n in numbers)
    written = f"QUERY bench;\nWITH\n{steps};\n{inserts}\nADVANCE TIME cars PRESET watermark(5s);\n"
    return written + "-- .\n" * (LINES - written.count("\n"))


@dataclass(frozen=True)
class Taken:
    """Milliseconds of several runs: the minimum, which other programs disturb least, and the median."""

    least: float
    median: float

    def __str__(self) -> str:
        return f"{self.least:.1f} / {self.median:.1f} ms"


def taken(work: Callable[[int], object]) -> Taken:
    """Return how long `work` takes, called with the number of the run; the first run is left out."""
    seconds = []
    for number in range(RUNS):
        began = time.perf_counter()
        work(number)
        seconds.append(time.perf_counter() - began)
    return Taken(min(seconds[1:]) * 1000, statistics.median(seconds[1:]) * 1000)


def figures() -> dict[str, Taken]:
    """Measure tokenizing the text, validating it from scratch and after one change, and completing in its middle."""
    whole = text()
    middle = whole.index("speed > 5") + len("speed")
    return {
        "words": taken(lambda _: Spark().tokenize(whole)),
        "anew": taken(lambda number: check_sql(_all_changed(whole, number), STREAMS)),
        "changed": taken(lambda number: check_sql(whole.replace("speed > 5 ", f"speed > {number}5 "), STREAMS)),
        "completed": taken(lambda number: complete_sql(f"{whole}-- {number}", middle, STREAMS)),
    }


def _all_changed(whole: str, number: int) -> str:
    """Return the text with a change in every expression, so that no expression is cached."""
    return whole.replace("speed", f"/*{number}*/speed").replace("mean", f"/*{number}*/mean")


def table() -> Table:
    """Return the figures, minimum and median of each, and the ratio of validating to tokenizing."""
    found = figures()
    shown = Table("text", "tokenize", "validate", "after one change", "target", "ratio", "complete", title="texts")
    ratio = f"{found['anew'].least / found['words'].least:.1f}"
    times = [str(found[name]) for name in ("words", "anew", "changed")]
    shown.add_row(f"{text().count(chr(10))} lines", *times, f"{TARGET_MS} ms", ratio, str(found["completed"]))
    return shown


if __name__ == "__main__":
    Console(width=150).print(table())
