"""Expressions as parts of the text: their extent, and their text in the graph."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from streaming.definition.sql.grammar.words import clause_at, expects_value, misspelt_clause
from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.problems import span
from streaming.definition.sql.reading.reader import Reader, TokenRange
from streaming.definition.tokens import Extent, SqlToken, TokenKind

ENDS_IN_OVER: Final = frozenset({"ASC", "DESC", "ROWS", "RANGE", "REACH", "GRACE", "ORDER", "PARTITION"})
"""Words that end an expression inside OVER."""
VALUE_FACET: Final = "_value"
_DISTINCT: Final = (["IS", "DISTINCT"], ["NOT", "DISTINCT"])
"""After these words FROM belongs to an operator of Spark; `check` reports it with a remedy."""
_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class ExpressionSlice:
    """The text of an expression in the graph, its extent, and the places of its characters."""

    text: str
    extent: Extent
    runs: tuple[tuple[int, int], ...]

    @property
    def place(self) -> TextPlace:
        """Return it as a place."""
        return TextPlace(span(self.extent), self.runs)


def take_expression(reader: Reader, stops: Set[str] = _NONE, *, over: bool = False) -> TokenRange:
    """Read the tokens of an expression, up to a clause, a comma, the end, or one of the words `stops`.

    The words of `stops` end it where an operator is expected; elsewhere they are names. `over`: it may contain OVER.
    """
    first = reader.at
    value_expected = True
    while reader.at < reader.end:
        token = reader.tokens[reader.at]
        if token.word in (",", ")", "]"):
            break
        if token.kind is TokenKind.WORD and not _after_point(reader):
            if _ends(reader, stops, value_expected=value_expected):
                break
            value_expected = expects_value(token.word)
        else:
            value_expected = token.kind is TokenKind.SYMBOL
        if reader.opens():
            reader.at = reader.partners[reader.at]
            value_expected = False
        reader.at += 1
    part = TokenRange(first, reader.at)
    _refuse_foreign(reader, part, over=over)
    return part


def _after_point(reader: Reader) -> bool:
    return reader.at > 0 and reader.tokens[reader.at - 1].word == "."


def _ends(reader: Reader, stops: Set[str], *, value_expected: bool) -> bool:
    token = reader.tokens[reader.at]
    if token.word == "FROM" and [each.word for each in reader.tokens[max(reader.at - 2, 0) : reader.at]] in _DISTINCT:
        return False
    if token.word in stops and not value_expected:
        return True
    if clause_at(reader.tokens, reader.at, value_expected=value_expected):
        return True
    return not value_expected and not expects_value(token.word) and misspelt_clause(reader.tokens, reader.at)


def _refuse_foreign(reader: Reader, part: TokenRange, *, over: bool) -> None:
    """Record queries inside an expression, and analytic functions where none may be."""
    for index in range(part.first, part.last - 1):
        token, following = reader.tokens[index], reader.tokens[index + 1]
        if token.word == "(" and following.word == "SELECT":
            message = "Subqueries in expressions are not supported."
            remedy = "Use a JOIN, or SEMI JOIN or ANTI JOIN instead of IN and EXISTS."
            reader.problem(following.extent, message, remedy)
        elif not over and token.word == "OVER" and following.word == "(":
            remedy = "Compute it in the SELECT list of an earlier step."
            reader.problem(token.extent, "Functions with OVER are allowed only in the SELECT list.", remedy)


def cut(
    reader: Reader, part: TokenRange, qualifiers: Set[str] = _NONE, replaced: Sequence[tuple[int, int, str]] = ()
) -> ExpressionSlice:
    """Return the text of a non-empty part without the qualifiers of fields and without `_value.`.

    `replaced` are places of the text with their replacements. `EXPRESSION 'text'` returns the quoted text.
    """
    tokens = reader.tokens
    start, end = reader.covered(part)
    quoted = part.last - part.first > 1 and tokens[part.first + 1].kind is TokenKind.STRING
    if quoted and tokens[part.first].word == "EXPRESSION":
        return _quoted(reader, part)
    edits = list(replaced)
    for left, right, instead in _edits(reader, part, qualifiers):
        if not any(first <= left < last for first, last, _ in replaced):
            edits.append((left, right, instead))
    runs = [(0, start)]
    pieces: list[str] = []
    at, length = start, 0
    for left, right, instead in sorted(edits):
        pieces += (reader.text[at:left], instead)
        length += left - at
        if instead:
            runs.append((length, left))
            length += len(instead)
        runs.append((length, right))
        at = right
    pieces.append(reader.text[at:end])
    return ExpressionSlice("".join(pieces), (start, end), tuple(runs))


def _edits(reader: Reader, part: TokenRange, qualifiers: Set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits: removed qualifiers, and fields with another name."""
    tokens = reader.tokens
    index = part.first
    while index < part.last - 2:
        after = after_qualifiers(tokens, index, part.last, qualifiers)
        name = reader.renamed.get(index) if qualifiers else None
        if after != index and name is not None:
            yield tokens[index].start, tokens[after].end, name
        elif after != index:
            yield tokens[index].start, tokens[after].start, ""
        index = after + 1


