"""The rows of the grammar, used for reading, printing, completion and the browser."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

JoinKind = Literal["join", "anti_join", "semi_join", "asof_join"]


class ArgumentKind(Enum):
    """The kind of value after the words of an argument."""

    DURATION = auto()
    WHOLE = auto()
    NAME = auto()
    CHOICE = auto()
    EXPRESSION = auto()
    PRESET = auto()
    QUOTED = auto()
    NOTHING = auto()


@dataclass(frozen=True)
class KeywordRow:
    """Words of the language, the form of their arguments, and a line of help."""

    words: str
    form: str = ""
    help: str = ""

    @property
    def first(self) -> str:
        """Return the first of the words."""
        return self.words.split()[0]

    @property
    def syntax(self) -> str:
        """Return the words with the form of their arguments, for completion; empty without arguments."""
        return f"{self.words} {self.form}" if self.form else ""


@dataclass(frozen=True, kw_only=True)
class ArgumentRow(KeywordRow):
    """A value after `words`, or after a comma if `words` is empty, that sets `field` of a node or of settings.

    `what` is its name in messages; `choices` are its possible words, as printed. `summary` is appended to the row's
    summary if the field is set, as in `WindowRow`.
    """

    words: str = ""
    field: str
    takes: ArgumentKind = ArgumentKind.DURATION
    what: str = ""
    choices: tuple[KeywordRow, ...] = ()
    summary: str = ""

    def chosen(self, value: str) -> str:
        """Return the words of a value that is one of the choices."""
        return next(each.words for each in self.choices if value_of(each) == value)


def length(words: str, field: str, what: str, form: str = "", text: str = "", *, summary: str = "") -> ArgumentRow:
    """Return an argument that is a duration; `text` is its help."""
    return ArgumentRow(words=words, field=field, what=what, form=form, help=text, summary=summary)


def choice(words: str, field: str, what: str, text: str, *choices: tuple[str, str] | str) -> ArgumentRow:
    """Return an argument that is one of `choices`, some with their help."""
    rows = [KeywordRow(each) if isinstance(each, str) else KeywordRow(each[0], help=each[1]) for each in choices]
    form = " | ".join(each.words for each in rows)
    return ArgumentRow(
        words=words, field=field, what=what, form=form, help=text, takes=ArgumentKind.CHOICE, choices=tuple(rows)
    )


def value_of(choice: KeywordRow) -> str:
    """Return the value of a choice in the graph."""
    return choice.words.lower().replace(" ", "_")


@dataclass(frozen=True)
class ClauseRow(KeywordRow):
    """A clause of SELECT: its first word starts the clause if one of `before` follows.

    An entry of `before` in lower case is any token of that kind, such as `number`. `offered`: completion offers it.
    """

    before: tuple[str, ...] = ()
    offered: bool = True
    arguments: tuple[ArgumentRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WindowRow(KeywordRow):
    """A kind of window: `arguments` follow its word, separated by commas; at least `least` are required.

    `options` follow in any order. `example` can be written unchanged, `others` are the words of other
    systems. `too_few` and `too_many` are remedies. Forms offer the kind as `choice`; `summary` describes
    such windows in a drawing, with their fields in braces.
    """

    kind: str
    choice: str
    summary: str
    arguments: tuple[ArgumentRow, ...] = ()
    least: int = 1
    options: tuple[ArgumentRow, ...] = ()
    example: str
    others: str
    too_few: str = ""
    too_many: str = ""

    @property
    def syntax(self) -> str:
        """Return the word with its arguments."""
        return f"{self.words} {self.form}".rstrip()

    @property
    def example_fields(self) -> Mapping[str, int | str]:
        """Return the values of `example` by field."""
        written = self.example.removeprefix(self.words).split(",")
        values = zip(self.arguments, (each.strip() for each in written), strict=False)
        return {row.field: int(value) if row.takes is ArgumentKind.WHOLE else value for row, value in values}


@dataclass(frozen=True)
class OperatorRow(KeywordRow):
    """A branch of one operator: its kind of node, the suffix of the derived id, and the arguments after its source.

    `options` may follow the arguments.
    """

    kind: str = ""
    role: str = ""
    arguments: tuple[ArgumentRow, ...] = ()
    options: tuple[ArgumentRow, ...] = ()


@dataclass(frozen=True)
class JoinRow(KeywordRow):
    """A join: the kind of its node; `outer` joins keep rows without a partner."""

    kind: JoinKind = "join"
    outer: bool = False
