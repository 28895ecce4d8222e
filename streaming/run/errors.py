"""Errors that end a run early, each with its exit code.

DefinitionRefused (1): the definition has errors; all of them are reported. UsageError (2): the command line does not
fit the query. InputUnreadable (3): an input cannot be read. RunFailed (4): an executor failed, or an output cannot be
written.
"""

from collections.abc import Sequence
from typing import ClassVar

from streaming.definition.faults import Fault


class RunError(Exception):
    """A run that does not start, or fails; the message is one or more sentences for the user."""

    code: ClassVar[int] = 4


class DefinitionRefused(RunError):
    """The definition has errors: `faults` are all of them, warnings included, of the SQL `text` if there is one.

    `lines` is their text form.
    """

    code = 1

    def __init__(self, faults: Sequence[Fault], lines: Sequence[str], text: str | None) -> None:
        super().__init__("\n".join(lines))
        self.faults = tuple(faults)
        self.text = text


class UsageError(RunError):
    """The command line names something that does not exist, or leaves out something required."""

    code = 2


class InputUnreadable(RunError):
    """An input, or another file of the command line, cannot be read."""

    code = 3


class RunFailed(RunError):
    """The executor failed, or an output cannot be written."""

    code = 4
