"""What pydantic refused, in plain words: one mapping for graphs, bodies, files and the options of adapters.

Pydantic tells of every branch of a union, by names that only the program knows. Here each place of what was sent is
told of once, by the branch that was meant: a condition that a value of the right type does not meet says more than
"another type", and what is wrong deeper says more than what is wrong above it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from streaming.definition.counts import counted
from streaming.definition.tokens import NAME_PATTERN

Location = tuple[int | str, ...]


@dataclass(frozen=True)
class ShapeError:
    """One value that does not fit: `location` are the steps to it in what was sent, and the name of what is missing.

    `message` is a sentence without its full stop, which names no place; `remedy` is a whole one.
    """

    location: Location
    kind: str
    message: str
    remedy: str

    @property
    def path(self) -> str:
        """The location as a path with dots; empty for the whole."""
        return ".".join(map(str, self.location))


def shape_errors(wrong: ValidationError, raw: object, *, most: int | None = None) -> list[ShapeError]:
    """The errors of `wrong` as a user understands them, by their places in `raw`, which was sent; the first `most`.

    Without the raw value, pass what can be had: steps that it does not have are taken for branches of unions.
    """
    found: dict[Location, list[tuple[bool, ErrorDetails]]] = {}
    for each in islice(wrong.errors(include_url=False), most):
        location = _steps(raw, each)
        found.setdefault(location, []).append((len(location) < len(each["loc"]), each))
    return [
        _told(location, [each for _, each in at]) for location, at in found.items() if not _deeper(location, at, found)
    ]


def sentences(wrong: ValidationError, raw: object) -> str:
    """All errors of `wrong` in one text, each behind its path, for places that can show no list."""
    told = (f"{each.path}: {each.message}" if each.path else each.message for each in shape_errors(wrong, raw))
    return "; ".join(told)


def _steps(raw: object, wrong: ErrorDetails) -> Location:
    """The steps of an error's place that lead through `raw`; the kind of a node or window and union branches do not."""
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


_Found = Mapping[Location, Sequence[tuple[bool, ErrorDetails]]]


def _deeper(location: Location, at: Sequence[tuple[bool, ErrorDetails]], found: _Found) -> bool:
    """Whether all that is told at `location` are branches of a union of which another one is told of deeper."""
    if not all(branch and _is_type_error(each) for branch, each in at):
        return False
    return any(len(other) > len(location) and other[: len(location)] == location for other in found)


def _told(location: Location, at: Sequence[ErrorDetails]) -> ShapeError:
    telling = [each for each in at if not _is_type_error(each)]
    if not telling:
        kinds = dict.fromkeys(_EXPECTED[each["type"]] for each in at)
        return ShapeError(location, at[0]["type"], f"{_capital(_either(kinds))} is expected here", _CORRECT)
    meant = max(telling, key=lambda each: each["type"] == "value_error")
    return ShapeError(location, meant["type"], _message(meant), REMEDIES.get(meant["type"], _CORRECT))


def _message(wrong: ErrorDetails) -> str:
    say = _MESSAGES.get(wrong["type"])
    return "This value does not fit" if say is None else _capital(say(wrong)).removesuffix(".")


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
        return "A name begins with a letter or an underscore; up to 62 letters, digits or underscores follow"
    return "This text has characters that may not stand here, or not in this order"


def _bound(words: str) -> Callable[[ErrorDetails], str]:
    return lambda wrong: f"{words} {next(iter(wrong['ctx'].values()))} is expected here"


def _unknown_kind(wrong: ErrorDetails) -> str:
    return f"There is no kind {wrong['ctx']['tag']!r}; write one of {wrong['ctx']['expected_tags']}"


_CORRECT: Final = "Change it accordingly."
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
"""What each error of type expects; with more than one branch of a union, all of them are said."""
_MESSAGES: Final[Mapping[str, Callable[[ErrorDetails], str]]] = {
    "missing": lambda _: "This is missing",
    "extra_forbidden": lambda wrong: f"Nothing here is called {str(wrong['loc'][-1])[:80]!r}",
    "string_pattern_mismatch": _pattern,
    "string_too_short": lambda wrong: (
        "This is empty"
        if wrong["ctx"]["min_length"] == 1
        else f"At least {counted(wrong['ctx']['min_length'], 'character')} are expected here"
    ),
    "string_too_long": lambda wrong: f"At most {counted(wrong['ctx']['max_length'], 'character')} may stand here",
    "too_short": lambda wrong: f"At least {wrong['ctx']['min_length']} must stand here",
    "too_long": lambda wrong: f"At most {wrong['ctx']['max_length']} may stand here",
    "greater_than": _bound("A number above"),
    "greater_than_equal": _bound("A number not below"),
    "less_than": _bound("A number below"),
    "less_than_equal": _bound("A number not above"),
    "enum": lambda wrong: f"One of {wrong['ctx']['expected']} is expected here",
    "literal_error": lambda wrong: f"One of {wrong['ctx']['expected']} is expected here",
    "union_tag_invalid": _unknown_kind,
    "union_tag_not_found": lambda _: "It is not said of which kind this is",
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
