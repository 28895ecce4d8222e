"""Which columns could hold the time of the events, best first, each with the reason in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa

from streaming.adapters.times import Times, TimeSource, from_integers, read_cells, read_times
from streaming.definition.streams import TimeColumn, TimeUnit
from streaming.definition.time_columns import PLAUSIBLE, TIME_NAMES, plain_name, unit_of
from streaming.inference.columns import SampledColumn
from streaming.inference.field_types import ENOUGH
from streaming.wire.arrived import Int64s

_ISO: Final = re.compile(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d(?::?\d\d)?.*)?\s*", re.DOTALL)
_DAY: Final = re.compile(r"\s*\d{4}-\d\d-\d\d\s*")
_ZONED: Final = re.compile(r".*(?:[zZ]|[+-]\d\d(?::?\d\d)?)\s*", re.DOTALL)
_OTHER_FORM: Final = re.compile(
    r"\s*\d{1,4}[./]\d{1,2}[./]\d{1,4}\b.*|\s*\w{3},? \d{1,2} \w{3}.*|\s*\d{1,2} \w{3} \d{4}.*"
)
_LOOKED_AT: Final = 200
_UNIT_WORDS: Final[dict[TimeUnit, str]] = {
    "s": "seconds since 1970",
    "ms": "milliseconds since 1970",
    "us": "microseconds since 1970",
    "ns": "nanoseconds since 1970",
    "iso": "text in ISO 8601",
}
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HAPPENED: Final = frozenset(
    {"start", "started", "begin", "began", "event", "occurred", "happened", "seen", "sent", "timestamp", "ts", "time"}
    | {"datetime", "date", "at", "from", "when", "moment", "measured", "observed", "departure"}
)
_ENDED: Final = frozenset(
    {"end", "ended", "until", "to", "stop", "stopped", "finish", "finished", "expires", "left", "closed"}
    | {"landed", "dropoff", "logout", "checkout"}
)
_CAME: Final = frozenset(
    {
        "arrival",
        "arrived",
        "received",
        "receive",
        "ingest",
        "ingested",
        "publish",
        "published",
        "enqueued",
        "inserted",
        "loaded",
        "created",
        "updated",
        "modified",
    }
    | {"written", "stored", "processed"}
)
"""Words in names of times: when something happened, when it ended, when a row about it was written."""


@dataclass(frozen=True)
class TimesFound:
    """A column that reads as times: `ticks` of every record, `bad` where one has none that can be read.

    `score` ranks it, most first; `reason` says in words why it is what it is.
    """

    column: TimeColumn
    ticks: Int64s
    bad: np.ndarray[tuple[int], np.dtype[np.bool_]]
    score: float
    reason: str

    @property
    def readable(self) -> float:
        """The share of records with a time, from 0 to 1."""
        return 1 - float(self.bad.mean()) if len(self.bad) else 0.0


def time_columns(columns: Sequence[SampledColumn]) -> list[TimesFound]:
    """The columns that read as times, the likeliest first; equal ones in their order."""
    found = [times for column in columns if (times := _times(column)) is not None]
    return sorted(found, key=lambda each: -each.score)


def other_forms(columns: Sequence[SampledColumn]) -> Iterator[str]:
    """A sentence on each column of dates that are written so that no adapter reads them."""
    for column in columns:
        known = [value for value in column.known[:_LOOKED_AT] if isinstance(value, str)]
        if known and all(_OTHER_FORM.fullmatch(value) for value in known):
            yield (
                f"The column {column.path!r} seems to hold dates, such as {known[0][:40]!r}. Only ISO 8601 "
                "(2026-01-31T12:00:00Z) and numbers since 1970 are read as times; write it so to take it."
            )


def _times(column: SampledColumn) -> TimesFound | None:
    known = column.known
    looked_at = known[:_LOOKED_AT]
    if not known or any(isinstance(value, bool | list | dict) for value in looked_at):
        return None
    if all(isinstance(value, str) and _ISO.fullmatch(value) for value in _most(looked_at, str)) and _is_text(looked_at):
        return _of_text(column)
    return _of_numbers(column)


def _is_text(values: Sequence[object]) -> bool:
    return sum(isinstance(value, str) for value in values) >= ENOUGH * len(values)


def _most(values: Sequence[object], of: type) -> list[str]:
    """The texts, without the few that are of another form."""
    texts = [value for value in values if isinstance(value, of) and isinstance(value, str)]
    iso = [value for value in texts if _ISO.fullmatch(value)]
    return iso if texts and len(iso) >= ENOUGH * len(texts) else texts


def _of_text(column: SampledColumn) -> TimesFound | None:
    texts = [value if isinstance(value, str) else None for value in column.values]
    times = read_cells(pa.array(texts, pa.string()), TimeSource("", "iso"))
    known = [text for text in texts[:_LOOKED_AT] if text is not None]
    days = all(_DAY.fullmatch(text) for text in known)
    zoned = sum(_ZONED.fullmatch(text) is not None and not _DAY.fullmatch(text) for text in known)
    zone = "with a zone" if zoned == len(known) else "without a zone, so read as UTC"
    words = (
        f"{_UNIT_WORDS['iso']}, {zone}" if zoned in (0, len(known)) else "text in ISO 8601, some of it without a zone"
    )
    if days:
        words = "days without a time of day"
    return _judged(column, "iso", times, words, penalty=0.6 if days else 0.0)


def _of_numbers(column: SampledColumn) -> TimesFound | None:
    numbers = _numbers(column)
    if numbers is None or numbers.null_count == len(numbers):
        return None
    largest = float(np.nanmedian(np.abs(numbers.cast(pa.float64(), safe=False).drop_null().to_numpy())))
    unit = unit_of(largest)
    times = (
        from_integers(numbers, unit) if pa.types.is_integer(numbers.type) else read_times(numbers, TimeSource("", unit))
    )
    good = times.ticks[~times.bad]
    inside = (good >= PLAUSIBLE[0]) & (good < PLAUSIBLE[1])
    if not len(good) or inside.mean() < ENOUGH:
        return None
    return _judged(column, unit, times, _UNIT_WORDS[unit], penalty=0.2)


def _numbers(column: SampledColumn) -> pa.Array | None:
    """The column as whole numbers, else as floats; None where too few values are numbers."""
    if column.texts:
        cells = pa.array(column.values, pa.string())
        found = _cast(cells)
    else:
        values = [value if isinstance(value, int | float) else None for value in column.values]
        whole = all(isinstance(value, int) and abs(value) < 2**63 for value in values if value is not None)
        found = pa.array(values if whole else [None if value is None else float(value) for value in values])
    if pa.types.is_null(found.type):
        return None
    missing = found.null_count - sum(value is None for value in column.values)
    return found if missing <= (1 - ENOUGH) * len(found) else None


def _cast(cells: pa.Array) -> pa.Array:
    text = pl.Series(pl.from_arrow(cells)).str.strip_chars(" \t")
    whole = text.cast(pl.Int64, strict=False)
    return (whole if whole.null_count() == text.null_count() else text.cast(pl.Float64, strict=False)).to_arrow()


def _judged(column: SampledColumn, unit: TimeUnit, times: Times, words: str, penalty: float) -> TimesFound | None:
    present = np.array([value is not None for value in column.values], dtype=np.bool_)
    good = times.ticks[~times.bad]
    if not len(good) or (times.bad & present).sum() > (1 - ENOUGH) * present.sum():
        return None
    filled, ordered = 1 - float(times.bad.mean()), _in_order(good)
    named, said = _by_name(column.path)
    moves = bool((good != good[0]).any())
    plausible = float(((good >= PLAUSIBLE[0]) & (good < PLAUSIBLE[1])).mean())
    score = named + 2 * filled + ordered + plausible - penalty - (0 if moves else 2) - 0.3 * column.path.count(".")
    reason = f"{words}; {said}{_filled_words(filled)}{_order_words(ordered, moves)}"
    return TimesFound(TimeColumn(column=column.path, unit=unit), times.ticks, times.bad, score, reason)


def _in_order(ticks: Int64s) -> float:
    """The share of neighbours that do not go back in time, from 0 to 1."""
    return float((np.diff(ticks) >= 0).mean()) if len(ticks) > 1 else 1.0


def _by_name(path: str) -> tuple[float, str]:
    words = {word.lower() for word in _WORDS.findall(path.rpartition(".")[2])}
    name = plain_name(path.rpartition(".")[2])
    if words & _CAME or name in map(plain_name, TIME_NAMES["arrival"]):
        return 0.3, "by its name it says when a row was written or received"
    if words & _ENDED:
        return 0.2, "by its name it says when something ended"
    known = [plain_name(each) for each in TIME_NAMES["start"]]
    if name in known:
        return 2.0 - known.index(name) / 100, "its name is one of times"
    if words & _HAPPENED:
        return 1.7, "its name speaks of a time"
    return 0.0, "its name says nothing of time"


def _filled_words(filled: float) -> str:
    return "; every row has one" if filled == 1 else f"; {filled:.1%} of the rows have one that can be read"


def _order_words(ordered: float, moves: bool) -> str:
    if not moves:
        return "; it is always the same, so it orders nothing"
    if ordered == 1:
        return "; the rows come in its order"
    return f"; {1 - ordered:.1%} of the rows go back in time" if ordered > 0.7 else "; the rows come in another order"


def is_end_name(path: str) -> bool:
    """Whether a column is called as ends are."""
    return bool({word.lower() for word in _WORDS.findall(path.rpartition(".")[2])} & _ENDED)
