"""Windows as other systems write them, `TUMBLE(ts, INTERVAL '5' MINUTE)`: what is meant, and how it is written here."""

from streaming.definition.sql.grammar.rows import ArgumentKind
from streaming.definition.sql.grammar.windows import MEANT
from streaming.definition.sql.reading.durations import readable_duration
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.tree import WrittenFields
from streaming.definition.tokens import Extent, TokenKind


def take_call(reader: Reader, fields: WrittenFields) -> Extent:
    """Take a call such as `HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)` with a fault that says what to write.

    The place is its name. The field `window` is set where the durations can be read, so that nothing else is missed.
    """
    first = reader.at
    word = reader.take().word
    form = MEANT.get(word, MEANT["TUMBLE"])
    closing = reader.partners[reader.at]
    lengths = _lengths(reader, reader.at + 1, closing)
    reader.at = closing + 1
    extent = reader.since(first)
    if form is MEANT["TUMBLE"] and len(lengths) > 1:
        form = MEANT["HOP"]
    if word in ("HOP", "SLIDE"):
        lengths[:2] = lengths[1::-1]  # other systems say the hop first
    durations = [each for each in form.arguments[: form.least] if each.takes is ArgumentKind.DURATION]
    written = form.example
    if len(durations) == form.least <= len(lengths):
        said = {each.field: length for each, length in zip(durations, lengths, strict=False)}
        fields.put("window", {"kind": form.kind, **said}, extent)
        written = f"{form.words} {','.join(said.values())}".strip()
    remedy = f"Write WINDOW BY {written}, and name the field of the time with EVENTTIME BY behind the source."
    reader.problem(extent, "Windows are a clause of their own here, and no function.", remedy)
    return extent


def _lengths(reader: Reader, first: int, last: int) -> list[str]:
    """The durations between two tokens, in the spelling that is used here."""
    found: list[str] = []
    index = first
    while index < last:
        token = reader.tokens[index]
        value = token.value if token.kind in (TokenKind.STRING, TokenKind.NUMBER) else ""
        following = reader.tokens[index + 1] if index + 1 < last else None
        unit = following.value if following is not None and following.kind is TokenKind.WORD else ""
        if value and (length := readable_duration(value) or readable_duration(f"{value}{unit}")):
            found.append(length)
        elif token.kind is TokenKind.WORD and reader.tokens[min(index + 2, last)].kind is TokenKind.NUMBER:
            length = readable_duration(f"{reader.tokens[index + 2].value}{token.value}")  # TumblingWindow(minute, 5)
            found += [length] if length else []
        index += 1
    return found
