"""The conversions that exist, and the exact result of each.

Null stays null. The reference and the engine give the same results; nothing trims blanks or guesses.

| from | to | value |
|---|---|---|
| any type | itself | the value |
| long | double | the nearest double |
| long | decimal | exact; null if it has too many digits |
| long | string | decimal digits, `-` before a negative number |
| long | boolean | zero is false, all else true |
| double | long | towards zero; null outside 64 bits |
| double | decimal | the shortest decimal text of the double, rounded half up; null if it has too many digits |
| double | boolean | zero is false, all else true |
| decimal | long | towards zero; null outside 64 bits |
| decimal | double | the nearest double |
| decimal | decimal | rounded half up to the new scale; null if it has too many digits |
| decimal | string | digits with exactly `scale` of them after the point (no point for scale 0), never an exponent |
| boolean | long | 1 or 0 |
| boolean | string | `true` or `false` |
| string | long | text of the form `LONG_TEXT`, else null; null outside 64 bits |
| string | double | text of the form `NUMBER_TEXT`, else null; null if it is not finite |
| string | decimal | text of the form `NUMBER_TEXT`, rounded half up; else null, and null with too many digits |
| string | boolean | `true` or `false` in any mix of cases, else null |
| string | timestamp | text of the form `TIMESTAMP_TEXT` that is a real moment in the years 1 to 9999, else null |
| timestamp | string | `2026-01-31T12:00:00Z`, with six digits of a second if they are not all zero |

Deliberately missing: double to string (no two systems print doubles alike: cast to a decimal first), and numbers to
or from timestamps (`unix_micros` and `timestamp_micros` name their unit).
"""

from typing import Final

from streaming.definition.payload.types import (
    Boolean,
    DecimalOf,
    Double,
    Long,
    Null,
    String,
    Timestamp,
    Type,
)

LONG_TEXT: Final = r"[+-]?[0-9]{1,40}"
NUMBER_TEXT: Final = r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?"
TIMESTAMP_TEXT: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
"""Without a zone: UTC; a date alone is its midnight. All three patterns must match the whole text."""

_TARGETS: Final[dict[type, tuple[type, ...]]] = {
    Long: (Double, DecimalOf, String, Boolean),
    Double: (Long, DecimalOf, Boolean),
    DecimalOf: (Long, Double, DecimalOf, String),
    Boolean: (Long, String),
    String: (Long, Double, DecimalOf, Boolean, Timestamp),
    Timestamp: (String,),
}


def can_cast(source: Type, to: Type) -> bool:
    """Return whether `cast(source as to)` exists."""
    return source == to or isinstance(source, Null) or type(to) in _TARGETS.get(type(source), ())


def cast_remedy(source: Type, to: Type) -> str:
    """Return what to write instead of a cast that does not exist."""
    if isinstance(source, Timestamp) or isinstance(to, Timestamp):
        return "use unix_micros(timestamp) or timestamp_micros(long), which name their unit"
    if isinstance(source, Double) and isinstance(to, String):
        return "set the number of digits: cast(cast(x as decimal(18,3)) as string)"
    wanted = ", ".join(
        sorted({target.__name__.lower().removesuffix("of") for target in _TARGETS.get(type(source), ())})
    )
    return f"a {source} can be cast to {wanted}" if wanted else f"a {source} cannot be cast; use its fields or elements"
