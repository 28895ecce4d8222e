"""Parser from tokens to the tree, by operator precedence.

Precedence, loosest first: `or`; `and`; `not`; comparisons, `is [not] null`, `[not] in`, `[not] between`,
`[not] like`; `+ - ||`; `* / %`; unary `-`; `.`. Operators of one level group to the left. Chains of `and` and of `or`
are balanced, so their length does not count as nesting.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from streaming.definition.expressions.literals import number_literal, timestamp_literal
from streaming.definition.expressions.lost_backslashes import check_backslashes
from streaming.definition.expressions.problems import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    ExpressionError,
    bad_expression,
    too_deep,
    too_long,
)
from streaming.definition.expressions.tree import (
    BetweenTest,
    Binary,
    Call,
    CaseWhen,
    Cast,
    Expression,
    Field,
    In,
    IsNull,
    Like,
    Literal,
    Unary,
    depth,
)
from streaming.definition.payload.type_names import OURS
from streaming.definition.payload.type_text import TypeTextError, parse_type
from streaming.definition.payload.types import Type
from streaming.definition.tokens import RESERVED, SqlToken, TokenKind, lex

_SHORT: Final = 300
"""The longest text whose tree is cached; together with the size of the cache it bounds the memory."""

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _NEGATE = range(1, 8)
_POWER: Final = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "<=>", "is", "in", "between", "like"), _COMPARE),
    **dict.fromkeys(("+", "-", "||"), _ADD),
    **dict.fromkeys(("*", "/", "%"), _MULTIPLY),
}
_SPELLING: Final = {"==": "=", "<>": "!=", "!": "not"}
_REWRITES: Final = {
    "div": "write floor(a / b)",
    "ilike": "write lower(a) like 'pattern in lower case'",
    **dict.fromkeys(("rlike", "regexp"), "write regexp_like(text, 'pattern')"),
    "escape": "escape with a backslash: like '10\\\\%'",
    ".": "write a digit before the point: 0.5",
    "::": "write cast(value as type)",
    "[": "the elements of an array cannot be read by position",
    "(": "only the name of a function is allowed before a parenthesis",
}


def parse(text: str) -> Expression:
    """Read one expression of at most 10,000 characters, nested at most 100 levels deep.

    `typed` checks functions, fields and types. Raises `ExpressionError`, never anything else. Trees of short texts are
    cached, because an editor checks a whole query at each keystroke; trees are immutable.
    """
    return _parse_short(text) if len(text) <= _SHORT else _parse_text(text)


def _parse_text(text: str, *, over_rows: bool = False) -> Expression:
    if len(text) > MAX_CHARACTERS:
        raise too_long(len(text))
    try:
        parser = _RowsExpressionParser if over_rows else _ExpressionParser
        return parser(_tokens(text), text).whole()
    except RecursionError:  # a caller that is itself deep in the stack
        raise too_deep(0) from None


def _tokens(text: str) -> tuple[SqlToken, ...]:
    lexed = lex(text)
    if lexed.unclosed:
        message = "The text breaks off inside a quoted string, name or comment"
        raise bad_expression(message, "close the quotation mark or comment", 0)
    return lexed.tokens


def _word(token: SqlToken) -> str:
    """Return the word or symbol in the spelling of the tables; empty for anything else."""
    return _SPELLING.get(token.word) or token.word.lower()


def _is_name(token: SqlToken) -> bool:
    return token.kind is TokenKind.QUOTED or (token.kind is TokenKind.WORD and token.word.isascii())


_parse_short = lru_cache(maxsize=4096)(_parse_text)


def parse_over_rows(text: str) -> Expression:
    """Read an expression of DEFINE or MEASURES: as `parse`, and with `COUNT(*)`, `A.*` and FINAL or RUNNING (T30).

    The tree holds `COUNT(*)` as a call without arguments, `A.*` as a field named `*`, and FINAL and RUNNING as calls
    of one argument; `sequences.row_calls` checks where they are.
    """
    return _parse_text_over_rows(text)


class _ExpressionParser:
    """Precedence-climbing parser over the tokens of one expression."""

    def __init__(self, tokens: tuple[SqlToken, ...], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self._next = 0
        self._groups = 0
        self._operands = 0

    def whole(self) -> Expression:
        tree = self.expression(0)
        if self.peek().kind is not TokenKind.END:
            raise self.unexpected(self.peek())
        if depth(tree) > MAX_DEPTH:
            raise too_deep(0)
        return tree

    # Tokens

    def peek(self, ahead: int = 0) -> SqlToken:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def take(self) -> SqlToken:
        token = self.peek()
        self._next += 1
        return token

    def accept(self, word: str) -> bool:
        if _word(self.peek()) != word:
            return False
        self._next += 1
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise self.unexpected(self.peek(), f"write '{word}' here")

    def unexpected(self, token: SqlToken, wanted: str = "") -> ExpressionError:
        at_end = token.kind is TokenKind.END
        message = "The expression is incomplete" if at_end else f"Unexpected {token.value[:40]!r}"
        remedy = wanted or _REWRITES.get(_word(token), "write an operator between two values, or remove it")
        return bad_expression(message, remedy, token.start)

    # Operators

    def expression(self, power: int) -> Expression:
        left = self.prefix()
        while True:
            token = self.peek()
            word, negated = _word(token), False
            if word == "not" and _word(self.peek(1)) in ("in", "between", "like"):
                word, negated = _word(self.peek(1)), True
            strength = _POWER.get(word, 0)
            if strength <= power:
                return left
            self._next += 2 if negated else 1
            left = self.infix(left, word, token.start)
            if negated:
                left = Unary("not", left, at=token.start)

    def operand(self, power: int) -> Expression:
        """Parse an operand of `power`, one level deeper."""
        self._operands += 1
        if self._operands > MAX_DEPTH:
            raise too_deep(self.peek().start)
        node = self.expression(power)
        self._operands -= 1
        return node

    def infix(self, left: Expression, word: str, at: int) -> Expression:
        if word in ("and", "or"):
            return self.chain(left, word, at)
        special = _INFIX.get(word)
        if special is not None:
            return special(self, left, at)
        right = self.operand(_POWER[word])
        if word == "||":
            joined = left.arguments if isinstance(left, Call) and left.function == "concat" else (left,)
            return Call("concat", (*joined, right), at=at)
        return Binary(word, left, right, at=at)

    def chain(self, left: Expression, word: str, at: int) -> Expression:
        operands: list[Expression] = [left, self.operand(_POWER[word])]
        while self.accept(word):
            operands.append(self.operand(_POWER[word]))
        while len(operands) > 1:
            pairs = zip(operands[::2], operands[1::2], strict=False)
            odd = operands[-1:] if len(operands) % 2 else []
            operands = [*(Binary(word, first, second, at=at) for first, second in pairs), *odd]
        return operands[0]

    def is_null(self, left: Expression, at: int) -> Expression:
        negated = self.accept("not")
        if not self.accept("null"):
            raise self.unexpected(self.peek(), "only is null and is not null exist; compare with = or <=>")
        test = IsNull(left, at=at)
        return Unary("not", test, at=at) if negated else test

    def in_list(self, left: Expression, at: int) -> Expression:
        return In(left, self.arguments(), at=at)

    def between(self, left: Expression, at: int) -> Expression:
        low = self.operand(_COMPARE)
        self.expect("and")
        return BetweenTest(left, low, self.operand(_COMPARE), at=at)

    def like(self, left: Expression, at: int) -> Expression:
        pattern = self.take()
        if pattern.kind is not TokenKind.STRING:
            raise self.unexpected(pattern, "write the pattern of like as a quoted string")
        if _word(self.peek()) == "escape":
            raise self.unexpected(self.peek())
        return Like(left, pattern.value, at=at)

    # Values

    def prefix(self) -> Expression:
        token = self.take()
        if token.kind is TokenKind.NUMBER:
            return number_literal(token.value, token.start)
        if token.kind is TokenKind.STRING:
            return self.string(token)
        if _word(token) in _PREFIX:
            return _PREFIX[_word(token)](self, token.start)
        if _is_name(token) and _word(token) not in RESERVED:
            return self.named(token)
        raise self.unexpected(token, "write a value here" if token.kind is TokenKind.END else "")

    def string(self, token: SqlToken) -> Expression:
        if self.peek().kind is TokenKind.STRING:
            raise bad_expression(
                "Two quoted strings follow each other",
                "write \\' for a quotation mark inside a string, and join strings with ||",
                self.peek().start,
            )
        return Literal(token.value, at=token.start)

    def negative(self, at: int) -> Expression:
        if self.peek().kind is TokenKind.NUMBER:
            return number_literal("-" + self.take().value, at)
        return Unary("-", self.operand(_NEGATE), at=at)

    def positive(self, _: int) -> Expression:
        return self.operand(_NEGATE)

    def negation(self, at: int) -> Expression:
        return Unary("not", self.operand(_NOT), at=at)

    def parenthesis(self, at: int) -> Expression:
        self._groups += 1
        if self._groups > MAX_DEPTH:
            raise too_deep(at)
        node = self.expression(0)
        self._groups -= 1
        self.expect(")")
        return node

    def case(self, at: int) -> Expression:
        subject = None if _word(self.peek()) == "when" else self.operand(0)
        branches: list[tuple[Expression, Expression]] = []
        while self.accept("when"):
            condition = self.operand(0)
            if subject is not None:
                condition = Binary("=", subject, condition, at=at)
            self.expect("then")
            branches.append((condition, self.operand(0)))
        if not branches:
            raise self.unexpected(self.peek(), "write 'when' here")
        otherwise = self.operand(0) if self.accept("else") else Literal(None, at=at)
        self.expect("end")
        return CaseWhen(tuple(branches), otherwise, at=at)

    def cast(self, at: int) -> Expression:
        self.expect("(")
        node = self.operand(0)
        self.expect("as")
        to = self.type_name()
        self.expect(")")
        return Cast(node, to, at=at)

    def type_name(self) -> Type:
        first = self.take()
        text = OURS.get(_word(first), _word(first))
        if text == "decimal" and _word(self.peek()) == "(":
            while _word(token := self.take()) != ")":
                if token.kind is TokenKind.END:
                    raise self.unexpected(token, "write decimal(precision, scale)")
                text += token.value
            text += ")"
        try:
            return parse_type(text)
        except TypeTextError:
            raise bad_expression(
                f"{(text or first.value)[:40]!r} is not a type to cast to",
                "cast to long, double, decimal(p,s), string, boolean or timestamp",
                first.start,
            ) from None

    def named(self, token: SqlToken) -> Expression:
        if _word(token) == "timestamp" and self.peek().kind is TokenKind.STRING:
            return timestamp_literal(self.take().value, token.start)
        if _word(self.peek()) == "(":
            return self.call(token)
        path = [token.value]
        while self.accept("."):
            step = self.take()
            if not _is_name(step):
                raise self.unexpected(step, "write the name of a struct's field after '.'")
            path.append(step.value)
        return Field(tuple(path), at=token.start)

    def call(self, token: SqlToken) -> Expression:
        function, first = token.value.lower(), self._next
        if function == "position" or (function == "extract" and _word(self.peek(2)) == "from"):
            return Call(function, self.pair(function), at=token.start)
        arguments = self.arguments()
        check_backslashes(function, self._text, self._tokens[first : self._next])
        return Call(function, arguments, at=token.start)

    def pair(self, function: str) -> tuple[Expression, Expression]:
        """Parse `(part in text)` or `(part, text)` of position, `(part from time)` of extract."""
        self.expect("(")
        if function == "position":
            part = self.operand(_COMPARE)
            self.expect("in" if _word(self.peek()) == "in" else ",")
        else:
            part = Literal(_word(self.peek()), at=self.take().start)
            self.expect("from")
        whole = self.operand(0)
        self.expect(")")
        return part, whole

    def arguments(self) -> tuple[Expression, ...]:
        self.expect("(")
        if self.accept(")"):
            return ()
        arguments = [self.operand(0)]
        while self.accept(","):
            arguments.append(self.operand(0))
        self.expect(")")
        return tuple(arguments)


class _RowsExpressionParser(_ExpressionParser):
    """Adds the forms of calls over the rows of a path."""

    def named(self, token: SqlToken) -> Expression:
        called = self.peek().kind is TokenKind.WORD and _word(self.peek(1)) == "("
        if _word(token) in ("final", "running") and called:
            return Call(_word(token), (self.named(self.take()),), at=token.start)
        if _word(self.peek()) == "." and _word(self.peek(1)) == "*":
            self._next += 2
            return Field((token.value, "*"), at=token.start)
        return super().named(token)

    def arguments(self) -> tuple[Expression, ...]:
        if [_word(self.peek(ahead)) for ahead in range(3)] == ["(", "*", ")"]:
            self._next += 3
            return ()
        return super().arguments()


@lru_cache(maxsize=1024)
def _parse_text_over_rows(text: str) -> Expression:
    return _parse_text(text, over_rows=True)


_Prefix = Callable[[_ExpressionParser, int], Expression]
_Infix = Callable[[_ExpressionParser, Expression, int], Expression]
_PREFIX: Final[dict[str, _Prefix]] = {
    "-": _ExpressionParser.negative,
    "+": _ExpressionParser.positive,
    "not": _ExpressionParser.negation,
    "(": _ExpressionParser.parenthesis,
    "case": _ExpressionParser.case,
    "cast": _ExpressionParser.cast,
    "null": lambda _, at: Literal(None, at=at),
    "true": lambda _, at: Literal(True, at=at),
    "false": lambda _, at: Literal(False, at=at),
}
_INFIX: Final[dict[str, _Infix]] = {
    "is": _ExpressionParser.is_null,
    "in": _ExpressionParser.in_list,
    "between": _ExpressionParser.between,
    "like": _ExpressionParser.like,
}
