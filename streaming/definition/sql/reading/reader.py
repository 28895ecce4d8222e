"""Reading of a text token by token, with the place of every value."""

import re
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from streaming.definition.faults import FaultCode
from streaming.definition.plain_names import NAME_PATTERN
from streaming.definition.sql.grammar.words import clause_at, near
from streaming.definition.sql.problems import TextProblem, over
from streaming.definition.tokens import Extent, LexedText, SqlToken, TokenKind

T_co = TypeVar("T_co", covariant=True)
_NAME: Final = re.compile(NAME_PATTERN)
WHOLE: Final = re.compile(r"[+-]?\s*\d{1,4000}", re.ASCII)
ANY_WHOLE: Final = 10**1000
"""No bound: the check of types tests that a number fits its field."""
NAME_RULE: Final = (
    "A name starts with a letter or underscore; up to 62 letters, digits or underscores follow, all of them ASCII."
)


@dataclass(frozen=True, slots=True)
class ValueAt(Generic[T_co]):
    """A value and its place."""

    value: T_co
    extent: Extent


@dataclass(frozen=True, slots=True)
class TokenRange:
    """The tokens `[first, last)` of an expression that is cut out but not parsed here."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first < self.last


class Reader:
    """The tokens of one text, the current position `at`, and the recorded `problems`; `end` ends the statement.

    `renamed` holds, by the token of its source's name, the new name of each field that differs in the graph.
    """

    def __init__(self, lexed: LexedText) -> None:
        self.text = lexed.text
        self.tokens = lexed.tokens
        self.partners = lexed.partners
        self.problems = [TextProblem(each.opening, each.message, each.remedy) for each in lexed.unclosed]
        self.at = 0
        self.end = len(lexed.tokens) - 1
        self.depth = 0
        self.renamed: dict[int, str] = {}

    # Peeking

    def peek(self, ahead: int = 0) -> SqlToken:
        """Return the token `ahead` of this one; after the end of the statement, a token without a word."""
        index = self.at + ahead
        if index < self.end:
            return self.tokens[index]
        return SqlToken(TokenKind.END, "", "", self.tokens[self.end].start, self.tokens[self.end].start)

    def word(self, ahead: int = 0) -> str:
        """Return the upper-case word or the symbol there; empty for anything else."""
        index = self.at + ahead
        return self.tokens[index].word if index < self.end else ""

    def next_are(self, *words: str) -> bool:
        """Return whether these words are next."""
        return all(self.word(ahead) == word for ahead, word in enumerate(words))

    def here(self) -> Extent:
        """Return the extent for a problem at this place: the next token; at the end of a statement, the last one."""
        if self.at < self.end:
            return self.tokens[self.at].extent
        return self.tokens[max(self.at - 1, 0)].extent

    def since(self, first: int) -> Extent:
        """Return the extent from the token `first` to the last one that was read."""
        last = max(self.at - 1, first)
        return self.tokens[first].start, self.tokens[last].end

    def covered(self, part: TokenRange) -> Extent:
        """Return the extent of a part."""
        if not part:
            return self.here()
        return self.tokens[part.first].start, self.tokens[part.last - 1].end

    def describe_next(self, *, capital: bool = False) -> str:
        """Return the name of the next token in a message; `capital`: for the start of a sentence."""
        token = self.peek()
        if token.kind is TokenKind.END:
            return f"{'The' if capital else 'the'} end of the statement"
        return f"`{self.text[token.start : token.end][:40]}`"

    # Reading

    def take(self) -> SqlToken:
        """Return the next token and move past it, but not past the end of the statement."""
        token = self.peek()
        self.at = min(self.at + 1, self.end)
        return token

    def opens(self, ahead: int = 0) -> bool:
        """Return whether a parenthesis is there that closes before `end`."""
        return self.partners.get(self.at + ahead, self.end) < self.end

    def skip(self) -> None:
        """Skip the next token, or a whole parenthesis."""
        self.at = (self.partners[self.at] if self.opens() else self.at) + 1

    def skip_clause(self) -> None:
        """Skip to the next clause."""
        while self.at < self.end and self.word() != ")" and not clause_at(self.tokens, self.at):
            self.skip()

    def accept(self, *words: str) -> Extent | None:
        """Read these words if they are next, and return their extent."""
        if not self.next_are(*words):
            return None
        first = self.at
        self.at += len(words)
        return self.since(first)

    # Problems

    def problem(
        self, extent: Extent, message: str, remedy: str, code: FaultCode = FaultCode.BAD_SQL, node: str | None = None
    ) -> None:
        """Record a problem."""
        self.problems.append(TextProblem(extent, message, remedy, code, node))

    def missing(self, what: str, remedy: str) -> None:
        """Record that `what` is missing here."""
        self.problem(self.here(), f"{what} is missing: found {self.describe_next()} instead.", remedy)

    def expect(self, word: str, remedy: str) -> bool:
        """Read `word`, or record that it is missing."""
        if self.accept(word):
            return True
        self.problem(self.here(), f"Expected `{word}`, found {self.describe_next()}.", remedy)
        return False

    def keyword(self, words: tuple[str, ...], what: str, ahead: int = 0) -> str | None:
        """Read one of `words`, or a similar word with a recorded problem; None if none is similar."""
        token = self.peek(ahead)
        if token.word in words:
            self.at += ahead + 1
            return token.word
        listed = ", ".join(words)
        guess = near(token.value, words) if token.kind is TokenKind.WORD else None
        remedy = f"Did you mean {guess}?" if guess else f"Write one of {listed}."
        at_end = self.peek().kind is TokenKind.END
        message = f"The {what} is missing." if at_end else f"Unknown {what} {self.describe_next()}."
        self.problem(self.here(), message, remedy)
        if guess:
            self.at += ahead + 1
        return guess

    # Names

    def at_name(self, ahead: int = 0) -> bool:
        """Return whether a name can be there: a word that does not start a clause, or anything in backticks."""
        token = self.peek(ahead)
        if token.kind is TokenKind.QUOTED:
            return True
        if token.kind is not TokenKind.WORD or token.word in ("BY", "TO"):
            return False
        return not clause_at(self.tokens, self.at + ahead)

    def name(self, what: str, example: str) -> ValueAt[str] | None:
        """Read a name; None, and a recorded problem, without one. Nearly valid names are corrected and reported."""
        first, token = self.at, self.peek()
        if self.at_name():
            self.take()
            return self._whole_name(first, token.value, what)
        if token.kind is TokenKind.STRING:
            self.take()
            self.problem(token.extent, f"{what} is in quotation marks.", f"Write it without them: {example}.")
            return ValueAt(token.value, token.extent) if _NAME.match(token.value) else None
        if token.word in ("<", "$", "@", "{"):
            return self._placeholder(example)
        if token.kind is TokenKind.NUMBER:
            self.take()
            self._whole_name(first, token.value, what)
            return None
        self.missing(what, f"Write {example}.")
        return None

    def quoted(self, what: str, remedy: str) -> ValueAt[str] | None:
        """Read the quoted text that is next; None, and a recorded problem about `what`, without one."""
        token = self.peek()
        if token.kind is not TokenKind.STRING:
            self.missing(what, remedy)
            if token.kind is TokenKind.WORD and self.at_name():
                self.take()
            return None
        self.take()
        return ValueAt(token.value, token.extent)

    def _whole_name(self, first: int, value: str, what: str) -> ValueAt[str] | None:
        """Return the name that starts at the token `first`; hyphens become underscores and are reported."""
        parts = [value]
        while (
            self.word() == "-"
            and self._joined()
            and self._joined(1)
            and self.peek(1).kind in (TokenKind.WORD, TokenKind.NUMBER)
        ):
            self.take()
            parts.append(self.take().value)
        while self.word() == "." and self.peek(1).kind in (TokenKind.WORD, TokenKind.QUOTED):
            self.take()
            last = self.take().value
            if self.word() != ".":
                remedy = f"Write only the name: {last}."
                self.problem(self.since(first), f"{what} must be a single name without a point.", remedy)
        extent = self.since(first)
        if len(parts) > 1:
            joined = "_".join(parts)
            message = f"`{'-'.join(parts)}` has a hyphen, which is a minus sign here."
            self.problem(extent, message, f"Use only letters, digits and underscores: {joined}.")
            return ValueAt(joined, extent) if _NAME.match(joined) else None
        if not _NAME.match(value):
            self.problem(extent, f"{what} cannot be `{value[:80]}`.", NAME_RULE)
            return None
        return ValueAt(value, extent)

    def _joined(self, ahead: int = 0) -> bool:
        """Return whether there is no space before that token."""
        index = self.at + ahead
        return 0 < index < self.end and self.tokens[index].start == self.tokens[index - 1].end

    def _at(self, index: int, symbol: str) -> bool:
        return bool(symbol) and self.tokens[index].word == symbol

    def _placeholder(self, example: str) -> ValueAt[str] | None:
        first = self.at
        opening = self.take().word
        if opening == "$" and self.accept("{"):
            opening = "{"
        inner = self.peek().value if self.peek().kind in (TokenKind.WORD, TokenKind.QUOTED) else ""
        closing = {"<": ">", "{": "}"}.get(opening, "")
        end = next((index for index in range(self.at, min(self.at + 9, self.end)) if self._at(index, closing)), None)
        if end is not None:
            inner = inner if end == self.at + 1 else ""
            self.at = end + 1
        elif inner:
            self.take()
        written = self.text[slice(*self.since(first))]
        message = f"`{written[:80]}` is a placeholder for a name."
        self.problem(self.since(first), message, f"Write only the name: {inner or example}.")
        return ValueAt(inner, self.since(first)) if inner and _NAME.match(inner) else None


def take_whole(reader: Reader, what: str, least: int, most: int) -> ValueAt[int] | None:
    """Read a whole number from `least` to `most`; None, and a recorded problem, for anything else."""
    token = reader.peek()
    if token.kind is not TokenKind.NUMBER and not (token.word == "-" and reader.peek(1).kind is TokenKind.NUMBER):
        reader.missing(what, "Write a whole number.")
        return None
    reader.take()
    extent = token.extent if token.kind is TokenKind.NUMBER else over(token.extent, reader.take().extent)
    written = reader.text[extent[0] : extent[1]]
    if not WHOLE.fullmatch(written) or not least <= int(re.sub(r"\s", "", written)) <= most:
        remedy = "Write a whole number." if most == ANY_WHOLE else f"Write a whole number from {least} to {most}."
        reader.problem(extent, f"{what} cannot be `{written[:60]}`.", remedy)
        return None
    return ValueAt(int(re.sub(r"\s", "", written)), extent)


def take_fraction(reader: Reader, what: str) -> ValueAt[float] | None:
    """Read a number from 0 to 1; None, and a recorded problem, for anything else."""
    first = reader.at
    if reader.word() in ("-", "."):
        reader.take()
    if reader.peek().kind is not TokenKind.NUMBER:
        reader.missing(what, "Write for example 0.95.")
        return None
    reader.take()
    if reader.word() == "-" and reader.text[reader.peek().start - 1] in "eE":  # the exponent of 1e-05
        reader.take()
        reader.take()
    extent = reader.since(first)
    written = reader.text[extent[0] : extent[1]]
    try:
        value = float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        reader.problem(extent, f"{what} cannot be `{written[:60]}`.", "Write a number from 0 to 1, such as 0.95.")
        return None
    return ValueAt(value, extent)
