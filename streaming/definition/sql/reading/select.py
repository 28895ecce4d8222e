"""SELECT: its list, its sources, and its clauses in any order."""

from collections.abc import Callable
from functools import partial
from typing import Final

from streaming.definition.sql.grammar.clauses import CLAUSES
from streaming.definition.sql.grammar.rows import ClauseRow
from streaming.definition.sql.grammar.windows import WINDOW_BY_WORD
from streaming.definition.sql.grammar.words import BY_CLAUSE, CLAUSE_WORDS, clause_at, expects_value, joins, near
from streaming.definition.sql.problems import over
from streaming.definition.sql.reading.arguments import MOST_COUNTED, take_argument
from streaming.definition.sql.reading.event_time import take_path
from streaming.definition.sql.reading.foreign import refuse_clause
from streaming.definition.sql.reading.over import has_over
from streaming.definition.sql.reading.reader import Reader, TokenRange, ValueAt, take_whole
from streaming.definition.sql.reading.slices import take_expression
from streaming.definition.sql.reading.sources import TakeBody, take_join, take_source
from streaming.definition.sql.reading.tree import ClauseSyntax, ItemSyntax, SelectSyntax, TopSyntax
from streaming.definition.sql.reading.window_calls import take_call
from streaming.definition.sql.reading.windows import take_empty, take_window
from streaming.definition.tokens import TokenKind

_AFTER_NAMES: Final = ("FROM", ",", ".", "AS", "=", "<", ">", "/")
"""Tokens after STREAM, DISTINCT or ALL that show that the word is the name of a field."""


def take_select(reader: Reader, take_body: TakeBody) -> SelectSyntax:
    """Read one SELECT, from its first word to a clause that isn't part of it."""
    first = reader.at
    reader.take()
    select = SelectSyntax(reader.since(first))
    if reader.word(1) not in _AFTER_NAMES:
        reader.accept("STREAM")
    if reader.word() in ("DISTINCT", "ALL") and reader.word(1) not in _AFTER_NAMES:
        word = reader.take()
        remedy = "Leave it out. To get each value once, use GROUP BY with WINDOW BY."
        reader.problem(word.extent, f"SELECT does not support {word.word}.", remedy)
    _take_items(reader, select)
    _take_from(reader, select, take_body)
    while _take_clause(reader, select, take_body):
        pass
    select.extent = reader.since(first)
    return select


def _take_items(reader: Reader, select: SelectSyntax) -> None:
    first = reader.at
    while True:
        start = reader.at
        if star := reader.accept("*"):
            select.star = star
        else:
            _take_item(reader, select, start)
        if not reader.accept(","):
            break
        if reader.word() == "FROM":
            reader.problem(reader.tokens[reader.at - 1].extent, "There is a comma before FROM.", "Remove it.")
            break
    if select.star and not all(has_over(reader, item.of) for item in select.items):
        remedy = "List each field, or write * alone, or with functions that have OVER."
        reader.problem(reader.since(first), "`*` cannot be combined with other items.", remedy)


def _take_item(reader: Reader, select: SelectSyntax, start: int) -> None:
    part = take_expression(reader, over=True)
    if not part:
        reader.missing("An item of the SELECT list", "Write * for all fields, or fields and expressions with AS name.")
        if reader.word() in (")", "]") and reader.at < reader.end:
            reader.take()
        return
    if reader.accept("AS"):
        name = reader.name("The name of the item", "a name, such as AS n")
    else:
        part, name = _name_without_as(reader, part)
    select.items.append(ItemSyntax(part, name, reader.since(start)))


_NO_VALUES: Final = frozenset({"NOT", "CASE", "EXPRESSION"})
"""Words, in addition to operators, after which an expression continues."""


