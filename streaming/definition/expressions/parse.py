"""Tokens into the tree, by operator precedence.

Precedence, loosest first: `or`; `and`; `not`; comparisons, `is [not] null`, `[not] in`, `[not] between`,
`[not] like`; `+ - ||`; `* / %`; unary `-`; `.`. Operators of one level group to the left. Chains of `and` and of `or`
are balanced, so their length does not count as nesting.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.expressions.literals import number_literal, timestamp_literal
from streaming.definition.expressions.problems import ExpressionError, bad_expression
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
from streaming.definition.tokens import RESERVED, SqlToken, TokenKind, lex
from streaming.definition.type_names import OURS
from streaming.definition.type_text import TypeTextError, parse_type
from streaming.definition.types import Type

MAX_DEPTH: Final = 100
MAX_CHARACTERS: Final = 10_000
_SHORT: Final = 300
"""The longest text whose tree is remembered; with the number of them it bounds the memory."""

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
    "rlike": "use like, starts_with, ends_with or contains",
    "regexp": "use like, starts_with, ends_with or contains",
    "escape": "escape with a backslash: like '10\\\\%'",
    ".": "write a digit before the point: 0.5",
    "::": "write cast(value as type)",
    "[": "elements of arrays cannot be taken by position here",
    "(": "only a function name can stand before parentheses",
}


def parse(text: str) -> Expression:
    """Read one expression of at most 10,000 characters, nested at most 100 deep.

    Functions, fields and types are checked by `typed`. Raises `ExpressionError`, never anything else. The same short
    text gives the same tree again, which nothing can change: an editor has a whole query checked at each keystroke.
    """
    return _remembered(text) if len(text) <= _SHORT else _parsed(text)


def _parsed(text: str) -> Expression:
    if len(text) > MAX_CHARACTERS:
        raise bad_expression(
            f"The expression has {counted(len(text), 'character')}; at most {MAX_CHARACTERS:,} are read",
            "compute parts of it in a project node before this one",
            MAX_CHARACTERS,
        )
    try:
        return _ExpressionParser(_tokens(text)).whole()
    except RecursionError:  # a caller that is itself deep in the stack
        raise _too_deep(0) from None


def _tokens(text: str) -> tuple[SqlToken, ...]:
    lexed = lex(text)
    if lexed.unclosed:
        message = "The text breaks off inside a quoted string, name or comment"
        raise bad_expression(message, "close the quotation mark or comment", 0)
    return lexed.tokens


def _word(token: SqlToken) -> str:
    """The word or symbol in the one spelling of the tables; empty for anything else."""
    return _SPELLING.get(token.word) or token.word.lower()


def _is_name(token: SqlToken) -> bool:
    return token.kind is TokenKind.QUOTED or (token.kind is TokenKind.WORD and token.word.isascii())


_remembered = lru_cache(maxsize=4096)(_parsed)


def _too_deep(at: int) -> ExpressionError:
    return bad_expression(
        f"The expression is nested more than {MAX_DEPTH} deep",
        "compute parts of it in a project node before this one, or write a long chain of = and or as in (...)",
        at,
    )


class _ExpressionParser:
    """Precedence climbing over one expression's tokens."""

    def __init__(self, tokens: tuple[SqlToken, ...]) -> None:
        self._tokens = tokens
        self._next = 0
        self._groups = 0
        self._operands = 0

    def whole(self) -> Expression:
        tree = self.expression(0)
        if self.peek().kind is not TokenKind.END:
            raise self.unexpected(self.peek())
        if depth(tree) > MAX_DEPTH:
            raise _too_deep(0)
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
            raise self.unexpected(self.peek(), f"write '{word}' there")

    def unexpected(self, token: SqlToken, wanted: str = "") -> ExpressionError:
        found = "The expression ends too early" if token.kind is TokenKind.END else f"Unexpected {token.value[:40]!r}"
        remedy = wanted or _REWRITES.get(_word(token), "write an operator between two values, or remove it")
        return bad_expression(found, remedy, token.start)

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
        """An operand of `power`, one level further down."""
        self._operands += 1
        if self._operands > MAX_DEPTH:
            raise _too_deep(self.peek().start)
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
        raise self.unexpected(token, "write a value there" if token.kind is TokenKind.END else "")

    def string(self, token: SqlToken) -> Expression:
        if self.peek().kind is TokenKind.STRING:
            raise bad_expression(
                "Two quoted strings stand side by side",
                "write a quotation mark inside a string as \\' and join strings with ||",
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
            raise _too_deep(at)
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
            raise self.unexpected(self.peek(), "write 'when' there")
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
            return Call(token.value.lower(), self.arguments(), at=token.start)
        path = [token.value]
        while self.accept("."):
            step = self.take()
            if not _is_name(step):
                raise self.unexpected(step, "write the name of a struct's field after '.'")
            path.append(step.value)
        return Field(tuple(path), at=token.start)

    def arguments(self) -> tuple[Expression, ...]:
        self.expect("(")
        if self.accept(")"):
            return ()
        found = [self.operand(0)]
        while self.accept(","):
            found.append(self.operand(0))
        self.expect(")")
        return tuple(found)


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
