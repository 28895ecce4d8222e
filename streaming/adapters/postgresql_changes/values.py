"""PostgreSQL's text values as JSON, the same for rows from a query and from a change."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from streaming.adapters.postgresql_changes.messages import RelationShape
from streaming.adapters.row_lifetimes.members import completed

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_TIME: Final = re.compile(r"(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d)?)?", re.ASCII)
_PLAIN: Final = ("other", "number", "boolean", "json", "time")
_KINDS: Final[Mapping[int, str]] = {
    16: "boolean",
    **dict.fromkeys((20, 21, 23, 26, 700, 701, 1700), "number"),
    **dict.fromkeys((114, 3802), "json"),
    **dict.fromkeys((1114, 1184), "time"),
    1000: "boolean[]",
    **dict.fromkeys((1005, 1007, 1016, 1021, 1022, 1028, 1231), "number[]"),
    **dict.fromkeys((199, 3807), "json[]"),
    **dict.fromkeys((1115, 1185), "time[]"),
    **dict.fromkeys((1001, 1003, 1009, 1014, 1015, 1041, 1182, 1183, 1187, 1270, 2951), "other[]"),
}
"""The JSON form of values of built-in types, by oid; other types are text."""


def kind_of_type(oid: int, own: Mapping[int, tuple[int, int]]) -> str:
    """The JSON form of values of the type `oid`; `own` are base and element (0: none) of the database's own types."""
    if oid in _KINDS:
        return _KINDS[oid]
    base, element = own.get(oid, (0, 0))
    if base:
        return kind_of_type(base, own)
    inner = kind_of_type(element, own) if element else "other"
    return f"{inner}[]" if element and inner in _PLAIN else "other"


def json_of(text: str | None, kind: str) -> str:
    """The value as JSON on one line; types without a JSON form are text."""
    if text is None:
        return "null"
    if kind == "number" and _NUMBER.fullmatch(text):
        return text
    if kind == "boolean":
        return "true" if text == "t" else "false"
    if kind == "json":
        return text.replace("\n", " ").replace("\r", " ")
    if kind.endswith("[]"):
        return _array(text, kind[:-2])
    return json.dumps(_iso(text) if kind == "time" else text, ensure_ascii=False)


class RowForm:
    """Formats rows of one shape; `key` are the columns that identify rows. Raises `LookupError` if one is missing."""

    def __init__(self, shape: RelationShape, key: tuple[str, ...], own: Mapping[int, tuple[int, int]]) -> None:
        names = [name for name, _ in shape.columns]
        self._key = [names.index(name) if name in names else -1 for name in key]
        if -1 in self._key:
            raise LookupError(key[self._key.index(-1)])
        self.names = tuple(json.dumps(name, ensure_ascii=False) for name in names)
        self._kinds = tuple(kind_of_type(oid, own) for _, oid in shape.columns)

    def key_of(self, values: tuple[object, ...]) -> str:
        """The key as JSON: an array of texts."""
        return json.dumps([values[at] for at in self._key], ensure_ascii=False)

    def row_of(self, values: tuple[object, ...], before: str | None) -> str:
        """The row as JSON members; unchanged large values come from the row `before`."""
        texts = (
            json_of(value, kind) if value is None or isinstance(value, str) else None
            for value, kind in zip(values, self._kinds, strict=True)
        )
        return completed(dict(zip(self.names, texts, strict=True)), before)


def _iso(text: str) -> str:
    found = _TIME.fullmatch(text)
    if found is None:
        return text
    day, time, hours, minutes = found.groups()
    return f"{day}T{time}" + (f"{hours}{minutes or ':00'}" if hours else "")


_TOKEN: Final = re.compile(r'[{},]|"((?:[^"\\]|\\.)*)"|((?:[^{},"\\]|\\.)+)', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


def _array(text: str, kind: str) -> str:
    """An array in the server's notation, for example {1,NULL,"a b"}, with or without its bounds in front."""
    body = text[text.index("{") :]
    return "".join(_array_parts(body, kind))


def _array_parts(body: str, kind: str) -> Iterator[str]:
    for token in _TOKEN.finditer(body):
        quoted, bare = token.groups()
        if quoted is not None:
            yield json_of(_ESCAPE.sub(r"\1", quoted), kind)
        elif bare is not None:
            yield json_of(None if bare == "NULL" else _ESCAPE.sub(r"\1", bare), kind)
        else:
            yield {"{": "[", "}": "]", ",": ","}[token[0]]
