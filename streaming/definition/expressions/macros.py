"""Macros: functions of a query over the expression language, expanded where they are called (T59)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from streaming.definition.counts import counted
from streaming.definition.expressions.problems import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    ExpressionError,
    ExpressionFault,
    bad_expression,
)
from streaming.definition.expressions.tree import WIDEN
from streaming.definition.faults import FaultCode
from streaming.definition.tokens import RESERVED, SqlToken, TokenKind, lex


class MacroArgument(Protocol):
    """An argument of a macro."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def type(self) -> str:
        """Return its type as text."""


class Macro(Protocol):
    """A macro: the expression `body` over its arguments."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def arguments(self) -> Sequence[MacroArgument]:
        """Return its arguments, in the order of a call."""

    @property
    def returns(self) -> str:
        """Return the type of its result as text."""

    @property
    def body(self) -> str:
        """Return the expression over the arguments."""


@dataclass(frozen=True)
class ExpandedText:
    """An expression without calls of macros; `places` are offsets in it, each with the offset in the original text."""

    text: str
    places: tuple[tuple[int, int], ...] = ()

    def origin(self, at: int) -> int:
        """Return the offset in the original text of the part at `at`; inside of a macro, that of its call."""
        return at if not self.places else max(place for place in self.places if place[0] <= at)[1]

    def original(self, fault: ExpressionFault) -> ExpressionFault:
        """Return a fault of this text at its place in the original text."""
        return replace(fault, at=self.origin(fault.at))


Part = tuple[str, int]
"""The text of a token, and its offset in the original text."""


@dataclass(frozen=True)
class _Within:
    """The macros whose bodies are being expanded, and the number of calls around the part."""

    names: frozenset[str] = frozenset()
    depth: int = 0


@dataclass(frozen=True)
class Macros:
    """The macros of a query, by name in lower case; `broken` have errors. Texts are in the bodies of those `within`."""

    by_name: Mapping[str, Macro] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()

    @classmethod
    def of(cls, macros: Iterable[Macro]) -> "Macros":
        """Return `macros`; the first of a name counts."""
        by_name: dict[str, Macro] = {}
        for macro in macros:
            by_name.setdefault(macro.name.lower(), macro)
        return cls(by_name)

    def called(self, text: str) -> frozenset[str]:
        """Return the names, in lower case, of the macros that `text` calls directly."""
        tokens = lex(text).tokens
        names = {_called_at(tokens, at) for at in range(len(tokens))}
        return frozenset(name for name in names if name in self.by_name or name in self.broken)

    def expand(self, text: str) -> ExpandedText:
        """Return `text` without calls: arguments and results are widened to the declared types.

        Raises `ExpressionError` for a wrong number of arguments, recursion, or a result that is too long.
        """
        if not self.by_name or not self.called(text):
            return ExpandedText(text)
        tokens = lex(text).tokens[:-1]
        parts = self._expanded(
            tokens, [[(text[token.start : token.end], token.start)] for token in tokens], _Within(self.within)
        )
        places, length = [], 0
        for word, origin in parts:
            places.append((length, origin))
            length += len(word) + 1
        return ExpandedText(" ".join(word for word, _ in parts), tuple(places))

    def _macro_at(self, tokens: Sequence[SqlToken], at: int) -> Macro | None:
        return self.by_name.get(_called_at(tokens, at))

    def _expanded(self, tokens: Sequence[SqlToken], texts: Sequence[list[Part]], within: _Within) -> list[Part]:
        """Return the parts of an expression without calls; `texts` are those of each of `tokens`."""
        parts: list[Part] = []
        at = 0
        while at < len(tokens):
            macro, place = self._macro_at(tokens, at), texts[at][0][1]
            end = None if macro is None else _closing(tokens, at + 1)
            if macro is None or end is None:
                parts += texts[at]
                at += 1
                continue
            if within.depth >= MAX_DEPTH:
                remedy = "use fewer calls inside of each other"
                raise bad_expression(f"The expression is nested more than {MAX_DEPTH} levels deep", remedy, place)
            inner = replace(within, depth=within.depth + 1)
            arguments = [
                self._expanded(tokens[first:last], texts[first:last], inner)
                for first, last in _arguments(tokens, at + 2, end)
            ]
            parts += self._body(macro, arguments, place, inner)
            if sum(len(word) + 1 for word, _ in parts) > MAX_CHARACTERS:
                message = f"The expression is longer than {MAX_CHARACTERS} characters when its functions are expanded"
                raise bad_expression(message, "compute a part of it in a step before", place)
            at = end + 1
        return parts

    def _body(self, macro: Macro, arguments: Sequence[list[Part]], place: int, within: _Within) -> list[Part]:
        """Return the body of a call at `place` with its arguments."""
        if macro.name.lower() in within.names:
            remedy = "remove the call: a function can't call itself, not even through another one"
            raise bad_expression(f"The function {macro.name!r} calls itself", remedy, place)
        if len(arguments) != len(macro.arguments):
            code = FaultCode.MISSING_ARGUMENT if len(arguments) < len(macro.arguments) else FaultCode.TYPE_MISMATCH
            message = f"{macro.name} cannot be called with {counted(len(arguments), 'argument')}"
            raise ExpressionError(ExpressionFault(code, message, f"write {signature(macro)}", place))
        wide = {
            argument.name: _widened(parts, argument.type, place)
            for argument, parts in zip(macro.arguments, arguments, strict=True)
        }
        tokens = lex(macro.body).tokens[:-1]
        texts = [
            wide[token.value] if is_argument(tokens, at, wide) else [(macro.body[token.start : token.end], place)]
            for at, token in enumerate(tokens)
        ]
        inner = replace(within, names=within.names | {macro.name.lower()})
        return _widened(self._expanded(tokens, texts, inner), macro.returns, place)


NO_MACROS: Final = Macros()


def signature(macro: Macro) -> str:
    """Return the name of a macro with its arguments and types."""
    arguments = ", ".join(f"{each.name} {each.type}" for each in macro.arguments)
    return f"{macro.name}({arguments})"


def is_argument(tokens: Sequence[SqlToken], at: int, names: Collection[str]) -> bool:
    """Return whether the token at `at` of a body is one of the arguments `names`."""
    token = tokens[at]
    before = tokens[at - 1].word if at else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.value not in names or before in (".", "AS") or (after is not None and after.word == "("):
        return False
    if token.kind is TokenKind.QUOTED:
        return True
    is_moment = after is not None and after.kind is TokenKind.STRING
    return token.kind is TokenKind.WORD and token.value.lower() not in RESERVED and not is_moment


def _called_at(tokens: Sequence[SqlToken], at: int) -> str:
    """Return the name of the function that is called at a token, in lower case; empty if none is."""
    is_name = tokens[at].kind in (TokenKind.WORD, TokenKind.QUOTED) and (not at or tokens[at - 1].word != ".")
    return tokens[at].value.lower() if is_name and at + 1 < len(tokens) and tokens[at + 1].word == "(" else ""


def _widened(parts: list[Part], to: str, place: int) -> list[Part]:
    return [(f"{WIDEN}(", place), *parts, (f", '{to}')", place)]


def _closing(tokens: Sequence[SqlToken], opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].word == "(") - (tokens[at].word == ")")
        if depth == 0:
            return at
    return None


def _arguments(tokens: Sequence[SqlToken], first: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last token (exclusive) of each argument between parentheses."""
    depth, start = 0, first
    for at in range(first, end):
        depth += (tokens[at].word == "(") - (tokens[at].word == ")")
        if tokens[at].word == "," and depth == 0:
            yield start, at
            start = at + 1
    if start < end or start > first:
        yield start, end
