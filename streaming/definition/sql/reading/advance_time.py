"""ADVANCE TIME: how time advances on an input, and what becomes of late events."""

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.sql.grammar.words import SETTING_WORDS, near
from streaming.definition.sql.reading.arguments import take_argument
from streaming.definition.sql.reading.reader import Reader, TokenRange
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.tree import AdvanceSyntax, WrittenFields
from streaming.definition.tokens import TokenKind


def take_advance(reader: Reader) -> AdvanceSyntax:
    """Take one statement, from ADVANCE TIME on."""
    first = reader.at
    reader.at += 2
    if reader.word() == "FOR":
        reader.problem(reader.take().extent, "FOR is not said here.", "Write ADVANCE TIME stream and its settings.")
    named = reader.name("The input", "ADVANCE TIME and the name of a stream or an input")
    advance = AdvanceSyntax(named, WrittenFields(), reader.since(first))
    generate = WrittenFields(prefix="generate.")
    while reader.at < reader.end:
        if not _take_setting(reader, advance, generate):
            break
    advance.extent = reader.since(first)
    _close_generate(reader, advance, generate)
    return advance


def _take_setting(reader: Reader, advance: AdvanceSyntax, generate: WrittenFields) -> bool:
    """Take one setting; False at what belongs to the next statement."""
    first, token = reader.at, reader.peek()
    if reader.accept(","):
        return True
    if _begins_statement(reader):
        return False
    word = token.word
    if word not in SETTING_WORDS:
        guess = near(word, SETTING_WORDS) if token.kind is TokenKind.WORD else None
        if guess is None:
            remedy = f"Write one of {', '.join(SETTING_WORDS)}."
            _skip_setting(reader)
            shown = reader.text[slice(*token.extent)][:40]
            reader.problem(reader.since(first), f"`{shown}` is no setting of time.", remedy)
            return True
        reader.problem(token.extent, f"`{token.value}` is no setting of time.", f"Did you mean {guess}?")
        word = guess
    reader.take()
    setting = _setting(reader, word)
    _take_known(reader, advance, generate if setting.field.startswith(generate.prefix) else advance.fields, setting)
    return True


def _ends(reader: Reader) -> bool:
    return reader.word() in SETTING_WORDS or _begins_statement(reader)


def _begins_statement(reader: Reader) -> bool:
    return reader.word() in ("INSERT", "SELECT", "WITH", "QUERY") or reader.next_are("ADVANCE", "TIME")


def _skip_setting(reader: Reader) -> None:
    reader.take()
    while reader.at < reader.end and not _ends(reader):
        reader.take()


def _setting(reader: Reader, word: str) -> ArgumentRow:
    """The setting whose words begin with `word`, behind which the reader stands; its other words are taken."""
    found = sorted((row for row in SETTINGS if row.first == word), key=lambda row: len(row.words), reverse=True)
    for row in found:
        if reader.accept(*row.words.split()[1:]) or row is found[-1]:
            break
    if row.words != word and reader.tokens[reader.at - 1].word != row.words.split()[-1]:
        reader.expect(row.words.split()[-1], f"Write {row.shown}.")
    return row


def _take_known(reader: Reader, advance: AdvanceSyntax, into: WrittenFields, setting: ArgumentRow) -> None:
    first = reader.at - len(setting.words.split())
    said = WrittenFields(prefix=into.prefix)
    over = None
    if setting.takes is ArgumentKind.PRESET:
        _take_preset(reader, said)
    elif setting.takes is ArgumentKind.EXPRESSION:
        over = _take_over(reader, said)
    else:
        take_argument(reader, setting, said, _ends)
    if said.places.keys() & into.places.keys():
        reader.problem(reader.since(first), f"{setting.words} is said twice.", "Leave one of them out.")
    else:
        into.values.update(said.values)
        into.places.update(said.places)
        advance.over = over or advance.over


def _take_preset(reader: Reader, said: WrittenFields) -> None:
    """The text up to the next setting; text in quotation marks is taken as it is."""
    start = reader.at
    while reader.at < reader.end and (reader.at == start or not _ends(reader)):
        reader.skip()
    if reader.at == start:
        reader.problem(reader.here(), "The preset is missing.", "Write for example PRESET watermark(5s).")
        return
    extent, token = reader.since(start), reader.tokens[start]
    alone = reader.at == start + 1 and token.kind is TokenKind.STRING
    said.put("preset", token.value if alone else reader.text[slice(*extent)], extent)


def _take_over(reader: Reader, said: WrittenFields) -> TokenRange | None:
    first = reader.at - 1
    part = take_expression(reader, frozenset(SETTING_WORDS))
    if part:
        said.places["over"] = reader.since(first)
        return part
    reader.problem(reader.here(), "What OVER is about is missing.", "Write OVER and a field.")
    return None


def _close_generate(reader: Reader, advance: AdvanceSyntax, generate: WrittenFields) -> None:
    if not generate.places:
        return
    if "every" not in generate.values:
        name, extent = next(iter(generate.places.items()))
        remedy = f"Add EVERY, such as EVERY 10 or EVERY 5s, beside {name.removeprefix(generate.prefix).upper()}."
        reader.problem(extent, "How often CTIs are generated is not said.", remedy)
        return
    extents = list(generate.places.values())
    extent = min(each[0] for each in extents), max(each[1] for each in extents)
    advance.fields.put("generate", generate.values, extent)
    advance.fields.places.update(generate.places)
