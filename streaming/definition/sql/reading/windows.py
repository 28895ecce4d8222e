"""Reading of WINDOW BY and EMPTY: kinds of windows with their arguments, and groups for empty windows."""

from typing import Final

from streaming.definition.sql.grammar.clauses import EMPTY, GAP, GRACE
from streaming.definition.sql.grammar.rows import WindowRow
from streaming.definition.sql.grammar.windows import ALIGN, DISCARD, IN_ZONE, WINDOW_BY_WORD, WINDOWS
from streaming.definition.sql.grammar.words import clause_at
from streaming.definition.sql.reading.arguments import take_argument
from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import ANY_WHOLE, Reader, ValueAt, take_whole
from streaming.definition.sql.reading.tree import WrittenFields
from streaming.definition.sql.reading.window_calls import take_call
from streaming.definition.tokens import Extent, TokenKind


def take_window(reader: Reader, fields: WrittenFields) -> None:
    """Read the content of WINDOW BY, including GRACE BY, into the fields `window` and `grace`."""
    first, token = reader.at, reader.peek()
    if token.kind is not TokenKind.WORD or clause_at(reader.tokens, reader.at):
        *most, last = (form.example for form in WINDOWS)
        message = f"The window is missing: found {reader.describe_next()} instead."
        reader.problem(reader.here(), message, f"Write {', '.join(most)} or {last}.")
        while reader.peek().kind in (TokenKind.NUMBER, TokenKind.STRING) or reader.next_are(","):
            reader.take()
        return
    if reader.word(1) == "(" and reader.opens(1):
        take_call(reader, fields)
        return
    form = _take_kind(reader)
    if form is None:
        return
    window = WrittenFields({"kind": form.kind}, {"window.kind": token.extent}, "window.")
    _take_arguments(reader, form, window)
    _take_options(reader, form, window)
    fields.put("window", window.values, reader.since(first))
    fields.places.update(window.places)
    if reader.next_are(",", "GRACE", "BY"):
        reader.take()
    if reader.accept("GRACE", "BY"):
        take_argument(reader, GRACE, fields)


def _take_kind(reader: Reader) -> WindowRow | None:
    token = reader.peek()
    known = WINDOW_BY_WORD.get(token.word)
    if known is not None and known.words != token.word:
        reader.take()
        reader.problem(token.extent, f"Unknown kind of window `{token.value}`.", f"Write {known.words}.")
        return known
    word = reader.keyword(tuple(form.words for form in WINDOWS), "kind of window")
    return WINDOW_BY_WORD[word] if word else None


def _take_arguments(reader: Reader, form: WindowRow, window: WrittenFields) -> None:
    """Read the arguments of a window, separated by commas."""
    for number, argument in enumerate(form.arguments):
        if number and not _has_next(reader, form, number):
            return
        if not take_argument(reader, argument, window) and reader.word() != ",":
            return
    if form.too_many and _more(reader):
        first = reader.at
        take_duration(reader, "The hop")
        reader.problem(reader.since(first), f"{form.words} takes only one duration.", form.too_many)


def _more(reader: Reader) -> bool:
    """Return whether a comma with another duration follows; read the comma."""
    return not reader.next_are(",", "GRACE") and reader.accept(",") is not None


def _has_next(reader: Reader, form: WindowRow, number: int) -> bool:
    """Return whether the next argument is here; report a missing required one."""
    if number >= form.least or reader.word() == ",":
        return _more(reader)
    named = [argument.field for argument in form.arguments[: number + 1]]
    if reader.peek().kind is TokenKind.NUMBER:
        remedy = f"Separate the {' and the '.join(named)} with a comma: {form.example}."
        reader.problem(reader.here(), f"The comma before the {named[-1]} is missing.", remedy)
        return True
    message = f"{form.words} needs a {' and a '.join(named)}, but the {named[-1]} is missing."
    reader.problem(reader.here(), message, form.too_few)
    return False


