"""What a row of the grammar says; reading, printing, completion and the browser go by the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

JoinKind = Literal["join", "anti_join", "semi_join", "asof_join"]


class ArgumentKind(Enum):
    """What stands behind the words of an argument."""

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
    """Words of the language, what follows them, and a line of help."""

    words: str
    form: str = ""
    help: str = ""

    @property
    def first(self) -> str:
        """The first of the words."""
        return self.words.split()[0]

    @property
    def shown(self) -> str:
        """The words with what follows them, as completion shows it; empty where nothing does."""
        return f"{self.words} {self.form}" if self.form else ""


@dataclass(frozen=True, kw_only=True)
class ArgumentRow(KeywordRow):
    """A value behind `words`, or behind a comma where there are none, that becomes `field` of a node or of settings.

    `what` is what messages call it, `choices` are the words that it can be, as they are printed. `summary` follows that
    of the row where something is said, as in `WindowRow`.
    """

    words: str = ""
    field: str
    takes: ArgumentKind = ArgumentKind.DURATION
    what: str = ""
    choices: tuple[KeywordRow, ...] = ()
    summary: str = ""

    def chosen(self, value: str) -> str:
        """The words of a value that is one of the choices."""
        return next(each.words for each in self.choices if value_of(each) == value)


def length(words: str, field: str, what: str, form: str = "", text: str = "", *, summary: str = "") -> ArgumentRow:
    """An argument that is a duration; `text` is its help."""
    return ArgumentRow(words=words, field=field, what=what, form=form, help=text, summary=summary)


def choice(words: str, field: str, what: str, text: str, *choices: tuple[str, str] | str) -> ArgumentRow:
    """An argument that is one of `choices`, some with their help."""
    rows = [KeywordRow(each) if isinstance(each, str) else KeywordRow(each[0], help=each[1]) for each in choices]
    form = " | ".join(each.words for each in rows)
    return ArgumentRow(
        words=words, field=field, what=what, form=form, help=text, takes=ArgumentKind.CHOICE, choices=tuple(rows)
    )


def value_of(choice: KeywordRow) -> str:
    """What the graph has for a choice."""
    return choice.words.lower().replace(" ", "_")


@dataclass(frozen=True)
class ClauseRow(KeywordRow):
    """A clause of SELECT: it begins where one of `before` stands behind its first word.

    Of these what is in lower case is any token of that kind, such as `number`. `offered`: it may follow a source.
    """

    before: tuple[str, ...] = ()
    offered: bool = True
    arguments: tuple[ArgumentRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WindowRow(KeywordRow):
    """A kind of window: `arguments` stand behind its word with commas between them, of which `least` must be there.

    `options` follow in any order. `example` is one that can be written as it is, `others` are the words of other
    systems. `too_few` and `too_many` say what to write instead. Forms offer the kind as `choice`; `summary` is what a
    drawing says of such windows, with their fields in braces.
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
    def shown(self) -> str:
        """The word with its arguments."""
        return f"{self.words} {self.form}".rstrip()

    @property
    def example_fields(self) -> Mapping[str, int | str]:
        """What `example` says, by field."""
        written = self.example.removeprefix(self.words).split(",")
        said = zip(self.arguments, (each.strip() for each in written), strict=False)
        return {row.field: int(value) if row.takes is ArgumentKind.WHOLE else value for row, value in said}


@dataclass(frozen=True)
class OperatorRow(KeywordRow):
    """A branch of one operator: the kind of its node, the end of the node's derived id, and what follows its source."""

    kind: str = ""
    role: str = ""
    arguments: tuple[ArgumentRow, ...] = ()


@dataclass(frozen=True)
class JoinRow(KeywordRow):
    """A join: the kind of its node, and whether it is outer."""

    kind: JoinKind = "join"
    outer: bool = False