def _name_without_as(reader: Reader, part: TokenRange) -> tuple[TokenRange, ValueAt[str] | None]:
    """Split `COUNT(*) n` into the expression and the name after it."""
    if part.last - part.first < 2:
        return part, None
    before, token = reader.tokens[part.last - 2], reader.tokens[part.last - 1]
    ends = before.word in (")", "END") or before.kind in (TokenKind.STRING, TokenKind.NUMBER, TokenKind.QUOTED)
    plain = before.kind is TokenKind.WORD and not expects_value(before.word) and before.word not in _NO_VALUES
    if token.kind not in (TokenKind.WORD, TokenKind.QUOTED) or token.word in ("END", "NULL") or not (ends or plain):
        return part, None
    return TokenRange(part.first, part.last - 1), ValueAt(token.value, token.extent)


def _take_from(reader: Reader, select: SelectSyntax, take_body: TakeBody) -> None:
    if into := reader.accept("INTO"):
        target = reader.name("The target", "INSERT INTO and a name")
        remedy = f"Write INSERT INTO {target.value if target else 'name'} before SELECT."
        reader.problem(into, "SELECT does not support INTO.", remedy)
    if not reader.accept("FROM"):
        token = reader.peek()
        if token.kind is TokenKind.WORD and near(token.word, ("FROM",)):
            reader.problem(token.extent, f"Expected FROM, found `{token.value}`.", "Did you mean FROM?")
            reader.take()
        else:
            reader.missing("FROM", "Write FROM and the name of a stream or a step.")
            if not clause_at(reader.tokens, reader.at):
                reader.skip_clause()
            if not reader.accept("FROM"):
                return
    select.source = take_source(reader, take_body)
    while (join := take_join(reader, take_body)) is not None:
        select.joins.append(join)


def _take_clause(reader: Reader, select: SelectSyntax, take_body: TakeBody) -> bool:
    """Read the next clause of this SELECT; return False if the SELECT ends here."""
    word = reader.word()
    ended = reader.at >= reader.end or word in (")", "UNION", "SELECT", "QUERY", "WITH")
    if ended or reader.next_are("INSERT", "INTO") or reader.next_are("ADVANCE", "TIME"):
        return False
    if joins(reader.tokens, reader.at):
        first = reader.at
        join = take_join(reader, take_body)
        if join is not None:
            select.joins.append(join)
        reader.problem(reader.since(first), "A join must come before other clauses.", "Move it directly after FROM.")
        return True
    if refuse_clause(reader):
        return True
    if word in _TAKE:
        _take_known(reader, select, word)
        return True
    return _take_unknown(reader, select)


def _take_known(reader: Reader, select: SelectSyntax, word: str) -> None:
    first = reader.at
    again = SelectSyntax(select.extent) if word in select.clauses else select
    _TAKE[word](reader, again)
    extent = reader.since(first)
    if again is not select:
        reader.problem(extent, f"This SELECT has {BY_CLAUSE[word].words} twice.", "Leave one of them out.")
    else:
        select.clauses.setdefault(word, ClauseSyntax(extent)).extent = extent


def _take_unknown(reader: Reader, select: SelectSyntax) -> bool:
    """Report a word that does not start a clause; continue with the most similar clause, else with the next one."""
    first, token = reader.at, reader.peek()
    guess = near(token.word, CLAUSE_WORDS) if token.kind is TokenKind.WORD else None
    if guess in _TAKE:
        reader.problem(token.extent, f"Unknown clause `{token.value}`.", f"Did you mean {BY_CLAUSE[guess].words}?")
        _take_known(reader, select, guess)
        return True
    reader.take()
    reader.skip_clause()
    message = f"Unexpected `{token.value[:40] or token.word[:40]}`."
    clauses = ", ".join(row.words for row in CLAUSES if row.offered)
    reader.problem(reader.since(first), message, f"Remove it, or start a clause: {clauses}.")
    return True


# Clauses: each function starts at the first word of the clause


def _event_time(reader: Reader, select: SelectSyntax) -> None:
    first = reader.at
    _take_by(reader, "EVENTTIME")
    alone = select.source is not None and not select.joins
    select.event_time = take_path(reader, first, select.source.qualifiers if select.source and alone else frozenset())


def _take_by(reader: Reader, word: str) -> None:
    keyword = reader.take()
    if not reader.accept("BY") and not keyword.word.endswith("BY"):
        reader.problem(keyword.extent, "BY is missing.", f"Write {word} BY.")


