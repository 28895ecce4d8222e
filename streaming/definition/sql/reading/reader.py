"""Reading a text word by word, without ever losing the place."""

import re
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from streaming.definition.faults import FaultCode
from streaming.definition.sql.grammar.words import clause_at, near
from streaming.definition.sql.problems import TextProblem
from streaming.definition.tokens import NAME_PATTERN, Extent, LexedText, SqlToken, TokenKind

T_co = TypeVar("T_co", covariant=True)
_NAME: Final = re.compile(NAME_PATTERN)
NAME_RULE: Final = "Begin with a letter or underscore, then up to 62 letters, digits or underscores, all of them ASCII."


@dataclass(frozen=True, slots=True)
class ValueAt(Generic[T_co]):
    """A value and where it stands."""

    value: T_co
    extent: Extent


@dataclass(frozen=True, slots=True)
class TokenRange:
    """The tokens `[first, last)`: an expression that is cut out, and not read here."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first < self.last


class Reader:
    """The tokens of one text, the place `at` where it is read, and the `problems` found; `end` ends the statement.

    `renamed` has by the token of its source's name each field that is called otherwise in the graph, as an expression.
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

    # Looking

    def peek(self, ahead: int = 0) -> SqlToken:
        """The token `ahead` of this one; at the end of the statement a token without a word."""
        index = self.at + ahead
        if index < self.end:
            return self.tokens[index]
        return SqlToken(TokenKind.END, "", "", self.tokens[self.end].start, self.tokens[self.end].start)

    def word(self, ahead: int = 0) -> str:
        """The upper-case word or the symbol there, empty for anything else."""
        index = self.at + ahead
        return self.tokens[index].word if index < self.end else ""

    def next_are(self, *words: str) -> bool:
        """Whether the next words are these."""
        return all(self.word(ahead) == word for ahead, word in enumerate(words))

    def here(self) -> Extent:
        """What a fault at this place marks: the next token, at the end of a statement the last one before it."""
        if self.at < self.end:
            return self.tokens[self.at].extent
        return self.tokens[max(self.at - 1, 0)].extent

    def since(self, first: int) -> Extent:
        """From the token `first` to the last one that was taken."""
        last = max(self.at - 1, first)
        return self.tokens[first].start, self.tokens[last].end

    def covered(self, part: TokenRange) -> Extent:
        """Where the tokens of a part stand."""
        if not part:
            return self.here()
        return self.tokens[part.first].start, self.tokens[part.last - 1].end

    def shown(self) -> str:
        """The next token as a message names it."""
        token = self.peek()
        if token.kind is TokenKind.END:
            return "the end of the statement"
        return f"`{self.text[token.start : token.end][:40]}`"

    # Taking

    def take(self) -> SqlToken:
        """The next token; the place moves behind it, but not beyond the statement."""
        token = self.peek()
        self.at = min(self.at + 1, self.end)
        return token

    def opens(self, ahead: int = 0) -> bool:
        """Whether a parenthesis stands there that is closed before the end of what is read."""
        return self.partners.get(self.at + ahead, self.end) < self.end

    def skip(self) -> None:
        """Pass over the next token, and with a parenthesis over all that stands in it."""
        self.at = (self.partners[self.at] if self.opens() else self.at) + 1

    def skip_clause(self) -> None:
        """Go on to the next clause."""
        while self.at < self.end and self.word() != ")" and not clause_at(self.tokens, self.at):
            self.skip()

    def accept(self, *words: str) -> Extent | None:
        """Take these words if they are next, and say where they stand."""
        if not self.next_are(*words):
            return None
        first = self.at
        self.at += len(words)
        return self.since(first)

    # Faults

    def problem(
        self, extent: Extent, message: str, remedy: str, code: FaultCode = FaultCode.BAD_SQL, node: str | None = None
    ) -> None:
        """Record a fault."""
        self.problems.append(TextProblem(extent, message, remedy, code, node))

    def missing(self, what: str, remedy: str) -> None:
        """Record that `what` is due here and is not there."""
        self.problem(self.here(), f"{what} is missing: {self.shown()} stands there.", remedy)

    def expect(self, word: str, remedy: str) -> bool:
        """Take `word`, or record that it is missing."""
        if self.accept(word):
            return True
        self.problem(self.here(), f"`{word}` is expected here, and {self.shown()} stands there.", remedy)
        return False

    def keyword(self, words: tuple[str, ...], what: str, ahead: int = 0) -> str | None:
        """Take one of `words`, or what is nearest to one of them with a fault; None if nothing is near."""
        token = self.peek(ahead)
        if token.word in words:
            self.at += ahead + 1
            return token.word
        listed = ", ".join(words)
        guess = near(token.value, words) if token.kind is TokenKind.WORD else None
        remedy = f"Did you mean {guess}?" if guess else f"Write one of {listed}."
        self.problem(self.here(), f"{self.shown()} is no {what}.", remedy)
        if guess:
            self.at += ahead + 1
        return guess

    # Names

    def at_name(self, ahead: int = 0) -> bool:
        """Whether a name can stand there: a word that begins no clause, or anything in backticks."""
        token = self.peek(ahead)
        if token.kind is TokenKind.QUOTED:
            return True
        if token.kind is not TokenKind.WORD or token.word in ("BY", "TO"):
            return False
        return not clause_at(self.tokens, self.at + ahead)

    def name(self, what: str, example: str) -> ValueAt[str] | None:
        """Take a name; None with a fault where there is none. Names that look like one are taken with a fault."""
        first, token = self.at, self.peek()
        if self.at_name():
            self.take()
            return self._whole_name(first, token.value, what)
        if token.kind is TokenKind.STRING:
            self.take()
            self.problem(token.extent, f"{what} stands here in quotation marks.", f"Write it without them: {example}.")
            return ValueAt(token.value, token.extent) if _NAME.match(token.value) else None
        if token.word in ("<", "$", "@", "{"):
            return self._placeholder(example)
        if token.kind is TokenKind.NUMBER:
            self.take()
            self._whole_name(first, token.value, what)
            return None
        self.missing(what, f"Write {example}.")
        return None

    def _whole_name(self, first: int, value: str, what: str) -> ValueAt[str] | None:
        """The name that begins at the token `first`; its value with hyphens made underscores, which is a fault."""
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
                remedy = f"Write its name alone, such as {last}."
                self.problem(self.since(first), f"{what} has a point in it.", remedy)
        extent = self.since(first)
        if len(parts) > 1:
            joined = "_".join(parts)
            message = f"`{'-'.join(parts)}` has a hyphen, which is a minus sign here."
            self.problem(extent, message, f"Names have letters, digits and underscores: {joined}.")
            return ValueAt(joined, extent) if _NAME.match(joined) else None
        if not _NAME.match(value):
            self.problem(extent, f"{what} cannot be `{value[:80]}`.", NAME_RULE)
            return None
        return ValueAt(value, extent)

    def _joined(self, ahead: int = 0) -> bool:
        """Whether no space stands before that token."""
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
        shown = self.text[slice(*self.since(first))]
        message = f"`{shown[:80]}` is a placeholder, for which a name is to be written."
        self.problem(self.since(first), message, f"Write the name alone: {inner or example}.")
        return ValueAt(inner, self.since(first)) if inner and _NAME.match(inner) else None
