"""Values in JSON texts, by paths of SQL:2016: `$.order.items[0]."unit price"`."""

import json
import re
from functools import lru_cache
from typing import Any, Final

from streaming.functions.failures import FunctionFailure, InvalidConstant

MOST_LEVELS: Final = 100
"""The deepest nesting of arrays and objects in a text that is read."""
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
_STEP: Final = re.compile(
    r"""\s*(?:\.\s*(?:([^\W\d]\w*)|("(?:[^"\\]|\\.)*"))|\[\s*(?:([0-9]{1,9})|(last))\s*\])""", re.DOTALL
)
_MISSING: Final = object()


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


class _LastElement:
    """The step `[last]`."""


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_no_constant)


def parsed(text: str) -> Any:
    """Return the value of a JSON text. Raises `FunctionFailure` if it is not well-formed, or nested too deeply.

    Of equal names in an object the last counts. Half of a surrogate pair is not a character.
    """
    if text.count("[") + text.count("{") > MOST_LEVELS and _levels(text) > MOST_LEVELS:
        raise FunctionFailure(f"a JSON text is nested more than {MOST_LEVELS} levels deep")
    try:
        value = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:
            _written(value).encode()
    except ValueError as error:
        raise FunctionFailure(f"{text[:40]!r} is not JSON: {error}") from None
    return value


def _levels(text: str) -> int:
    deepest = level = 0
    for found in _BRACKETS.finditer(text):
        level += (found[1] is not None) - (found[2] is not None)
        deepest = max(deepest, level)
    return deepest


def is_json(text: str) -> bool:
    """Return whether `text` is well-formed."""
    try:
        parsed(text)
    except FunctionFailure:
        return False
    return True


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str | int | _LastElement, ...]:
    """Return the steps of `path`. Raises `InvalidConstant`."""
    body = path.strip()
    at, steps = 1, list[str | int | _LastElement]()
    while body[:1] == "$" and at < len(body):
        found = _STEP.match(body, at)
        if found is None:
            break
        name, quoted, index, _ = found.groups()
        steps.append(name or (_name(quoted) if quoted else int(index) if index else _LastElement()))
        at = found.end()
    if body[:1] != "$" or at < len(body):
        shown = body[at:][:20] if body[:1] == "$" else body[:20]
        remedy = 'write $, then .name, ."a name", [0] or [last] for each step; wildcards and filters don\'t exist'
        raise InvalidConstant(f"The JSON path can't be read at {shown!r}", remedy)
    return tuple(steps)


def _name(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise InvalidConstant(f"The name {quoted} of the JSON path is invalid", "write it as a JSON string") from None


def check_path(path: str) -> None:
    """Raise `InvalidConstant` for an invalid path."""
    _steps(path)


def _at(text: str, path: str) -> Any:
    """Return the value at `path`, or `_MISSING`."""
    value = parsed(text)
    for step in _steps(path):
        if isinstance(step, str):
            value = value.get(step, _MISSING) if isinstance(value, dict) else _MISSING
        else:
            place = step if isinstance(step, int) else -1
            value = value[place] if isinstance(value, list) and len(value) > max(place, 0) else _MISSING
    return value


def json_value(text: str, path: str) -> str | None:
    """Return the string, number or boolean at `path` as text; None for null, objects, arrays, and where nothing is."""
    value = _at(text, path)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str) else None


def json_query(text: str, path: str) -> str | None:
    """Return the value at `path` as JSON without blanks; None where nothing is."""
    value = _at(text, path)
    return None if value is _MISSING else _written(value)


def json_exists(text: str, path: str) -> bool:
    """Return whether a value is at `path`; null is one."""
    return _at(text, path) is not _MISSING


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{','.join(f'{_quoted(name)}:{_written(each)}' for name, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, _Number):
        return str(value)
    return _quoted(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
