"""The values in clauses, each read by its row of the grammar."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, value_of
from streaming.definition.sql.grammar.words import clause_at
from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import Reader, ValueAt, take_whole
from streaming.definition.sql.reading.tree import WrittenFields
from streaming.definition.tokens import TokenKind

MOST_COUNTED: Final = 10_000
"""The largest count in a clause: starts of a count window, or ranks."""


def at_clause(reader: Reader) -> bool:
    """Return whether a clause of SELECT starts here."""
    return bool(clause_at(reader.tokens, reader.at))


def take_argument(
    reader: Reader, argument: ArgumentRow, fields: WrittenFields, ends: Callable[[Reader], bool] = at_clause
) -> bool:
    """Read the value of `argument` into its field; False, and a recorded problem, without a value.

    The reader is after the words of the argument. A word that isn't one of the choices is skipped, unless it
    `ends` the statement or clause.
    """
    start = reader.at
    argument_value: ValueAt[object] | None
    match argument.takes:
        case ArgumentKind.NOTHING:
            argument_value = ValueAt(True, reader.since(start - 1))
        case ArgumentKind.WHOLE:
            argument_value = take_whole(reader, argument.what, 1, MOST_COUNTED)
        case ArgumentKind.NAME:
            argument_value = reader.name(argument.what, f"{argument.words} and the name of an input")
        case ArgumentKind.CHOICE:
            value = _take_choice(reader, argument, ends)
            argument_value = ValueAt(value, reader.since(start)) if value else None
        case ArgumentKind.QUOTED:
            remedy = f"Write {argument.words} and its name in quotation marks, such as 'Europe/Zurich'."
            argument_value = reader.quoted(argument.what, remedy)
        case _:
            argument_value = take_duration(reader, argument.what)
    if argument_value is not None:
        fields.put(argument.field.rpartition(".")[2], argument_value.value, argument_value.extent)
    return argument_value is not None


def _take_choice(reader: Reader, argument: ArgumentRow, ends: Callable[[Reader], bool]) -> str | None:
    words = tuple(each.words.upper() for each in argument.choices)
    for choice, each in zip(argument.choices, words, strict=True):
        if reader.accept(*each.split()) or reader.accept(each.replace(" ", "_")):
            return value_of(choice)
    if (guess := reader.keyword(words, argument.what)) is not None:
        return guess.lower().replace(" ", "_")
    if reader.peek().kind is TokenKind.WORD and not ends(reader):
        reader.take()
    return None
