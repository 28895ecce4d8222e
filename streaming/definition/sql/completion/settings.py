"""Completion in ADVANCE TIME."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from streaming.definition.sql.completion.expressions import after_point, expressions, value_expected
from streaming.definition.sql.completion.items import OfferedItem, keywords, nodes, presets, streams
from streaming.definition.sql.completion.scope import CompletionScope, KnownSource
from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.tokens import SqlToken

_FIRST: Final = ("EVERY", "DELAY", "LATE", "PRESET")
"""The most useful settings; the others follow in their order."""


def settings(scope: CompletionScope, tail: Sequence[SqlToken]) -> Iterator[OfferedItem]:
    """Yield the input, then settings and their values."""
    words = [token.word for token in tail]
    written = list(_written(words))
    last, end = written[-1] if written else (None, 0)
    if not tail or (last is not None and last.takes is ArgumentKind.NAME and end == len(words)):
        yield from nodes(scope.inputs, scope.schemas)
        yield from streams({name: each for name, each in scope.streams.items() if name not in scope.inputs})
    elif last is not None and last.takes is ArgumentKind.EXPRESSION:
        yield from _clocks(scope, tail, tail[end:])
    elif last is not None and last.takes is ArgumentKind.PRESET and end == len(words):
        yield from presets()
    elif halves := [row.words.split()[1] for row in SETTINGS if row.words.split()[:-1] == words[-1:]]:
        yield from keywords(*(last.choices if last is not None and end == len(words) else ()), *halves)
    elif last is not None and end == len(words) and last.takes is ArgumentKind.CHOICE:
        yield from keywords(*last.choices)
    elif words[-1] != "-" and not (last is not None and end == len(words) and last.takes is ArgumentKind.DURATION):
        yield from _unwritten([row for row, _ in written])


def _written(words: Sequence[str]) -> Iterator[tuple[ArgumentRow, int]]:
    """Yield the settings among the words, each with the index after its words."""
    index = 1
    while index < len(words):
        rows = [row for row in SETTINGS if list(words[index : index + len(row.words.split())]) == row.words.split()]
        row = max(rows, key=lambda row: len(row.words), default=None)
        index += 1 if row is None else len(row.words.split())
        if row is not None:
            yield row, index
            index += row.takes is ArgumentKind.CHOICE  # the MAX of BASIS MAX does not start MAX AHEAD


def _unwritten(written: Sequence[ArgumentRow]) -> Iterator[OfferedItem]:
    """Yield the settings that are not written yet; next to a preset, only those that it does not set."""
    fields = {row.field for row in written}
    of_preset = {row.field for row in SETTINGS if row.field == "late" or row.field.startswith("generate.")}
    left_out = of_preset if "preset" in fields else {"preset"} if fields & {"generate.every", "late"} else set()
    missing = [row for row in SETTINGS if row.field not in fields | left_out]
    yield from keywords(
        *sorted(missing, key=lambda row: _FIRST.index(row.words) if row.words in _FIRST else len(_FIRST))
    )


def _clocks(scope: CompletionScope, tail: Sequence[SqlToken], over: Sequence[SqlToken]) -> Iterator[OfferedItem]:
    """Yield items for the expression whose values each have a clock, over the fields of the input."""
    name = tail[0].value
    known = replace(scope, fixed=(KnownSource(name, name, scope.of_name(name)),))
    if over and over[-1].word == ".":
        yield from after_point(known, over)
        return
    yield from expressions(known, over)
    if over and not value_expected(over):
        yield from _unwritten([row for row, _ in _written([token.word for token in tail])])
