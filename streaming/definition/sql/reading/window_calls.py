"""Windows in the form of other systems, such as `TUMBLE(ts, INTERVAL '5' MINUTE)`, read with a remedy."""

from streaming.definition.sql.grammar.rows import ArgumentKind
from streaming.definition.sql.grammar.windows import WINDOW_BY_WORD
from streaming.definition.sql.reading.durations import readable_duration
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.tree import WrittenFields
from streaming.definition.tokens import Extent, TokenKind


def take_call(reader: Reader, fields: WrittenFields) -> Extent:
    """Read a call such as `HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)`, and record the form to write here.

    The reader is at its name. If the durations can be read, the field `window` is set, so that it isn't reported as
    missing.
    """
    first = reader.at
    word = reader.take().word
    form = WINDOW_BY_WORD.get(word, WINDOW_BY_WORD["TUMBLE"])
    closing = reader.partners[reader.at]
    lengths = _lengths(reader, reader.at + 1, closing)
    reader.at = closing + 1
    extent = reader.since(first)
    if form is WINDOW_BY_WORD["TUMBLE"] and len(lengths) > 1:
        form = WINDOW_BY_WORD["HOP"]
    if word in ("HOP", "SLIDE"):
        lengths[:2] = lengths[1::-1]  # other systems write the hop first
    durations = [each for each in form.arguments[: form.least] if each.takes is ArgumentKind.DURATION]
    written = form.example
    if len(durations) == form.least <= len(lengths):
        values = {each.field: length for each, length in zip(durations, lengths, strict=False)}
        fields.put("window", {"kind": form.kind, **values}, extent)
        written = f"{form.words} {','.join(values.values())}".strip()
    remedy = f"Write WINDOW BY {written}, and set the field of the time with EVENTTIME BY after the source."
    reader.problem(extent, "A window is written as a clause, not as a function.", remedy)
    return extent


def _lengths(reader: Reader, first: int, last: int) -> list[str]:
    """Return the durations between two tokens, in our form."""
    lengths: list[str] = []
    index = first
    while index < last:
        token = reader.tokens[index]
        value = token.value if token.kind in (TokenKind.STRING, TokenKind.NUMBER) else ""
        following = reader.tokens[index + 1] if index + 1 < last else None
        unit = following.value if following is not None and following.kind is TokenKind.WORD else ""
        if value and (length := readable_duration(value) or readable_duration(f"{value}{unit}")):
            lengths.append(length)
        elif token.kind is TokenKind.WORD and reader.tokens[min(index + 2, last)].kind is TokenKind.NUMBER:
            length = readable_duration(f"{reader.tokens[index + 2].value}{token.value}")  # TumblingWindow(minute, 5)
            lengths += [length] if length else []
        index += 1
    return lengths
