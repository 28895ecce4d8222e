"""Values of definitions, formatted for a list of changes."""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from streaming.definition.names import DurationText, WholeNumber
from streaming.definition.versions.meaning import canonical
from streaming.temporal.ticks import format_duration, parse_duration

NOTHING: Final = "none"
_UNITS: Final = {"m": "min"}
_DURATION: Final = get_args(DurationText)[1]
_COUNT: Final = get_args(WholeNumber)[1]
"""The validators that identify a duration and a count in the type of a field."""


def label(name: str) -> str:
    """Return the name of a field as words."""
    return name.replace("_", " ")


def format_value(value: Any, field: FieldInfo) -> str:
    """Format a value of `field`: `10 s`, `a, b`, `tumbling, size 10 s`, none."""
    if value is None or value == []:
        return NOTHING
    if isinstance(value, BaseModel):
        return model_words(value)
    if _is_duration(value, field):
        return _length(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _list_words(value) if isinstance(value, list) else str(value)


def _list_words(values: list[Any]) -> str:
    if all(isinstance(each, str) for each in values):
        return ", ".join(values)
    models = [named_words(each) for each in values if isinstance(each, BaseModel)]
    return "; ".join(models) if models else canonical(values)


def named_words(model: BaseModel) -> str:
    """Return a named model in words, its name first."""
    return f"{getattr(model, 'name', '')} ({model_words(model)})".strip()


def model_words(model: BaseModel) -> str:
    """Return a model in words: its kind, then all values that are required or not at their default."""
    fields = type(model).model_fields
    kind = getattr(model, "kind", None)
    phrases = [
        f"{label(name)} {format_value(getattr(model, name), field)}"
        for name, field in fields.items()
        if name not in ("kind", "id", "name")
        and (field.is_required() or getattr(model, name) != field.get_default(call_default_factory=True))
    ]
    return ", ".join(([kind] if kind else []) + phrases) or "default"


def _is_duration(value: Any, field: FieldInfo) -> bool:
    parts = [*field.metadata, *_inside(field.annotation)]
    counts_too = any(type(part) is type(_COUNT) for part in parts)
    return any(part is _DURATION for part in parts) and not (isinstance(value, int) and counts_too)


def _inside(annotation: Any) -> Iterator[Any]:
    """Yield the annotation and all its parts."""
    yield annotation
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _inside(part)


def _length(value: int | str) -> str:
    text = format_duration(parse_duration(value))
    number = text.rstrip(ascii_lowercase)
    unit = text.removeprefix(number)
    return f"{number} {_UNITS.get(unit, unit)}"
