"""Analytic functions inside the items of a SELECT: `f(arguments) [IGNORE NULLS] OVER (...)`."""

from dataclasses import dataclass, field
from typing import Final

from streaming.definition.analytic import FRAME_AGGREGATES, ROW_FUNCTIONS
from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import ANY_WHOLE, Reader, TokenRange, ValueAt, take_whole
from streaming.definition.sql.reading.slices import ENDS_IN_OVER, take_expression
from streaming.definition.tokens import Extent, TokenKind

_BOUNDS: Final = "A frame contains its row. Write for example ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING."
_FORM: Final = "Write for example OVER (PARTITION BY k ORDER BY EVENTTIME RANGE 10m PRECEDING REACH 1h GRACE BY 30s)."
_RANKS: Final = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist", "ntile"})
"""Functions of other systems over a whole partition, which a stream never has."""
_NUMBERS: Final = ("target", "drift", "threshold")


@dataclass
class OverCall:
    """One call: the tokens `part` up to the parenthesis of OVER, its function, arguments and OVER clause.

    `values` are arguments that are constants, `parts` those that are expressions, both by the field of the column.
    `aggregate` is the call of an aggregate without OVER, whose arguments are read later.
    """

    part: TokenRange
    function: ValueAt[str]
    values: dict[str, ValueAt[object]] = field(default_factory=dict)
    parts: dict[str, TokenRange] = field(default_factory=dict)
    groups: list[ValueAt[str]] = field(default_factory=list)
    order: list[tuple[TokenRange, bool]] = field(default_factory=list)
    lengths: dict[str, ValueAt[int | str]] = field(default_factory=dict)
    extent: Extent = (0, 0)
    aggregate: TokenRange | None = None

    def node_key(self, reader: Reader) -> tuple[object, ...]:
        """Return a key that is equal for calls of one node: those with the same groups, order, reach and grace."""
        order = [
            (tuple(token.value or token.word for token in reader.tokens[part.first : part.last]), descending)
            for part, descending in self.order
        ]
        lengths = sorted((name, length.value) for name, length in self.lengths.items())
        return (tuple(group.value for group in self.groups), tuple(order), tuple(lengths))


def has_over(reader: Reader, part: TokenRange) -> bool:
    """Return whether a part contains OVER and a parenthesis."""
    return any(_is_over(reader, index) for index in range(part.first, part.last - 1))


def _is_over(reader: Reader, index: int) -> bool:
    return reader.tokens[index].word == "OVER" and reader.tokens[index + 1].word == "("


def take_over_calls(reader: Reader, part: TokenRange, time_field: str | None) -> list[OverCall]:
    """Return the analytic functions in an item, from left to right; `time_field` is the field of EVENTTIME BY."""
    calls: list[OverCall] = []
    index = part.first
    while index < part.last - 1:
        if not _is_over(reader, index):
            index += 1
            continue
        closing = reader.partners.get(index + 1, part.last)
        call = _take_call(reader, part, index)
        if call is not None and closing < part.last:
            _OverClause(reader, call, time_field).take(index, closing)
            call.part = TokenRange(call.part.first, closing + 1)
            calls.append(call)
        index = closing + 1
    return calls


def _take_call(reader: Reader, part: TokenRange, over: int) -> OverCall | None:
    """Read the function before OVER: its name, arguments, FILTER and IGNORE NULLS."""
    tokens, last = reader.tokens, over
    ignores = over - 2 >= part.first and [each.word for each in tokens[over - 2 : over]] == ["IGNORE", "NULLS"]
    if ignores:
        last = over - 2
    opening = _opening(reader, last - 1)
    if opening is not None and tokens[opening - 1].word == "FILTER":
        opening = _opening(reader, opening - 2)
    name = tokens[opening - 1] if opening is not None and opening > part.first else None
    if opening is None or name is None or name.kind is not TokenKind.WORD:
        reader.problem(tokens[over].extent, "OVER must follow a function.", "Write for example LAG(v) OVER (...).")
        return None
    function = name.value.lower()
    if function not in ROW_FUNCTIONS and function not in FRAME_AGGREGATES:
        ranks = "Group with WINDOW BY and GROUP BY, or rank with TOP k. " if function in _RANKS else ""
        remedy = f"{ranks}Use one of {', '.join(each.upper() for each in (*ROW_FUNCTIONS, *FRAME_AGGREGATES))}."
        reader.problem(name.extent, f"There is no analytic function {name.value}.", remedy)
        return None
    call = OverCall(TokenRange(opening - 1, over + 1), ValueAt(function, name.extent))
    if ignores:
        call.values["ignore_nulls"] = ValueAt(True, (tokens[over - 2].start, tokens[over - 1].end))
    if function in ROW_FUNCTIONS:
        _take_arguments(reader, call, opening)
    else:
        call.aggregate = TokenRange(opening - 1, last)
    return call


def _opening(reader: Reader, closing: int) -> int | None:
    if reader.tokens[closing].word != ")":
        return None
    return next((first for first, last in reader.partners.items() if last == closing), None)


def _take_arguments(reader: Reader, call: OverCall, opening: int) -> None:
    """Read the arguments of a function of rows, by place."""
    at, end = reader.at, reader.end
    reader.at, reader.end = opening + 1, reader.partners[opening]
    entry = ROW_FUNCTIONS[call.function.value]
    places = [name for name in entry.parameters if name != "ignore_nulls"]
    if reader.at < reader.end:
        part = take_expression(reader)
        if part:
            call.parts["of"] = part
    while places and reader.accept(","):
        _take_parameter(reader, call, places.pop(0))
    if reader.at < reader.end:
        extent = (reader.here()[0], reader.tokens[reader.end - 1].end)
        reader.problem(extent, f"{entry.name.upper()} has too many arguments.", f"Write {entry.signature}.")
    reader.at, reader.end = at, end


