"""ADVANCE TIME: how time advances on an input, and what becomes of late events."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import Part, Reader
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.tree import Advance, Fields
from streaming.definition.sql.reading.words import SETTINGS, near
from streaming.definition.tokens import Extent, TokenKind

_FIRST: Final = frozenset(SETTINGS)


def take_advance(reader: Reader) -> Advance:
    """Take one statement, from ADVANCE TIME on."""
    first = reader.at
    reader.at += 2
    if reader.word() == "FOR":
        reader.problem(reader.take().extent, "FOR is not said here.", "Write ADVANCE TIME stream and its settings.")
    named = reader.name("The input", "ADVANCE TIME and the name of a stream or an input")
    advance = Advance(named, Fields(), reader.since(first))
    generate = Fields()
    while reader.at < reader.end:
        if not _take_setting(reader, advance, generate):
            break
    advance.extent = reader.since(first)
    _close_generate(reader, advance, generate)
    return advance


def _take_setting(reader: Reader, advance: Advance, generate: Fields) -> bool:
    """Take one setting; False at what belongs to the next statement."""
    first, token = reader.at, reader.peek()
    if reader.accept(","):
        return True
    if _begins_statement(reader):
        return False
    word = token.word if token.word in _FIRST else None
    if word is None:
        guess = near(token.word, SETTINGS) if token.kind is TokenKind.WORD else None
        remedy = f"Did you mean {guess}?" if guess else f"Write one of {', '.join(SETTINGS)}."
        if guess is None:
            _skip_setting(reader)
            reader.problem(reader.since(first), f"`{_shown(reader, token.extent)}` is no setting of time.", remedy)
            return True
        reader.problem(token.extent, f"`{token.value}` is no setting of time.", remedy)
        word = guess
    reader.take()
    _take_known(reader, advance, generate, word, first)
    return True


def _shown(reader: Reader, extent: Extent) -> str:
    return reader.text[slice(*extent)][:40]


def _begins_statement(reader: Reader) -> bool:
    return reader.word() in ("INSERT", "SELECT", "WITH", "QUERY") or reader.next_are("ADVANCE", "TIME")


def _skip_setting(reader: Reader) -> None:
    reader.take()
    while reader.at < reader.end and reader.word() not in _FIRST and not _begins_statement(reader):
        reader.take()


def _take_known(reader: Reader, advance: Advance, generate: Fields, word: str, first: int) -> None:
    into = generate if word in ("EVERY", "DELAY", "BASIS", "FINAL") else advance.fields
    said = Fields()
    _TAKE[word](reader, said, first)
    for name, value in said.values.items():
        if name in into.values or (name == "over" and advance.over is not None):
            reader.problem(reader.since(first), f"{word} is said twice.", "Leave one of them out.")
        elif name == "over" and isinstance(value, Part):
            advance.over = value
            into.places["over"] = reader.since(first)
        else:
            path = f"generate.{name}" if into is generate else name
            into.put(name, value, said.places[name], path)


def _close_generate(reader: Reader, advance: Advance, generate: Fields) -> None:
    if not generate.places:
        return
    if not any(name == "generate.every" for name in generate.places):
        name, extent = next(iter(generate.places.items()))
        remedy = f"Add EVERY, such as EVERY 10 or EVERY 5s, beside {name.removeprefix('generate.').upper()}."
        reader.problem(extent, "How often CTIs are generated is not said.", remedy)
        return
    extents = list(generate.places.values())
    extent = min(each[0] for each in extents), max(each[1] for each in extents)
    advance.fields.put("generate", generate.values, extent)
    advance.fields.places.update(generate.places)


# The settings: each reader stands behind the first word, which is the token `first`


def _preset(reader: Reader, said: Fields, first: int) -> None:
    """The text up to the next setting; text in quotation marks is taken as it is."""
    del first
    start = reader.at
    while reader.at < reader.end and (reader.at == start or reader.word() not in _FIRST):
        if reader.at > start and _begins_statement(reader):
            break
        inner = reader.partners.get(reader.at, reader.end)
        reader.at = inner + 1 if inner < reader.end else reader.at + 1
    if reader.at == start:
        reader.problem(reader.here(), "The preset is missing.", "Write for example PRESET watermark(5s).")
        return
    extent, token = reader.since(start), reader.tokens[start]
    alone = reader.at == start + 1 and token.kind is TokenKind.STRING
    said.put("preset", token.value if alone else _shown_whole(reader, extent), extent)


def _shown_whole(reader: Reader, extent: Extent) -> str:
    return reader.text[slice(*extent)]


def _length(name: str, what: str, *words: str) -> Callable[[Reader, Fields, int], None]:
    def take(reader: Reader, said: Fields, first: int) -> None:
        del first
        for word in words:
            reader.expect(word, f"Write {' '.join(words)} 5m, say.")
        value = take_duration(reader, what)
        if value is not None:
            said.put(name, value.value, value.extent)

    return take


def _choice(name: str, what: str, *choices: str) -> Callable[[Reader, Fields, int], None]:
    def take(reader: Reader, said: Fields, first: int) -> None:
        del first
        start = reader.at
        value = reader.keyword(choices, what)
        if value is not None:
            said.put(name, value.lower(), reader.since(start))
        elif reader.peek().kind is TokenKind.WORD and reader.word() not in _FIRST and not _begins_statement(reader):
            reader.take()

    return take


def _final(reader: Reader, said: Fields, first: int) -> None:
    said.put("final", True, reader.since(first))


def _import(reader: Reader, said: Fields, first: int) -> None:
    del first
    reader.expect("FROM", "Write IMPORT FROM input.")
    name = reader.name("The input to import from", "IMPORT FROM and the name of an input")
    if name is not None:
        said.put("import_from", name.value, name.extent)


def _late(reader: Reader, said: Fields, first: int) -> None:
    if reader.accept("END"):
        _choice("late_end", "way to treat late ends", "LEAVE_OPEN", "CLOSE_AT_CTI")(reader, said, first)
    else:
        _choice("late", "way to treat late events", "DROP", "ADJUST", "SHIFT", "KEEP")(reader, said, first)


def _idle(reader: Reader, said: Fields, first: int) -> None:
    if reader.word() == "AFTER":
        _length("idle_after", "The time of silence", "AFTER")(reader, said, first)
    else:
        _choice("idle", "way to treat silent lanes", "LEAVE_OUT", "ADVANCE")(reader, said, first)


def _over(reader: Reader, said: Fields, first: int) -> None:
    part = take_expression(reader, _FIRST)
    if part:
        said.put("over", part, reader.since(first))
    else:
        reader.problem(reader.here(), "What OVER is about is missing.", "Write OVER and a field.")


_TAKE: Final[dict[str, Callable[[Reader, Fields, int], None]]] = {
    "PRESET": _preset,
    "EVERY": _length("every", "How often"),
    "DELAY": _length("delay", "The delay"),
    "BASIS": _choice("basis", "basis", "LAST", "MAX"),
    "FINAL": _final,
    "IMPORT": _import,
    "LATE": _late,
    "OVER": _over,
    "IDLE": _idle,
    "MAX": _length("max_ahead", "How far ahead", "AHEAD"),
    "FUTURE": _choice("future", "way to treat events from the future", "ACCEPT", "HOLD", "DROP"),
}
