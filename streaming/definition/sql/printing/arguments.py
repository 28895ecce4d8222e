"""Fields of nodes and settings in the form of the grammar's rows; fields at their default are left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow
from streaming.definition.sql.printing.expressions import ExpressionPlace, expression
from streaming.definition.sql.printing.words import duration, name, preset, quoted
from streaming.definition.strict import Strict


def print_arguments(model: Strict, arguments: Iterable[ArgumentRow]) -> Iterator[str]:
    """Yield each argument, with its words, whose field in `model` is not at its default."""
    for each in arguments:
        holder, _, field = each.field.rpartition(".")
        owner = getattr(model, holder) if holder else model
        if owner is not None and not is_default(owner, field):
            yield " ".join(filter(None, (each.words, _value(each, getattr(owner, field)))))


def is_default(model: Strict, field: str) -> bool:
    """Return whether a field has its default; a zero in another form, such as 0s, is not the default."""
    value, default = getattr(model, field), type(model).model_fields[field].default
    return value == default and type(value) is type(default)


def _value(argument: ArgumentRow, value: int | str) -> str:
    if argument.takes is ArgumentKind.CHOICE:
        return argument.chosen(str(value))
    return _WRITTEN[argument.takes](value)


_WRITTEN: Final[Mapping[ArgumentKind, Callable[[int | str], str]]] = {
    ArgumentKind.DURATION: duration,
    ArgumentKind.WHOLE: str,
    ArgumentKind.NAME: lambda value: name(str(value)),
    ArgumentKind.PRESET: lambda value: preset(str(value)),
    ArgumentKind.QUOTED: lambda value: quoted(str(value)),
    ArgumentKind.EXPRESSION: lambda value: expression(str(value), ExpressionPlace.SETTING),
    ArgumentKind.NOTHING: lambda _: "",
}