def _take_parameter(reader: Reader, call: OverCall, name: str) -> None:
    if name == "default":
        part = take_expression(reader)
        if part:
            call.parts[name] = part
    elif name in _NUMBERS:
        number = _take_number(reader, name)
        if number is not None:
            call.values[name] = ValueAt(number.value, number.extent)
    else:
        whole = take_whole(reader, f"The {name}", -ANY_WHOLE, ANY_WHOLE)
        if whole is not None:
            call.values[name] = ValueAt(whole.value, whole.extent)


def _take_number(reader: Reader, name: str) -> ValueAt[float] | None:
    """Read a number with a sign; None for NULL, and for anything else, which is a problem."""
    if reader.accept("NULL"):
        return None
    first = reader.at
    part = take_expression(reader)
    extent = reader.covered(part) if part else reader.here()
    written = reader.text[extent[0] : extent[1]].replace(" ", "")
    try:
        return ValueAt(float(written), reader.since(first))
    except ValueError:
        reader.problem(extent, f"The {name} must be a number, found `{written[:40]}`.", "Write for example 10 or 0.5.")
        return None


class _OverClause:
    """The parenthesis after OVER; its parts may be in any order."""

    def __init__(self, reader: Reader, call: OverCall, time_field: str | None) -> None:
        self._reader = reader
        self._call = call
        self._time_field = time_field

    def take(self, over: int, closing: int) -> None:
        reader = self._reader
        at, end = reader.at, reader.end
        reader.at, reader.end = over + 2, closing
        while reader.at < reader.end:
            first = reader.at
            if reader.accept("PARTITION", "BY"):
                self._groups()
            elif reader.accept("ORDER", "BY"):
                self._order()
            elif reader.word() in ("ROWS", "RANGE"):
                self._frame()
            elif reader.accept("REACH"):
                self._length("reach", "The reach")
            elif reader.accept("GRACE", "BY"):
                self._length("grace", "The grace")
            else:
                reader.problem(reader.here(), f"OVER does not accept {reader.describe_next()}.", _FORM)
                break
            if reader.at == first:
                break
        self._call.extent = (reader.tokens[over].start, reader.tokens[closing].end)
        reader.at, reader.end = at, end

    def _groups(self) -> None:
        while True:
            name = self._reader.name("The field after PARTITION BY", "PARTITION BY and the name of a field")
            if name is not None:
                self._call.groups.append(name)
            if not self._reader.accept(","):
                return

    def _order(self) -> None:
        reader = self._reader
        first = reader.at
        part = take_expression(reader, ENDS_IN_OVER)
        named = reader.text[slice(*reader.covered(part))] if part else ""
        if not part or (named.upper() != "EVENTTIME" and named != self._time_field):
            remedy = "Write ORDER BY EVENTTIME first, or leave ORDER BY out: rows are always in order of time."
            reader.problem(reader.since(first), "ORDER BY must start with the time of events.", remedy)
        if falls := reader.accept("DESC"):
            remedy = "Leave DESC out; use LEAD instead of LAG to look ahead."
            reader.problem(falls, "Rows are always in rising order of time.", remedy)
        reader.accept("ASC")
        while reader.accept(","):
            part = take_expression(reader, ENDS_IN_OVER)
            if not part:
                reader.missing("An expression of ORDER BY", "Write ORDER BY EVENTTIME, field DESC.")
                return
            descending = reader.accept("DESC") is not None
            if not descending:
                reader.accept("ASC")
            self._call.order.append((part, descending))

    def _length(self, name: str, what: str) -> None:
        length = take_duration(self._reader, what)
        if length is not None:
            self._call.lengths[name] = length

    def _frame(self) -> None:
        reader = self._reader
        first = reader.at
        unit = reader.take().word.lower()
        frame: dict[str, object] = {"unit": unit}
        if reader.accept("BETWEEN"):
            self._bound(frame, "PRECEDING")
            reader.expect("AND", _FORM)
            self._bound(frame, "FOLLOWING")
        else:
            self._bound(frame, "PRECEDING")
        self._call.values["frame"] = ValueAt(frame, reader.since(first))

    def _bound(self, frame: dict[str, object], side: str) -> None:
        """Read CURRENT ROW, or UNBOUNDED or a bound and PRECEDING or FOLLOWING, which must be the `side`."""
        reader, first = self._reader, self._reader.at
        if reader.accept("CURRENT", "ROW"):
            return
        value: object = None
        if not reader.accept("UNBOUNDED"):
            bound: ValueAt[int] | ValueAt[int | str] | None
            if frame["unit"] == "rows":
                bound = take_whole(reader, "The number of rows", -ANY_WHOLE, ANY_WHOLE)
            else:
                bound = take_duration(reader, "The bound of the range")
            if bound is None:
                return
            value = bound.value
        if reader.accept(side):
            frame[side.lower()] = value
        elif reader.accept("PRECEDING") or reader.accept("FOLLOWING"):
            reader.problem(reader.since(first), f"This bound must be CURRENT ROW or {side}.", _BOUNDS)
        else:
            reader.missing("PRECEDING or FOLLOWING", _FORM)
