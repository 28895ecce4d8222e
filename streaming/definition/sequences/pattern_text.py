"""The text of a pattern (T29), read by recursive descent.

Loosest first: `|`; parts next to each other; quantifiers; `( )`, `PERMUTE(p, ...)`, `{- p -}`, `ABSENT B FOR d`.
"""

import re
from functools import lru_cache
from typing import Final, NoReturn

from streaming.definition.plain_names import NAME_PATTERN
from streaming.definition.sequences.pattern import (
    MOST_PERMUTED,
    NOTHING,
    Absent,
    Branches,
    Pattern,
    Permute,
    Repeat,
    Sequence,
    Take,
)
from streaming.temporal.ticks import Ticks, TimeTextError, parse_duration

_TOKEN: Final = re.compile(
    r"(?P<space>\s+|--[^\n\r]*|/\*.*?\*/)|(?P<open>\{-)|(?P<close>-\})|(?P<bounds>\{[^{}]*\})"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[+-]?\d[A-Za-z0-9.]*)|(?P<symbol>.)",
    re.DOTALL,
)
_BOUNDS: Final = re.compile(r"\{\s*(\d{0,9})\s*(,?)\s*(\d{0,9})\s*\}", re.ASCII)
_DURATION: Final = re.compile(r"[+-]?(?:P[0-9A-Z.]+|\d+\s*[A-Za-z]*)", re.ASCII)
_NAME: Final = re.compile(NAME_PATTERN)
_WORDS: Final = ("PERMUTE", "ABSENT", "FOR")
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_DEEPEST: Final = 50
_ANCHORS: Final = {"^": "first", "$": "last"}


class PatternTextError(ValueError):
    """A pattern that cannot be read: a message without a full stop, a remedy, and the place in the text."""

    def __init__(self, message: str, remedy: str, at: int) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message, self.remedy, self.at = message, remedy, at


@lru_cache(maxsize=512)
def parse_pattern(text: str) -> Pattern:
    """Return the pattern of `text`. Raises `PatternTextError`."""
    return _PatternParser(text).whole()


class _PatternParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(found.group(), found.start()) for found in _TOKEN.finditer(text) if found.lastgroup != "space"]
        self._tokens.append(("", len(text)))
        self._next = 0
        self._depth = 0
        self._excluded = 0

    def whole(self) -> Pattern:
        pattern = self.branches()
        if self.peek():
            self.unexpected()
        return pattern

    def peek(self) -> str:
        return self._tokens[self._next][0]

    @property
    def at(self) -> int:
        return self._tokens[self._next][1]

    def word(self) -> str:
        """Return the next token if it is a word of the language, in capitals."""
        return self.peek().upper() if self.peek().upper() in _WORDS else ""

    def take(self) -> str:
        token = self.peek()
        self._next += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self._next += 1
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.unexpected(f"write '{token}' here")

    def unexpected(self, remedy: str = "write variables, such as A B+ C") -> NoReturn:
        token, at = self._tokens[self._next]
        if token in _ANCHORS:
            message = f"The anchor '{token}' is not supported: a group never has a settled {_ANCHORS[token]} row"
            raise PatternTextError(message, "remove it", at)
        message = f"Unexpected '{token[:40]}' in the pattern" if token else "The pattern is incomplete"
        raise PatternTextError(message, remedy, at)

    def branches(self) -> Pattern:
        self._depth += 1
        if self._depth > _DEEPEST:
            message = f"The pattern is nested more than {_DEEPEST} levels deep"
            raise PatternTextError(message, "write it with fewer parentheses", self.at)
        parts = [self.sequence()]
        while self.accept("|"):
            parts.append(self.sequence())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Branches(tuple(parts))

    def sequence(self) -> Pattern:
        parts = [self.quantified()]
        while self.peek() not in ("", "|", ")", ",", "-}"):
            parts.append(self.quantified())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def quantified(self) -> Pattern:
        part = self.primary()
        at, token = self.at, self.peek()
        if token in _QUANTIFIERS:
            least, most = _QUANTIFIERS[token]
        elif token.startswith("{") and token != "{-":  # nosec B105 # a symbol of a pattern, no password
            least, most = self.bounds(token, at)
        else:
            return part
        self.take()
        return Repeat(part, least, most, reluctant=self.accept("?"))

    def bounds(self, token: str, at: int) -> tuple[int, int | None]:
        found = _BOUNDS.fullmatch(token)
        if found is None or not (found.group(1) or found.group(3)):
            raise PatternTextError(f"'{token[:40]}' is not a quantifier", "write {n}, {n,}, {n,m} or {,m}", at)
        low, comma, high = found.groups()
        least = int(low or 0)
        most = int(high) if high else None if comma else least
        if not comma and high:
            raise PatternTextError(f"'{token[:40]}' is not a quantifier", "write {n}, {n,}, {n,m} or {,m}", at)
        if most == 0:
            raise PatternTextError(f"'{token}' allows no row at all", "write a number above zero, or leave it out", at)
        if most is not None and most < least:
            raise PatternTextError(f"The bounds of '{token}' are in the wrong order", f"write {{{most},{least}}}", at)
        return least, most

    def primary(self) -> Pattern:
        if self.word() == "PERMUTE":
            return self.permute()
        if self.word() == "ABSENT":
            return self.absent()
        if self.accept("("):
            if self.accept(")"):
                return NOTHING
            pattern = self.branches()
            self.expect(")")
            return pattern
        if self.accept("{-"):
            self._excluded += 1
            pattern = self.branches()
            self._excluded -= 1
            self.expect("-}")
            return pattern
        at = self.at
        return Take(self.variable(), self._excluded > 0, at)

    def variable(self) -> str:
        if self.word() or not _NAME.match(self.peek()):
            self.unexpected()
        return self.take()

    def permute(self) -> Pattern:
        at = self.at
        self.take()
        self.expect("(")
        parts = [self.branches()]
        while self.accept(","):
            parts.append(self.branches())
        self.expect(")")
        if len(parts) > MOST_PERMUTED:
            message = f"PERMUTE has {len(parts)} parts; at most {MOST_PERMUTED} are allowed"
            raise PatternTextError(message, "write the orders that can occur as alternatives, with |", at)
        return parts[0] if len(parts) == 1 else Permute(tuple(parts))

    def absent(self) -> Pattern:
        at = self.at
        self.take()
        variable = self.variable()
        if self.word() != "FOR":
            self.unexpected("write ABSENT B FOR 15m")
        self.take()
        return Absent(variable, self.duration(), at)

    def duration(self) -> Ticks:
        at = self.at
        found = _DURATION.match(self._text, at)
        text = found.group() if found else self.peek()
        try:
            duration = parse_duration(text)
        except TimeTextError:
            message = f"'{text[:40]}' is not a duration with a unit"
            raise PatternTextError(message, "write for example ABSENT B FOR 15m", at) from None
        while self.at < at + len(text):
            self.take()
        return duration
