"""MATCH_RECOGNIZE after a source: its clauses in any order."""

from collections.abc import Callable
from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentRow
from streaming.definition.sql.grammar.sequences import EMIT_MATCHES, GRACE_OF_ROWS, MATCH_WORDS, REACH, WITHIN
from streaming.definition.sql.grammar.words import near
from streaming.definition.sql.reading.durations import take_duration
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt, take_whole
from streaming.definition.sql.reading.slices import ExpressionSlice, cut, take_expression
from streaming.definition.sql.reading.tree import EventTimeSyntax, MatchSyntax
from streaming.definition.tokens import TokenKind

STOPS: Final = frozenset({*MATCH_WORDS, "SEEK", "INITIAL"})
"""Words that end an expression in MATCH_RECOGNIZE."""
_MOST_ROWS: Final = 1_000_000
_ROWS: Final = {
    ("SHOW", "EMPTY", "MATCHES"): "all",
    ("OMIT", "EMPTY", "MATCHES"): "all_omit_empty",
    ("WITH", "UNMATCHED", "ROWS"): "all_with_unmatched",
}
_AFTER: Final = "Write AFTER MATCH SKIP PAST LAST ROW, TO NEXT ROW, TO FIRST variable or TO LAST variable."
_FIRST_IN_ORDER: Final = "Write ORDER BY EVENTTIME first, or leave ORDER BY out: rows are always in order of time."
_FOREIGN: Final = {
    "SEEK": "SEEK is not supported: a search begins at every row.",
    "INITIAL": "INITIAL is not supported: a group never has a settled first row.",
}


def take_match(reader: Reader, event_time: EventTimeSyntax | None) -> MatchSyntax | None:
    """Read `MATCH_RECOGNIZE ( ... ) [AS alias]` if it is next; `event_time` is that of its source."""
    if not (reader.word() == "MATCH_RECOGNIZE" and reader.word(1) == "("):
        return None
    first = reader.at
    reader.take()
    opened = reader.at
    closing = reader.partners.get(opened, reader.end)
    if closing >= reader.end:
        extent = reader.tokens[opened].extent
        reader.problem(extent, "This parenthesis is not closed.", "Write ) at the end of MATCH_RECOGNIZE.")
    reader.take()
    end, reader.end = reader.end, min(closing, reader.end)
    match = MatchSyntax(reader.since(first))
    _MatchReader(reader, match, event_time).take()
    reader.end = end
    reader.at = min(closing + 1, end)
    match.extent = reader.since(first)
    return match


