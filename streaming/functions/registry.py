"""The functions of this package by the names that they have in expressions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from streaming.functions import geography, hashes, json_texts, real_numbers, regular_expressions, texts, zone_times
from streaming.functions.failures import FunctionFailure

SHARED: Final[Mapping[str, Callable[..., Any]]] = {
    name: getattr(module, name)
    for module, names in (
        (real_numbers, "pi sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians log2 log10 cbrt"),
        (texts, "left right reverse repeat lpad rpad position split levenshtein"),
        (regular_expressions, "regexp_like regexp_extract regexp_replace regexp_count"),
        (json_texts, "json_value json_query json_exists"),
        (hashes, "md5 sha1 sha256 sha512 crc32"),
        (zone_times, "extract at_timezone date_format"),
        (geography, "st_distance st_within h3_cell"),
    )
    for name in names.split()
}
"""Null if an argument is null; a call may raise `FunctionFailure`."""
MAYBE_NULL: Final = frozenset({"json_value", "json_query", "regexp_extract"})
"""Functions whose result may be null although nothing failed."""


def fails(function: str, values: Sequence[Any]) -> bool:
    """Return whether the call has no result; not if it is null because an argument is."""
    try:
        if None not in values:
            SHARED[function](*values)
    except FunctionFailure:
        return True
    return False