def _take_options(reader: Reader, form: WindowRow, window: WrittenFields) -> None:
    """Read the options after the arguments, in any order."""
    known = {each.words: each for each in (ALIGN, DISCARD, IN_ZONE, *form.options)}
    while (option := known.get(reader.word())) is not None:
        extent = reader.take().extent
        written = WrittenFields(prefix=window.prefix)
        take_argument(reader, option, written)
        if option in form.options and option.field in window.values:
            reader.problem(extent, f"{option.what} is set twice.", "Leave one of them out.")
        elif option in form.options:
            window.values.update(written.values)
            window.places.update(written.places)
        elif option is ALIGN:
            *most, last = (each.words for each in WINDOWS if ALIGN in each.options)
            remedy = f"Leave it out; only {', '.join(most)} and {last} support it."
            reason = "the calendar fixes" if form.kind == "calendar" else "events create"
            reader.problem(extent, f"{form.words} does not support ALIGN: {reason} these windows.", remedy)
        elif option is IN_ZONE:
            remedy = "Leave it out; for the days, weeks or months of a zone, write CALENDAR."
            reader.problem(extent, f"{form.words} does not support ZONE.", remedy)
        else:
            reader.problem(extent, f"{form.words} does not support DISCARD.", "Write GRACE BY instead.")


def take_empty(reader: Reader, fields: WrittenFields) -> None:
    """Read the content of EMPTY into `empty`, `empty_gap` and `empty_groups`."""
    take_argument(reader, EMPTY, fields)
    if reader.accept(GAP.words):
        take_argument(reader, GAP, fields)
    groups = reader.at
    if reader.accept("GROUPS"):
        _take_groups(reader, fields, groups)


_GROUPS: Final = "Write for example GROUPS ((plate => 'AB'), (plate => 'CD'))."


def _take_groups(reader: Reader, fields: WrittenFields, first: int) -> None:
    closing = reader.partners.get(reader.at, reader.end)
    if reader.word() != "(" or closing >= reader.end:
        reader.problem(reader.here(), "GROUPS needs parentheses around the list and around each group.", _GROUPS)
        return
    reader.take()
    listed: list[dict[str, object]] = []
    while reader.at < closing:
        start = reader.at
        group = _take_group(reader, fields.places, f"empty_groups[{len(listed)}]")
        if group is None or (reader.at < closing and not reader.accept(",")):
            if group is not None:
                reader.problem(reader.here(), "The comma between two groups is missing.", _GROUPS)
            reader.at = closing + 1
            return
        listed.append(group)
        fields.places[f"empty_groups[{len(listed) - 1}]"] = reader.since(start)
    reader.at = closing + 1
    fields.put("empty_groups", listed, reader.since(first))


def _take_group(reader: Reader, places: dict[str, Extent], path: str) -> dict[str, object] | None:
    if not reader.accept("("):
        reader.problem(reader.here(), f"Expected `(`, found {reader.describe_next()}.", _GROUPS)
        return None
    group: dict[str, object] = {}
    while reader.word() != ")":
        name = reader.name("The field of the group", "plate => 'AB'")
        if name is None:
            return None
        if not reader.accept("=>") and not reader.accept("="):
            reader.problem(reader.here(), f"Expected `=>`, found {reader.describe_next()}.", _GROUPS)
            return None
        value = _take_literal(reader)
        if value is None:
            return None
        group[name.value] = value.value
        places[f"{path}.{name.value}"] = value.extent
        if not reader.accept(","):
            break
    if not reader.accept(")"):
        reader.problem(reader.here(), f"Expected `)`, found {reader.describe_next()}.", _GROUPS)
        return None
    return group


_WORDS: Final[dict[str, bool | None]] = {"TRUE": True, "FALSE": False, "NULL": None}


def _take_literal(reader: Reader) -> ValueAt[object] | None:
    """Read a text, a whole number, TRUE, FALSE or NULL."""
    token = reader.peek()
    if token.kind is TokenKind.STRING:
        reader.take()
        return ValueAt(token.value, token.extent)
    if token.word in _WORDS:
        reader.take()
        return ValueAt(_WORDS[token.word], token.extent)
    if token.kind is TokenKind.NUMBER or (token.word == "-" and reader.peek(1).kind is TokenKind.NUMBER):
        whole = take_whole(reader, "The value of a group", -ANY_WHOLE, ANY_WHOLE)
        return None if whole is None else ValueAt(whole.value, whole.extent)
    remedy = "Write a quoted text, a whole number, TRUE, FALSE or NULL."
    reader.problem(reader.here(), f"Expected a value, found {reader.describe_next()}.", remedy)
    return None