class _MatchReader:
    def __init__(self, reader: Reader, match: MatchSyntax, event_time: EventTimeSyntax | None) -> None:
        self.reader = reader
        self.match = match
        self.event_time = event_time
        self.read: set[str] = set()

    def take(self) -> None:
        reader = self.reader
        first = reader.at
        while reader.at < reader.end:
            word = reader.word()
            if word not in _TAKE:
                word = self.unknown()
            if not word:
                continue
            if word in self.read:
                reader.problem(reader.here(), f"MATCH_RECOGNIZE has {word} twice.", "Leave one of them out.")
            self.read.add(word)
            _TAKE[word](self)
        if "PATTERN" not in self.read:
            reader.problem(reader.since(first), "PATTERN is missing.", "Write for example PATTERN (A B+ C).")

    def unknown(self) -> str:
        """Report a word that starts no clause; return a similar clause, or skip to the next one."""
        reader, first, token = self.reader, self.reader.at, self.reader.peek()
        guess = near(token.word, tuple(_TAKE)) if token.kind is TokenKind.WORD and token.word not in _FOREIGN else None
        if guess is not None:
            reader.problem(token.extent, f"Unknown clause `{token.value}`.", f"Did you mean {guess}?")
            return guess
        reader.skip()
        while reader.at < reader.end and reader.word() not in _TAKE:
            reader.skip()
        message = _FOREIGN.get(token.word, f"Unexpected `{(token.value or token.word)[:40]}` in MATCH_RECOGNIZE.")
        reader.problem(reader.since(first), message, "Remove it.")
        return ""

    # Lists

    def list_of(self, item: Callable[[], None]) -> None:
        item()
        while self.reader.accept(","):
            item()

    def name(self, what: str, example: str) -> ValueAt[str] | None:
        return self.reader.name(what, example)

    def expression(self, what: str) -> ExpressionSlice | None:
        part = self.part(what)
        return None if part is None else cut(self.reader, part)

    def part(self, what: str) -> TokenRange | None:
        reader = self.reader
        part: TokenRange = take_expression(reader, STOPS)
        if not part:
            reader.missing(what, "Write for example A.speed > 120.")
            if reader.at < reader.end and reader.word() not in (*_TAKE, ",", "AS"):
                reader.skip()
            return None
        return part

    # Clauses

    def partition(self) -> None:
        first = self.take_by("PARTITION")
        names: list[str] = []

        def item() -> None:
            name = self.name("A field to group by", "the names of fields: PARTITION BY plate")
            if name is not None:
                self.match.fields.places[f"group_by[{len(names)}]"] = name.extent
                names.append(name.value)

        self.list_of(item)
        self.match.fields.put("group_by", names, self.reader.since(first))

    def take_by(self, word: str) -> int:
        first = self.reader.at
        self.reader.take()
        if not self.reader.accept("BY"):
            self.reader.problem(self.reader.tokens[first].extent, "BY is missing.", f"Write {word} BY.")
        return first

    def order(self) -> None:
        first = self.take_by("ORDER")
        found: list[dict[str, object]] = []
        self.time()
        while self.reader.accept(","):
            part = self.part("An expression of ORDER BY")
            if part is None:
                continue
            falling = _direction(self.reader, part)
            text = cut(self.reader, part if falling is None else TokenRange(part.first, part.last - 1))
            self.match.places[f"order_by[{len(found)}].of"] = text.place
            found.append({"of": text.text, **({"descending": True} if falling else {})})
        if found:
            self.match.fields.put("order_by", found, self.reader.since(first))

    def time(self) -> None:
        """Read EVENTTIME, or the field of EVENTTIME BY, which must be first."""
        first = self.reader.at
        path = (self.event_time.values or {}).get("path") if self.event_time else None
        part = take_expression(self.reader, STOPS)
        written = self.reader.text[slice(*self.reader.covered(part))] if part else ""
        words = written.split()
        if words[1:] and words[1].upper() == "DESC":
            remedy = "Remove DESC."
            self.reader.problem(self.reader.since(first), "Rows are always in rising order of time.", remedy)
        elif not words or words[0] not in (path, "EVENTTIME", "eventtime") or words[1:] not in ([], ["ASC"], ["asc"]):
            at = self.reader.since(first) if part else self.reader.here()
            self.reader.problem(at, "ORDER BY must start with the time of events.", _FIRST_IN_ORDER)

    def measures(self) -> None:
        self.named("measures", "The expression of a measure", measure=True)

    def define(self) -> None:
        self.named("define", "The condition", measure=False)

    def named(self, field: str, what: str, *, measure: bool) -> None:
        """Read `expression AS name, ...`, or `name AS expression, ...` of DEFINE."""
        reader, first = self.reader, self.reader.at
        reader.take()
        found: list[dict[str, object]] = []

        def item() -> None:
            path = f"{field}[{len(found)}]"
            start = reader.at
            text = self.expression(what) if measure else None
            name = None if measure else self.name("The variable", "a variable of the pattern, such as A AS speed > 120")
            if (measure and text is None) or (not measure and name is None):
                return
            written = reader.expect("AS", "Write x AS y: the two parts need AS between them.")
            if measure and written:
                name = self.name("The name of the measure", "a name, such as AS total")
            elif written:
                text = self.expression(what)
            entry: dict[str, object] = {}
            if name is not None:
                entry["name"] = name.value
                self.match.fields.places[f"{path}.name"] = name.extent
            if text is not None:
                entry["of"] = text.text
                self.match.places[f"{path}.of"] = text.place
            self.match.fields.places[path] = reader.since(start)
            found.append(entry)

        self.list_of(item)
        self.match.fields.put(field, found, reader.since(first))

    def one(self) -> None:
        first = self.reader.at
        self.words("ONE", "ROW", "PER", "MATCH")
        self.match.fields.put("rows", "one", self.reader.since(first))
        self.read.add("ALL")

    def all(self) -> None:
        first = self.reader.at
        self.words("ALL", "ROWS", "PER", "MATCH")
        rows = next((rows for words, rows in _ROWS.items() if self.reader.accept(*words)), "all")
        self.match.fields.put("rows", rows, self.reader.since(first))
        self.read.add("ONE")

    def words(self, *words: str) -> bool:
        """Read all `words`; the first is next. False, and a recorded problem, if one is missing."""
        self.reader.take()
        return all(self.reader.expect(word, f"Write {' '.join(words)}.") for word in words[1:])

    def after(self) -> None:
        reader, first = self.reader, self.reader.at
        if not self.words("AFTER", "MATCH", "SKIP"):
            return
        value: object = None
        if reader.accept("PAST", "LAST", "ROW"):
            value = "past_last_row"
        elif reader.accept("TO", "NEXT", "ROW"):
            value = "next_row"
        elif reader.accept("TO"):
            named = reader.word() in ("FIRST", "LAST") and reader.at_name(1) and reader.word(1) not in _TAKE
            key = reader.take().word.lower() if named else "last"
            name = self.name("The variable", "a variable of the pattern, such as TO LAST B")
            value = None if name is None else {key: name.value}
            if name is not None:
                self.match.fields.places[f"after_match.{key}"] = name.extent
        else:
            reader.problem(reader.here(), f"Unexpected {reader.describe_next()} after SKIP.", _AFTER)
        if value is not None:
            self.match.fields.put("after_match", value, reader.since(first))

    def pattern(self) -> None:
        reader, first = self.reader, self.reader.at
        reader.take()
        token = reader.peek()
        if token.kind is TokenKind.STRING:
            reader.take()
            self.match.fields.put("pattern", token.value, token.extent)
            return
        if token.word != "(" or not reader.opens():
            reader.problem(reader.here(), "The pattern must be in parentheses.", "Write for example PATTERN (A B+ C).")
            return
        closing = reader.partners[reader.at]
        start, end = token.end, reader.tokens[closing].start
        reader.at = closing + 1
        text = reader.text[start:end]
        stripped = text.strip()
        if not stripped:
            reader.problem(reader.since(first), "The pattern is empty.", "Write for example PATTERN (A B+ C).")
            return
        start += len(text) - len(text.lstrip())
        extent = (start, start + len(stripped))
        self.match.fields.put("pattern", stripped, extent)
        self.match.places["pattern"] = ExpressionSlice(stripped, extent, ((0, start),)).place

    def subset(self) -> None:
        reader, first = self.reader, self.reader.at
        reader.take()
        found: list[dict[str, object]] = []

        def item() -> None:
            name = self.name("The name of the subset", "SUBSET U = (A, B)")
            if name is None or not reader.expect("=", "Write SUBSET U = (A, B)."):
                return
            members: list[str] = []
            if reader.expect("(", "Write SUBSET U = (A, B)."):
                self.list_of(lambda: self.member(members))
                reader.expect(")", "Write ) after the variables.")
            path = f"subsets[{len(found)}]"
            self.match.fields.places[f"{path}.name"] = name.extent
            found.append({"name": name.value, "of": members})

        self.list_of(item)
        self.match.fields.put("subsets", found, reader.since(first))

    def member(self, members: list[str]) -> None:
        name = self.name("A variable of the subset", "a variable of the pattern")
        if name is not None:
            members.append(name.value)

    def argument(self, row: ArgumentRow) -> None:
        if row.words.endswith(" BY"):
            self.take_by(row.first)
        else:
            self.reader.take()
        duration = take_duration(self.reader, row.what)
        if duration is not None:
            self.match.fields.put(row.field, duration.value, duration.extent)

    def emit(self) -> None:
        first = self.reader.at
        self.reader.take()
        modes = tuple(each.words for each in EMIT_MATCHES.choices)
        mode = self.reader.keyword(modes, EMIT_MATCHES.what)
        if mode is not None:
            self.match.fields.put("emit", mode.lower(), self.reader.since(first))
        elif self.reader.peek().kind is TokenKind.WORD and self.reader.word() not in _TAKE:
            self.reader.take()

    def lifetime(self) -> None:
        first = self.reader.at
        if self.words("LIFETIME", "SPAN"):
            self.match.fields.put("lifetime", "span", self.reader.since(first))

    def most(self) -> None:
        first = self.reader.at
        if self.words("MAX", "ROWS"):
            number = take_whole(self.reader, "The number after MAX ROWS", 1, _MOST_ROWS)
            if number is not None:
                self.match.fields.put("max_rows", number.value, self.reader.since(first))


def _direction(reader: Reader, part: TokenRange) -> bool | None:
    """Return whether an expression of ORDER BY ends with DESC; None if it ends with neither ASC nor DESC."""
    last = reader.tokens[part.last - 1].word if part.last - part.first > 1 else ""
    return None if last not in ("ASC", "DESC") else last == "DESC"


_TAKE: Final[dict[str, Callable[[_MatchReader], None]]] = {
    "PARTITION": _MatchReader.partition,
    "ORDER": _MatchReader.order,
    "MEASURES": _MatchReader.measures,
    "ONE": _MatchReader.one,
    "ALL": _MatchReader.all,
    "AFTER": _MatchReader.after,
    "PATTERN": _MatchReader.pattern,
    "WITHIN": lambda reader: reader.argument(WITHIN),
    "REACH": lambda reader: reader.argument(REACH),
    "SUBSET": _MatchReader.subset,
    "DEFINE": _MatchReader.define,
    "GRACE": lambda reader: reader.argument(GRACE_OF_ROWS),
    "LIFETIME": _MatchReader.lifetime,
    "EMIT": _MatchReader.emit,
    "MAX": _MatchReader.most,
}
