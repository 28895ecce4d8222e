"""ADVANCE TIME: the clock of an input and its policy for late events."""

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.sql.grammar.words import SETTING_WORDS, near
from streaming.definition.sql.reading.arguments import take_argument
from streaming.definition.sql.reading.reader import Reader, TokenRange
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.tree import AdvanceSyntax, WrittenFields
from streaming.definition.tokens import TokenKind


def take_advance(reader: Reader) -> AdvanceSyntax:
    """Read one statement, starting at ADVANCE TIME."""
    first = reader.at
    reader.at += 2
    if reader.word() == "FOR":
        reader.problem(
            reader.take().extent, "ADVANCE TIME does not use FOR.", "Write ADVANCE TIME stream and its settings."
        )
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
    """Read one setting; return False at the start of the next statement."""
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
            written = reader.text[slice(*token.extent)][:40]
            reader.problem(reader.since(first), f"ADVANCE TIME has no setting `{written}`.", remedy)
            return True
        reader.problem(token.extent, f"ADVANCE TIME has no setting `{token.value}`.", f"Did you mean {guess}?")
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
    """Return the setting that starts with `word`, which the reader has just passed; read its other words."""
    rows = sorted((row for row in SETTINGS if row.first == word), key=lambda row: len(row.words), reverse=True)
    for row in rows:
        if reader.accept(*row.words.split()[1:]) or row is rows[-1]:
            break
    if row.words != word and reader.tokens[reader.at - 1].word != row.words.split()[-1]:
        reader.expect(row.words.split()[-1], f"Write {row.syntax}.")
    return row


def _take_known(reader: Reader, advance: AdvanceSyntax, into: WrittenFields, setting: ArgumentRow) -> None:
    first = reader.at - len(setting.words.split())
    written = WrittenFields(prefix=into.prefix)
    over = None
    if setting.takes is ArgumentKind.PRESET:
        _take_preset(reader, written)
    elif setting.takes is ArgumentKind.EXPRESSION:
        over = _take_over(reader, written)
    else:
        take_argument(reader, setting, written, _ends)
    if written.places.keys() & into.places.keys():
        reader.problem(reader.since(first), f"{setting.words} is set twice.", "Leave one of them out.")
    else:
        into.values.update(written.values)
        into.places.update(written.places)
        advance.over = over or advance.over


def _take_preset(reader: Reader, written: WrittenFields) -> None:
    """Read the text up to the next setting; text in quotation marks is used unchanged."""
    start = reader.at
    while reader.at < reader.end and (reader.at == start or not _ends(reader)):
        reader.skip()
    if reader.at == start:
        reader.problem(reader.here(), "The preset is missing.", "Write for example PRESET watermark(5s).")
        return
    extent, token = reader.since(start), reader.tokens[start]
    alone = reader.at == start + 1 and token.kind is TokenKind.STRING
    written.put("preset", token.value if alone else reader.text[slice(*extent)], extent)


def _take_over(reader: Reader, written: WrittenFields) -> TokenRange | None:
    first = reader.at - 1
    part = take_expression(reader, frozenset(SETTING_WORDS))
    if part:
        written.places["over"] = reader.since(first)
        return part
    reader.problem(reader.here(), "The expression after OVER is missing.", "Write OVER and a field.")
    return None


def _close_generate(reader: Reader, advance: AdvanceSyntax, generate: WrittenFields) -> None:
    if not generate.places:
        return
    if "every" not in generate.values:
        name, extent = next(iter(generate.places.items()))
        setting = name.removeprefix(generate.prefix).upper()
        remedy = "Add EVERY, the interval of CTIs, such as EVERY 10 or EVERY 5s."
        reader.problem(extent, f"{setting} is set without EVERY.", remedy)
        return
    extents = list(generate.places.values())
    extent = min(each[0] for each in extents), max(each[1] for each in extents)
    advance.fields.put("generate", generate.values, extent)
    advance.fields.places.update(generate.places)
