"""The values in clauses, each as its row of the grammar says."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, value_of
from streaming.definition.sql.grammar.words import clause_at
from streaming.definition.sql.reading.durations import take_duration, take_whole
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.tree import WrittenFields
from streaming.definition.tokens import TokenKind

MOST_COUNTED: Final = 10_000
"""The largest number of things that a clause counts: of starts in a window, of ranks."""


def at_clause(reader: Reader) -> bool:
    """Whether a clause of SELECT begins here."""
    return bool(clause_at(reader.tokens, reader.at))


def take_argument(
    reader: Reader, argument: ArgumentRow, fields: WrittenFields, ends: Callable[[Reader], bool] = at_clause
) -> bool:
    """Take the value of `argument` into its field; False with a fault where there is none.

    The reader stands behind the words of the argument. A word that is none of the choices is passed over, but not one
    that `ends` what is read.
    """
    start = reader.at
    said: ValueAt[object] | None
    match argument.takes:
        case ArgumentKind.NOTHING:
            said = ValueAt(True, reader.since(start - 1))
        case ArgumentKind.WHOLE:
            said = take_whole(reader, argument.what, 1, MOST_COUNTED)
        case ArgumentKind.NAME:
            said = reader.name(argument.what, f"{argument.words} and the name of an input")
        case ArgumentKind.CHOICE:
            value = _take_choice(reader, argument, ends)
            said = ValueAt(value, reader.since(start)) if value else None
        case _:
            said = take_duration(reader, argument.what)
    if said is not None:
        fields.put(argument.field.rpartition(".")[2], said.value, said.extent)
    return said is not None


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