def _condition(reader: Reader, select: SelectSyntax) -> None:
    keyword = reader.take()
    word = keyword.word if keyword.word in ("WHERE", "HAVING") else near(keyword.word, ("WHERE", "HAVING")) or "WHERE"
    part = take_expression(reader)
    if not part:
        reader.problem(
            keyword.extent,
            f"The condition after {word} is missing.",
            f"Write a condition, for example {word} speed > 120.",
        )
        return
    select.clauses[word] = ClauseSyntax(over(keyword.extent, reader.covered(part)), part)


def _fields(row: ClauseRow, reader: Reader, select: SelectSyntax) -> None:
    """Read a clause that consists of its arguments."""
    if row.words.endswith(" BY"):
        _take_by(reader, row.first)
    else:
        reader.take()
    clause = ClauseSyntax(reader.here())
    if row.first == "WINDOW":
        take_window(reader, clause.fields)
    elif row.first == "EMPTY":
        take_empty(reader, clause.fields)
    elif row.first != "EMIT" or not _refuse_emit(reader):
        take_argument(reader, row.arguments[0], clause.fields)
    select.clauses[row.first] = clause


def _refuse_emit(reader: Reader) -> bool:
    """Report EMIT in the form of other systems."""
    if reader.next_are("ON", "COMPLETE") or reader.word() not in ("CHANGES", "AFTER", "ON"):
        return False
    first = reader.at - 1
    reader.take()
    reader.skip_clause()
    mode = reader.text[slice(*reader.since(first + 1))]
    reader.problem(reader.since(first), f"Unknown EMIT mode `{mode}`.", "Use FINAL, ON COMPLETE or RUNNING.")
    return True


def _group(reader: Reader, select: SelectSyntax) -> None:
    _take_by(reader, "GROUP")
    while True:
        part = take_expression(reader, frozenset({"TOP", "EMIT", "RETRACT", "EMPTY"}))
        if not part:
            reader.missing("A field to group by", "Write the names of fields: GROUP BY plate, lane.")
        else:
            _take_group(reader, select, part)
        if not reader.accept(","):
            return


def _take_group(reader: Reader, select: SelectSyntax, part: TokenRange) -> None:
    tokens = reader.tokens[part.first : part.last]
    names = tokens[::2]
    extent = reader.covered(part)
    if tokens[0].word in WINDOW_BY_WORD and reader.partners.get(part.first + 1) == part.last - 1:
        end, reader.at = reader.at, part.first
        clause = ClauseSyntax(extent)
        take_call(reader, clause.fields)
        select.clauses.setdefault("WINDOW", clause)
        reader.at = end
        return
    plain = all(each.kind in (TokenKind.WORD, TokenKind.QUOTED) for each in names)
    if len(tokens) % 2 == 0 or not plain or any(each.word != "." for each in tokens[1::2]):
        remedy = "Compute it in an earlier step, with a name: WITH x AS (SELECT STREAM ... AS name FROM ...)."
        reader.problem(extent, "GROUP BY takes only names of fields, not expressions.", remedy)
        return
    select.groups.append(part)


def _top(reader: Reader, select: SelectSyntax) -> None:
    first = reader.at
    reader.take()
    k = take_whole(reader, "The number after TOP", 1, MOST_COUNTED)
    by = TokenRange(reader.at, reader.at)
    if reader.expect("BY", "Write for example TOP 3 BY speed."):
        by = take_expression(reader, frozenset({"TOP", "EMIT", "RETRACT", "EMPTY"}))
        if not by:
            reader.problem(
                reader.since(first), "The expression after TOP ... BY is missing.", "Write for example TOP 3 BY speed."
            )
    select.top = TopSyntax(k, by, reader.since(first))


_TAKE: Final[dict[str, Callable[[Reader, SelectSyntax], None]]] = {
    **{word: partial(_fields, row) for word, row in BY_CLAUSE.items()},
    **dict.fromkeys(("WHERE", "HAVING"), _condition),
    "EVENTTIME": _event_time,
    "GROUP": _group,
    "TOP": _top,
}
