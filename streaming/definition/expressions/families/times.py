"""Functions of timestamps."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import LONG, STRING, TIMESTAMP
from streaming.functions import zone_times


def _truncated(arguments: rules.Arguments) -> rules.Signature | None:
    """Accept a literal unit, then a timestamp, then perhaps a literal zone."""
    return _in_zone(arguments) if arguments[0].constant in zone_times.TRUNCATED_UNITS else None


_in_zone = rules.with_constants(zone_times.check_zone, (2,), STRING, TIMESTAMP, STRING, result=TIMESTAMP)
_part = rules.taking(TIMESTAMP, result=LONG)

TIMES: Final = (
    entry("year(timestamp) -> long", "The year.", _part),
    entry("month(timestamp) -> long", "The month, 1 to 12.", _part),
    entry("day(timestamp) -> long", "The day of the month, 1 to 31.", _part),
    entry("dayofweek(timestamp) -> long", "1 for Sunday to 7 for Saturday.", _part),
    entry("hour(timestamp) -> long", "The hour, 0 to 23.", _part),
    entry("minute(timestamp) -> long", "The minute, 0 to 59.", _part),
    entry("second(timestamp) -> long", "The whole second, 0 to 59.", _part),
    entry(
        "date_trunc(unit, timestamp[, zone]) -> timestamp",
        "The start of the unit on the clocks of `zone` (a literal IANA name, UTC by default): a literal of 'year', "
        "'quarter', 'month', 'week' (Monday), 'day', 'hour', 'minute', 'second'; null if that is before the year 1. A "
        "day starts at its first moment, however long it is; hours are counted with the offset in force.",
        _truncated,
        2,
        3,
    ),
    entry("unix_micros(timestamp) -> long", "Microseconds since 1970-01-01T00:00Z: the ticks.", _part),
    entry(
        "timestamp_micros(long) -> timestamp",
        "The moment that many microseconds after 1970-01-01T00:00Z; null outside the years 1 to 9999.",
        rules.taking(LONG, result=TIMESTAMP),
    ),
    entry(
        "extract(part, timestamp[, zone]) -> long",
        "A part of the time on the clocks of `zone` (a literal IANA name, UTC by default): a literal of 'year', "
        "'quarter', 'month', 'week' (ISO 8601), 'day', 'dayofweek' (1 for Sunday), 'dayofyear', 'yearofweek' (the year "
        "of the ISO week), 'hour', 'minute', 'second'. Also `extract(year from timestamp)`. Null if the time is "
        "outside the years 1 to 9999.",
        rules.with_constants(zone_times.check_extracted, (0, 2), STRING, TIMESTAMP, STRING, result=LONG),
        2,
        3,
    ),
    entry(
        "at_timezone(timestamp, zone) -> string",
        "The time on the clocks of `zone` (a literal IANA name) with its offset, as ISO 8601: "
        "'2026-03-29T03:00:00+02:00', with six digits of a second if they are not all zero. Null if it is outside the "
        "years 1 to 9999.",
        rules.with_constants(zone_times.check_zone, (1,), TIMESTAMP, STRING, result=STRING),
        2,
    ),
    entry(
        "date_format(timestamp, pattern[, zone]) -> string",
        "The time on the clocks of `zone` (a literal IANA name, UTC by default) as text. The letters of the literal "
        "`pattern` are those of Java: yyyy, yy, MMMM, MMM, MM, M, dd, d, EEEE, EEE, HH, H, hh, h, mm, m, ss, s, "
        "SSSSSS, SSS, S, a, xxx (+02:00), xx (+0200); text is between single quotation marks; names are English.",
        rules.with_constants(zone_times.check_format, (1, 2), TIMESTAMP, STRING, STRING, result=STRING),
        2,
        3,
    ),
)
