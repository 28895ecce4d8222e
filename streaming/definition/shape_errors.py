"""Pydantic's errors in plain words: one mapping for graphs, bodies, files and the options of adapters.

Pydantic reports every branch of a union, with internal names. Here each place in the input is reported once,
for the branch that the user probably meant: an unmet condition on a value of the right type is more specific
than a wrong type, and an error deeper inside a value is more specific than one above it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from streaming.definition.counts import counted
from streaming.definition.plain_names import NAME_PATTERN

Location = tuple[int | str, ...]


@dataclass(frozen=True)
class ShapeError:
    """One invalid or missing value: `location` are the steps to it in the input, down to the name of a missing field.

    `message` is a sentence without full stop that doesn't name the place; `remedy` is a sentence with full stop.
    """

    location: Location
    kind: str
    message: str
    remedy: str

    @property
    def path(self) -> str:
        """Return the location as a path with dots; empty for the whole input."""
        return ".".join(map(str, self.location))


def shape_errors(wrong: ValidationError, raw: object, *, most: int | None = None) -> list[ShapeError]:
    """Return the first `most` errors of `wrong` in plain words, each with its place in the input `raw`.

    If the raw input is not available, pass the closest value: steps that it lacks count as branches of unions.
    """
    by_place: dict[Location, list[tuple[bool, ErrorDetails]]] = {}
    for each in islice(wrong.errors(include_url=False), most):
        location = _steps(raw, each)
        by_place.setdefault(location, []).append((len(location) < len(each["loc"]), each))
    return [
        _describe(location, [each for _, each in at])
        for location, at in by_place.items()
        if not _is_explained_deeper(location, at, by_place)
    ]


def sentences(wrong: ValidationError, raw: object) -> str:
    """Return all errors of `wrong` in one text, each after its path, for places that cannot show a list."""
    texts = (f"{each.path}: {each.message}" if each.path else each.message for each in shape_errors(wrong, raw))
    return "; ".join(texts)


def _steps(raw: object, wrong: ErrorDetails) -> Location:
    """Return the steps of an error's place that exist in `raw`, without union branches and kinds."""
    value, steps, last = raw, list[int | str](), len(wrong["loc"]) - 1
    tagged = False
    for position, key in enumerate(wrong["loc"]):
        is_tag = not tagged and isinstance(value, dict) and value.get("kind") == key and position < last
        if is_tag:
            tagged = True
            continue
        exists = (isinstance(value, dict) and key in value) or (
            isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)
        )
        if exists or (position == last and wrong["type"] == "missing"):
            steps.append(key)
            value = value[key] if exists else None  # type: ignore[index]  # it exists, so it is one of both
            tagged = False
    return tuple(steps)


_ByPlace = Mapping[Location, Sequence[tuple[bool, ErrorDetails]]]


def _is_explained_deeper(location: Location, at: Sequence[tuple[bool, ErrorDetails]], by_place: _ByPlace) -> bool:
    """Return whether all errors at `location` are branches of a union, and another branch has a deeper error."""
    if not all(branch and _is_type_error(each) for branch, each in at):
        return False
    return any(len(other) > len(location) and other[: len(location)] == location for other in by_place)


def _describe(location: Location, at: Sequence[ErrorDetails]) -> ShapeError:
    specific = [each for each in at if not _is_type_error(each)]
    if not specific:
        kinds = dict.fromkeys(_EXPECTED[each["type"]] for each in at)
        return ShapeError(location, at[0]["type"], f"Expected {_either(kinds)} here", _CORRECT)
    best = max(specific, key=lambda each: each["type"] == "value_error")
    return ShapeError(location, best["type"], _message(best), REMEDIES.get(best["type"], _CORRECT))


def _message(wrong: ErrorDetails) -> str:
    write = _MESSAGES.get(wrong["type"])
    return "This value is not valid" if write is None else _capital(write(wrong)).removesuffix(".")


def _is_type_error(wrong: ErrorDetails) -> bool:
    return wrong["type"] in _EXPECTED


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _own_words(wrong: ErrorDetails) -> str:
    return str(wrong["ctx"]["error"]) if "ctx" in wrong and "error" in wrong["ctx"] else wrong["msg"]


def _pattern(wrong: ErrorDetails) -> str:
    if wrong["ctx"]["pattern"] == NAME_PATTERN:
        return "A name starts with a letter or an underscore; up to 62 letters, digits or underscores follow"
    return "This text contains characters that are not allowed here, or has them in the wrong order"


def _bound(words: str) -> Callable[[ErrorDetails], str]:
    return lambda wrong: f"Expected {words} {next(iter(wrong['ctx'].values()))} here"


def _unknown_kind(wrong: ErrorDetails) -> str:
    return f"Unknown kind {wrong['ctx']['tag']!r}; write one of {wrong['ctx']['expected_tags']}"


_CORRECT: Final = "Change the value."
_EXPECTED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("string_type", "string_unicode"), "a text"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(
        ("model_type", "model_attributes_type", "dict_type", "mapping_type", "dataclass_type"),
        "an object with named fields",
    ),
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "an id"),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "timezone_aware"),
        "a time such as 2026-11-22T10:00:00Z",
    ),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), "a date such as 2026-11-22"),
    "none_required": "null",
}
"""The value that each type error expects; for several branches of a union, the message lists all of them."""
_MESSAGES: Final[Mapping[str, Callable[[ErrorDetails], str]]] = {
    "missing": lambda _: "This is missing",
    "extra_forbidden": lambda wrong: f"Unknown field {str(wrong['loc'][-1])[:80]!r}",
    "string_pattern_mismatch": _pattern,
    "string_too_short": lambda wrong: (
        "This is empty"
        if wrong["ctx"]["min_length"] == 1
        else f"Expected at least {counted(wrong['ctx']['min_length'], 'character')} here"
    ),
    "string_too_long": lambda wrong: f"Expected at most {counted(wrong['ctx']['max_length'], 'character')} here",
    "too_short": lambda wrong: f"Expected at least {wrong['ctx']['min_length']} here",
    "too_long": lambda wrong: f"Expected at most {wrong['ctx']['max_length']} here",
    "greater_than": _bound("a number above"),
    "greater_than_equal": _bound("a number of at least"),
    "less_than": _bound("a number below"),
    "less_than_equal": _bound("a number of at most"),
    "enum": lambda wrong: f"Expected one of {wrong['ctx']['expected']} here",
    "literal_error": lambda wrong: f"Expected one of {wrong['ctx']['expected']} here",
    "union_tag_invalid": _unknown_kind,
    "union_tag_not_found": lambda _: "The kind of this node or window is missing",
    "value_error": _own_words,
    "assertion_error": _own_words,
    "json_invalid": lambda wrong: f"This is not JSON: {wrong['ctx']['error']}",
    "recursion_loop": lambda _: "This is nested too deeply",
}
REMEDIES: Final[Mapping[str, str]] = {
    "missing": "Add it.",
    "extra_forbidden": "Remove it, or correct its name.",
    "string_too_short": "Fill it in.",
    "union_tag_not_found": "Add 'kind', the kind of node or window.",
    "json_invalid": "Correct the text at this place.",
}