def after_qualifiers(tokens: tuple[SqlToken, ...], index: int, last: int, qualifiers: Set[str]) -> int:
    """Return the token of the field's name if a qualifier, `_value` or both start at `index`, else `index`."""
    if index > 0 and tokens[index - 1].word == ".":
        return index
    if _is_before_name(tokens, index, last) and tokens[index].value in qualifiers:
        index += 2
    if _is_before_name(tokens, index, last) and tokens[index].value == VALUE_FACET:
        index += 2
    return index


def _is_before_name(tokens: tuple[SqlToken, ...], index: int, last: int) -> bool:
    return (
        index + 2 < last
        and tokens[index].kind is TokenKind.WORD
        and tokens[index + 1].word == "."
        and tokens[index + 2].kind in (TokenKind.WORD, TokenKind.QUOTED)
    )


def _quoted(reader: Reader, part: TokenRange) -> ExpressionSlice:
    token = reader.tokens[part.first + 1]
    if part.last - part.first > 2:
        extent = reader.covered(TokenRange(part.first + 2, part.last))
        remedy = "Write the whole expression inside the quotation marks."
        reader.problem(extent, "EXPRESSION '...' cannot be combined with anything after it.", remedy)
    if not token.value:
        return ExpressionSlice("", token.extent, ())
    runs = tuple(_unescaped(token.value, reader.text, token.start + 1, token.end - 1))
    return ExpressionSlice(token.value, (token.start + 1, token.end - 1), runs)


def _unescaped(value: str, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of a quoted text: a new one after each escape."""
    yield 0, start
    source = start
    for at, character in enumerate(value):
        if source < end and text[source] == "\\" and not (character == "\\" and text[source + 1] != "\\"):
            source += 1
            yield at, source
        source += 1


def conjuncts(reader: Reader, part: TokenRange) -> list[TokenRange]:
    """Return the parts between the ANDs of a condition; the whole condition if it also has an OR."""
    parts: list[TokenRange] = []
    first = index = part.first
    between = cases = 0
    while index < part.last:
        token = reader.tokens[index]
        word = token.word if index == 0 or reader.tokens[index - 1].word != "." else ""
        cases += (word == "CASE") - (word == "END")
        if cases <= 0:
            if word == "OR":
                return [part]
            between += word == "BETWEEN"
            if word == "AND" and between:
                between -= 1
            elif word == "AND":
                parts.append(TokenRange(first, index))
                first = index + 1
        closing = reader.partners.get(index, part.last)
        index = closing + 1 if closing < part.last else index + 1
    return [*parts, TokenRange(first, part.last)]


def compose(pieces: list[str | ExpressionSlice], extent: Extent) -> ExpressionSlice:
    """Return one expression composed of pieces; a piece that isn't a slice has its place after the last slice."""
    texts: list[str] = []
    runs: list[tuple[int, int]] = []
    length = 0
    for piece in pieces:
        if isinstance(piece, ExpressionSlice):
            runs.extend((length + start, source) for start, source in piece.runs)
        text = piece if isinstance(piece, str) else piece.text
        texts.append(text)
        length += len(text)
    if not runs or runs[0][0] > 0:
        runs.insert(0, (0, extent[0]))
    return ExpressionSlice("".join(texts), extent, tuple(runs))
