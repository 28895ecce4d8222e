"""Windows as other systems write them, `TUMBLE(ts, INTERVAL '5' MINUTE)`: what is meant, and how it is written here."""

from typing import Final

from streaming.definition.sql.reading.durations import readable_duration
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.tree import Fields
from streaming.definition.tokens import Extent, TokenKind

_MEANT: Final = {
    **dict.fromkeys(("TUMBLE", "TUMBLING", "TUMBLINGWINDOW", "WINDOW"), "TUMBLE"),
    **dict.fromkeys(("HOP", "HOPPING", "HOPPINGWINDOW", "SLIDE", "SLIDING", "SLIDINGWINDOW"), "HOP"),
    **dict.fromkeys(("SESSION", "SESSIONWINDOW", "SESSION_WINDOW"), "SESSION"),
    **dict.fromkeys(("SNAPSHOT", "SNAPSHOTWINDOW"), "SNAPSHOT"),
    **dict.fromkeys(("TIMEINTERVAL", "TIME_INTERVAL"), "TIMEINTERVAL"),
    **dict.fromkeys(("COUNT", "CUMULATE"), "COUNT"),
}
"""What other systems call the windows, and what they are called here."""
_KINDS: Final = {"TUMBLE": ("tumbling", "size"), "SESSION": ("session", "gap"), "SNAPSHOT": ("snapshot", "")}
_EXAMPLES: Final = {
    "HOP": "HOP 5m,1m",
    "TUMBLE": "TUMBLE 5m",
    "SESSION": "SESSION 5m",
    "SNAPSHOT": "SNAPSHOT",
    "COUNT": "COUNT 10",
    "TIMEINTERVAL": "TIMEINTERVAL 5m,1m",
}


def window_meant(word: str) -> str | None:
    """The windows that another system calls `word`."""
    return _MEANT.get(word)


def take_call(reader: Reader, fields: Fields) -> Extent:
    """Take a call such as `HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)` with a fault that says what to write.

    The place is its name. The field `window` is set where the durations can be read, so that nothing else is missed.
    """
    first = reader.at
    word = reader.take().word
    meant = _MEANT.get(word, "TUMBLE")
    closing = reader.partners[reader.at]
    lengths = _lengths(reader, reader.at + 1, closing)
    reader.at = closing + 1
    extent = reader.since(first)
    if meant == "TUMBLE" and len(lengths) > 1:
        meant = "HOP"
    window: dict[str, object] = {}
    written = _EXAMPLES[meant]
    if meant == "HOP" and len(lengths) > 1:
        size, hop = (lengths[1], lengths[0]) if word in ("HOP", "SLIDE") else (lengths[0], lengths[1])
        window = {"kind": "hopping", "size": size, "hop": hop}
        written = f"HOP {size},{hop}"
    elif meant in _KINDS and (lengths or meant == "SNAPSHOT"):
        kind, name = _KINDS[meant]
        window = {"kind": kind, name: lengths[0]} if name else {"kind": kind}
        written = f"{meant} {lengths[0]}" if name else meant
    if window:
        fields.put("window", window, extent)
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
