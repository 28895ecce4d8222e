"""The registry of the language's functions, one entry each.

For all of them: null if any argument is null, unless the entry says otherwise; null on failure, that is where the
entry says null, where a double result is not finite, or a text is longer than a mebibyte; text is measured in Unicode
code points; calendar functions work in UTC, unless they take a zone, in the proleptic Gregorian calendar. `help` is
the complete definition: the reference and the engine implement it, the interface shows it.
"""

import difflib
from collections.abc import Mapping
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.families.hashes import HASHES
from streaming.definition.expressions.families.json_values import JSON_VALUES
from streaming.definition.expressions.families.numbers import NUMBERS
from streaming.definition.expressions.families.patterns import PATTERNS
from streaming.definition.expressions.families.places import PLACES
from streaming.definition.expressions.families.texts import TEXTS
from streaming.definition.expressions.families.times import TIMES
from streaming.definition.expressions.families.values import VALUES
from streaming.definition.expressions.signatures import FunctionEntry

FAMILIES: Final[Mapping[str, tuple[FunctionEntry, ...]]] = {
    "Numbers": NUMBERS,
    "Values of any type": VALUES,
    "Texts": TEXTS,
    "Regular expressions": PATTERNS,
    "JSON": JSON_VALUES,
    "Hashes": HASHES,
    "Times": TIMES,
    "Places": PLACES,
}
FUNCTIONS: Final = {entry.name: entry for family in FAMILIES.values() for entry in family}
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
    "locate": "position",
    "rlike": "regexp_like",
    "regexp": "regexp_like",
    "sha": "sha1",
    "startswith": "starts_with",
    "endswith": "ends_with",
    "dayofmonth": "day",
}
"""Other names of the same functions in Spark SQL; the tree holds the registry's name."""

ELSEWHERE: Final = {
    **dict.fromkeys(("get_json_object", "json_extract_scalar", "json_extract_path_text"), "json_value"),
    **dict.fromkeys(("json_extract", "json_extract_path"), "json_query"),
    **dict.fromkeys(("regexp_substr", "regexp_extract_all", "regexp_match"), "regexp_extract"),
    **dict.fromkeys(("regexp_matches", "regexp_instr"), "regexp_like"),
    **dict.fromkeys(("strpos", "instr", "charindex"), "position"),
    **dict.fromkeys(("string_split", "str_split", "string_to_array"), "split"),
    **dict.fromkeys(("date_part", "datepart", "dayofyear", "weekofyear"), "extract"),
    **dict.fromkeys(("to_char", "format_datetime", "format_timestamp", "strftime"), "date_format"),
    **dict.fromkeys(("from_utc_timestamp", "convert_timezone"), "at_timezone"),
    **dict.fromkeys(("haversine", "st_distance_sphere", "great_circle_distance"), "st_distance"),
    **dict.fromkeys(("st_contains", "st_covers"), "st_within"),
    **dict.fromkeys(("geo_to_h3", "h3_latlng_to_cell", "h3_longlatash3"), "h3_cell"),
    **dict.fromkeys(("sha2", "xxhash64", "hash"), "sha256"),
    **dict.fromkeys(("edit_distance", "editdist3"), "levenshtein"),
    **dict.fromkeys(("replicate", "rept"), "repeat"),
}
"""Names of similar functions in other systems: the call differs, so the error shows ours."""


def find_function(name: str) -> FunctionEntry | None:
    """Return the function that `name`, in lower case, calls."""
    return FUNCTIONS.get(ALIASES.get(name, name))


def unknown_function_remedy(name: str) -> str:
    """Return what to write instead of a function that does not exist."""
    if name in AGGREGATES:
        return f"{name} is an aggregate: compute it in the aggregates of a window node"
    if name in ELSEWHERE:
        return f"write {FUNCTIONS[ELSEWHERE[name]].signature}"
    near = difflib.get_close_matches(name, [*FUNCTIONS, *ALIASES], n=1, cutoff=0.7)
    if near:
        return f"did you mean {near[0]}?"
    return "use one of the functions that the guide lists under 'Functions of expressions'"
