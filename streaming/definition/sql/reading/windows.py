"""WINDOW BY, GRACE BY, EMIT and EMPTY: the clauses that say which windows there are and when their rows appear."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.reading.durations import ANY_WHOLE, take_duration, take_whole
from streaming.definition.sql.reading.reader import Reader, Said
from streaming.definition.sql.reading.tree import Fields
from streaming.definition.sql.reading.window_calls import take_call, window_meant
from streaming.definition.sql.reading.words import WINDOWS, clause_at
from streaming.definition.tokens import Extent, TokenKind

_FORMS: Final = "HOP 5m,1m, TUMBLE 5m, SESSION 5m, SNAPSHOT, COUNT 10 or TIMEINTERVAL 5m,1m"


def take_window(reader: Reader, fields: Fields) -> None:
    """Take what stands behind WINDOW BY, GRACE BY included, into the fields `window` and `grace`."""
    first, token = reader.at, reader.peek()
    if token.kind is not TokenKind.WORD or clause_at(reader.tokens, reader.at):
        reader.problem(reader.here(), f"The windows are missing: {reader.shown()} stands there.", f"Write {_FORMS}.")
        while reader.peek().kind in (TokenKind.NUMBER, TokenKind.STRING) or reader.next_are(","):
            reader.take()
        return
    if reader.word(1) == "(" and reader.partners.get(reader.at + 1, reader.end) < reader.end:
        take_call(reader, fields)
        return
    kind = _take_kind(reader)
    if kind is None:
        return
    window = Fields({"kind": _KINDS[kind]}, {"window.kind": token.extent})
    _ARGUMENTS[kind](reader, window)
    _take_options(reader, kind, window)
    fields.put("window", window.values, reader.since(first))
    fields.places.update(window.places)
    if reader.word() == "," and reader.next_are(",", "GRACE", "BY"):
        reader.take()
    if reader.accept("GRACE", "BY"):
        take_grace(reader, fields)


def take_grace(reader: Reader, fields: Fields) -> None:
    """Take what stands behind GRACE BY into the field `grace`."""
    grace = take_duration(reader, "The grace")
    if grace is not None:
        fields.put("grace", grace.value, grace.extent)


_KINDS: Final = {
    "HOP": "hopping",
    "TUMBLE": "tumbling",
    "SESSION": "session",
    "SNAPSHOT": "snapshot",
    "COUNT": "count",
    "TIMEINTERVAL": "time_interval",
}


def _take_kind(reader: Reader) -> str | None:
    token = reader.peek()
    known = window_meant(token.word)
    if known is not None and known != token.word:
        reader.take()
        reader.problem(token.extent, f"The windows `{token.value}` have another name here.", f"Write {known}.")
        return known
    return reader.keyword(WINDOWS, "kind of window")


def _duration(reader: Reader, window: Fields, name: str, what: str) -> bool:
    said = take_duration(reader, what)
    if said is not None:
        window.put(name, said.value, said.extent, f"window.{name}")
    return said is not None


def _more(reader: Reader) -> bool:
    """Whether a comma with another duration follows; the comma is taken."""
    return not reader.next_are(",", "GRACE") and reader.accept(",") is not None


def _hop(reader: Reader, window: Fields) -> None:
    if not _duration(reader, window, "size", "The size of the windows") and reader.word() != ",":
        return
    if reader.peek().kind is TokenKind.NUMBER:
        remedy = "Write the size and the hop with a comma: HOP 5m,1m."
        reader.problem(reader.here(), "A comma is missing before the hop.", remedy)
        _duration(reader, window, "hop", "The hop of the windows")
    elif _more(reader):
        _duration(reader, window, "hop", "The hop of the windows")
    else:
        remedy = "Write both, such as HOP 5m,1m; TUMBLE 5m if they follow each other."
        reader.problem(reader.here(), "HOP has a size and a hop, and the hop is missing.", remedy)


def _tumble(reader: Reader, window: Fields) -> None:
    _duration(reader, window, "size", "The size of the windows")
    if _more(reader):
        first = reader.at
        take_duration(reader, "The hop")
        reader.problem(reader.since(first), "TUMBLE has one duration.", "Write HOP 5m,1m for windows that overlap.")


def _session(reader: Reader, window: Fields) -> None:
    _duration(reader, window, "gap", "The gap of the sessions")
    if reader.accept("MAX"):
        _duration(reader, window, "max", "The greatest length of a session")


def _snapshot(reader: Reader, window: Fields) -> None:
    del reader, window


def _count(reader: Reader, window: Fields) -> None:
    said = take_whole(reader, "The count of a window", 1, 10_000)
    if said is not None:
        window.put("n", said.value, said.extent, "window.n")


def _time_interval(reader: Reader, window: Fields) -> None:
    _duration(reader, window, "duration", "The duration of the windows")
    for name, what in (("period", "The period of the windows"), ("offset", "The offset of the windows")):
        if _more(reader):
            _duration(reader, window, name, what)


_ARGUMENTS: Final[dict[str, Callable[[Reader, Fields], None]]] = {
    "HOP": _hop,
    "TUMBLE": _tumble,
    "SESSION": _session,
    "SNAPSHOT": _snapshot,
    "COUNT": _count,
    "TIMEINTERVAL": _time_interval,
}
_OPTIONS: Final = {"ALIGN": ("offset", "The offset"), "DISCARD": ("discard_age", "The discard age")}
_ALIGNED: Final = ("HOP", "TUMBLE", "TIMEINTERVAL")


def _take_options(reader: Reader, kind: str, window: Fields) -> None:
    """ALIGN and DISCARD, in any order."""
    while (word := reader.word()) in _OPTIONS:
        extent = reader.take().extent
        name, what = _OPTIONS[word]
        said = take_duration(reader, what)
        if word == "ALIGN" and kind not in _ALIGNED:
            remedy = "Leave it out; HOP, TUMBLE and TIMEINTERVAL are aligned."
            reader.problem(extent, f"ALIGN means nothing to {kind}: events make these windows.", remedy)
        elif word == "DISCARD" and kind != "TIMEINTERVAL":
            reader.problem(extent, "DISCARD belongs to TIMEINTERVAL.", "Write GRACE BY instead.")
        elif name in window.values:
            reader.problem(extent, f"{what} is said twice.", "Leave one of them out.")
        elif said is not None:
            window.put(name, said.value, said.extent, f"window.{name}")


_EMITS: Final = ("FINAL", "ON COMPLETE", "RUNNING")


def take_emit(reader: Reader, fields: Fields) -> None:
    """Take what stands behind EMIT into the field `emit`."""
    first = reader.at
    if reader.accept("ON", "COMPLETE") or reader.accept("ON_COMPLETE"):
        fields.put("emit", "on_complete", reader.since(first))
        return
    if reader.word() in ("CHANGES", "AFTER", "ON"):
        reader.take()
        while reader.at < reader.end and not clause_at(reader.tokens, reader.at) and reader.word() != ")":
            reader.take()
        remedy = (
            "Write EMIT RUNNING for a row at each change, EMIT ON COMPLETE at the end of the window, EMIT FINAL once."
        )
        reader.problem(reader.since(first - 1), "Rows are not emitted in this way.", remedy)
        return
    word = reader.keyword(("FINAL", "RUNNING", "ON_COMPLETE"), "way to emit rows")
    if word is not None:
        fields.put("emit", word.lower(), reader.since(first))
    elif reader.peek().kind is TokenKind.WORD and not clause_at(reader.tokens, reader.at):
        reader.take()


def take_empty(reader: Reader, fields: Fields) -> None:
    """Take what stands behind EMPTY into `empty`, `empty_gap` and `empty_groups`."""
    first = reader.at
    word = reader.keyword(("SKIP", "DEFAULT"), "way to treat empty windows")
    if word is not None:
        fields.put("empty", word.lower(), reader.since(first))
    if reader.accept("GAP") and (gap := take_duration(reader, "The gap")) is not None:
        fields.put("empty_gap", gap.value, gap.extent)
    groups = reader.at
    if reader.accept("GROUPS"):
        _take_groups(reader, fields, groups)


_GROUPS: Final = "Write for example GROUPS ((plate => 'AB'), (plate => 'CD'))."


def _take_groups(reader: Reader, fields: Fields, first: int) -> None:
    closing = reader.partners.get(reader.at, reader.end)
    if reader.word() != "(" or closing >= reader.end:
        reader.problem(reader.here(), "The groups stand in parentheses, each in parentheses of its own.", _GROUPS)
        return
    reader.take()
    found: list[dict[str, object]] = []
    while reader.at < closing:
        start = reader.at
        group = _take_group(reader, fields.places, f"empty_groups[{len(found)}]")
        if group is None or (reader.at < closing and not reader.accept(",")):
            if group is not None:
                reader.problem(reader.here(), "A comma stands between groups.", _GROUPS)
            reader.at = closing + 1
            return
        found.append(group)
        fields.places[f"empty_groups[{len(found) - 1}]"] = reader.since(start)
    reader.at = closing + 1
    fields.put("empty_groups", found, reader.since(first))


def _take_group(reader: Reader, places: dict[str, Extent], path: str) -> dict[str, object] | None:
    if not reader.accept("("):
        reader.problem(reader.here(), f"A group begins with a parenthesis; {reader.shown()} stands there.", _GROUPS)
        return None
    group: dict[str, object] = {}
    while reader.word() != ")":
        name = reader.name("The field of the group", "plate => 'AB'")
        if name is None:
            return None
        if not reader.accept("=>") and not reader.accept("="):
            reader.problem(reader.here(), f"=> is due here, and {reader.shown()} stands there.", _GROUPS)
            return None
        value = _take_literal(reader)
        if value is None:
            return None
        group[name.value] = value.value
        places[f"{path}.{name.value}"] = value.extent
        if not reader.accept(","):
            break
    if not reader.accept(")"):
        reader.problem(reader.here(), f"The group is not closed: {reader.shown()} stands there.", _GROUPS)
        return None
    return group


_WORDS: Final[dict[str, bool | None]] = {"TRUE": True, "FALSE": False, "NULL": None}


def _take_literal(reader: Reader) -> Said[object] | None:
    """A text, a whole number, TRUE, FALSE or NULL."""
    token = reader.peek()
    if token.kind is TokenKind.STRING:
        reader.take()
        return Said(token.value, token.extent)
    if token.word in _WORDS:
        reader.take()
        return Said(_WORDS[token.word], token.extent)
    if token.kind is TokenKind.NUMBER or (token.word == "-" and reader.peek(1).kind is TokenKind.NUMBER):
        whole = take_whole(reader, "The value of a group", -ANY_WHOLE, ANY_WHOLE)
        return None if whole is None else Said(whole.value, whole.extent)
    remedy = "Write a quoted text, a whole number, TRUE, FALSE or NULL."
    reader.problem(reader.here(), f"A value is due here, and {reader.shown()} stands there.", remedy)
    return None
