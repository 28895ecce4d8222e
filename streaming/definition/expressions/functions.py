"""The registry: every function of the language, one entry each.

For all of them: null if any argument is null, unless the entry says otherwise; null on failure, that is where the
entry says null or where a double result is not finite; text is measured in Unicode code points; calendar functions
work in UTC in the proleptic Gregorian calendar. `help` is the whole meaning: the reference and the engine implement
it, the interface shows it.
"""

import difflib
from dataclasses import dataclass
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import Rule
from streaming.definition.types import BOOLEAN, DOUBLE, LONG, STRING, TIMESTAMP


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """One function: `minimum` to `maximum` arguments (None: any number), typed by `rule`."""

    name: str
    signature: str
    help: str
    rule: Rule
    minimum: int
    maximum: int | None


def _f(signature: str, text: str, rule: Rule, minimum: int = 1, maximum: int | None = -1) -> FunctionEntry:
    name = signature.partition("(")[0]
    return FunctionEntry(name, signature, text, rule, minimum, minimum if maximum == -1 else maximum)


_text_to_text = rules.taking(STRING, result=STRING)
_test = rules.taking(STRING, STRING, result=BOOLEAN)
_double = rules.taking(DOUBLE, result=DOUBLE)
_part = rules.taking(TIMESTAMP, result=LONG)

_ENTRIES: Final = (
    _f("abs(number)", "The value without its sign, of the same type; null for the smallest long.", rules.of_any_number),
    _f(
        "ceil(number) -> long or decimal(p-s+1,0)",
        "The smallest whole number not below it; null if a double's lies outside 64 bits.",
        rules.to_whole_number,
    ),
    _f(
        "floor(number) -> long or decimal(p-s+1,0)",
        "The largest whole number not above it; null if a double's lies outside 64 bits.",
        rules.to_whole_number,
    ),
    _f(
        "round(number[, digits])",
        "A long is itself. A double is sign(x) * floor(|x| * 10^d + 0.5) / 10^d, each step in doubles; x itself where "
        "|x| * 10^d is 2^52 or more. `digits` is a whole literal from 0 to 15, default 0. Cast decimals instead.",
        rules.rounded,
        1,
        2,
    ),
    _f("sqrt(double)", "The square root; null below zero.", _double),
    _f("pow(double, double)", "The first to the power of the second.", rules.taking(DOUBLE, DOUBLE, result=DOUBLE), 2),
    _f("ln(double)", "The natural logarithm; null at zero and below.", _double),
    _f("exp(double)", "e to the power of it.", _double),
    _f(
        "greatest(value, value, ...)",
        "The largest argument; nulls are left out, null if all are null.",
        rules.of_common_order,
        2,
        None,
    ),
    _f(
        "least(value, value, ...)",
        "The smallest argument; nulls are left out, null if all are null.",
        rules.of_common_order,
        2,
        None,
    ),
    _f("coalesce(value, ...)", "The first argument that is not null.", rules.of_common_type, 1, None),
    _f(
        "nullif(value, value)",
        "Null if the two are equal, else the first (also where the second is null).",
        rules.of_common_order,
        2,
    ),
    _f(
        "if(condition, value, value)",
        "The second argument if the first is true, else the third (also where the first is null).",
        rules.condition_first,
        3,
    ),
    _f("upper(string)", "Upper case by Unicode's full mapping, the same everywhere.", _text_to_text),
    _f("lower(string)", "Lower case by Unicode's full mapping, the same everywhere.", _text_to_text),
    _f("trim(string)", "Without spaces (U+0020 only) at both ends.", _text_to_text),
    _f("length(string) -> long", "How many code points.", rules.taking(STRING, result=LONG)),
    _f(
        "substring(string, start[, length])",
        "From position `start` (the first is 1, 0 is taken as 1, -1 is the last) to `length` code points further, or "
        "the end. A negative `start` before the text counts the positions missing there; below 1 `length` gives ''.",
        rules.taking(STRING, LONG, LONG, result=STRING),
        2,
        3,
    ),
    _f("concat(string, ...)", "The texts joined; also `a || b`.", rules.texts, 1, None),
    _f(
        "replace(string, search, replacement)",
        "Every occurrence of `search`, from the left without overlap, replaced; the text itself if `search` is ''.",
        rules.taking(STRING, STRING, STRING, result=STRING),
        3,
    ),
    _f("starts_with(string, start) -> boolean", "Whether the text begins with `start`; '' always does.", _test, 2),
    _f("ends_with(string, end) -> boolean", "Whether the text ends with `end`; '' always does.", _test, 2),
    _f("contains(string, part) -> boolean", "Whether `part` occurs; '' always does.", _test, 2),
    _f(
        "split_part(string, delimiter, n)",
        "The n-th part between delimiters, from 1, negative from the end; '' if there is none, null for n = 0. "
        "With the delimiter '' the whole text is the only part.",
        rules.taking(STRING, STRING, LONG, result=STRING),
        3,
    ),
    _f("year(timestamp) -> long", "The year.", _part),
    _f("month(timestamp) -> long", "The month, 1 to 12.", _part),
    _f("day(timestamp) -> long", "The day of the month, 1 to 31.", _part),
    _f("dayofweek(timestamp) -> long", "1 for Sunday to 7 for Saturday.", _part),
    _f("hour(timestamp) -> long", "The hour, 0 to 23.", _part),
    _f("minute(timestamp) -> long", "The minute, 0 to 59.", _part),
    _f("second(timestamp) -> long", "The whole second, 0 to 59.", _part),
    _f(
        "date_trunc(unit, timestamp) -> timestamp",
        "The start of the unit: a literal of 'year', 'quarter', 'month', 'week' (Monday), 'day', 'hour', 'minute', "
        "'second'; null if it lies before the year 1.",
        rules.truncated,
        2,
    ),
    _f("unix_micros(timestamp) -> long", "Microseconds since 1970-01-01T00:00Z: the ticks.", _part),
    _f(
        "timestamp_micros(long) -> timestamp",
        "The moment so many microseconds after 1970-01-01T00:00Z; null outside the years 1 to 9999.",
        rules.taking(LONG, result=TIMESTAMP),
    ),
    _f("size(array) -> long", "How many elements, nulls included.", rules.of_array),
)

FUNCTIONS: Final = {entry.name: entry for entry in _ENTRIES}
ALIASES: Final = {
    "ceiling": "ceil",
    "power": "pow",
    "nvl": "coalesce",
    "ifnull": "coalesce",
    "ucase": "upper",
    "lcase": "lower",
    "char_length": "length",
    "len": "length",
    "substr": "substring",
    "startswith": "starts_with",
    "endswith": "ends_with",
    "dayofmonth": "day",
}
"""Other names that Spark SQL knows for the same functions; the tree holds the registry's name."""


def find_function(name: str) -> FunctionEntry | None:
    """The function that `name`, in lower case, calls."""
    return FUNCTIONS.get(ALIASES.get(name, name))


def unknown_function_remedy(name: str) -> str:
    """What to write instead of a function that does not exist."""
    if name in AGGREGATES:
        return f"{name} is an aggregate: compute it in the aggregates of a window node"
    near = difflib.get_close_matches(name, [*FUNCTIONS, *ALIASES], n=1, cutoff=0.7)
    if near:
        return f"did you mean {near[0]}?"
    return f"the functions are {', '.join(sorted(FUNCTIONS))}"
