"""What ends a run early, each with its exit code.

DefinitionRefused (1): the definition has errors, all of which are told. UsageError (2): the command line does not fit
the query. InputUnreadable (3): an input cannot be read. RunFailed (4): an executor failed, or an output cannot be
written.
"""

from collections.abc import Sequence
from typing import ClassVar

from streaming.definition.faults import Fault


class RunError(Exception):
    """A run that does not happen, or does not end well; the message is one or more sentences for the user."""

    code: ClassVar[int] = 4


class DefinitionRefused(RunError):
    """The definition has errors: `faults` are all of them, warnings included, of the SQL `text` where there is one.

    `said` are the lines that tell them.
    """

    code = 1

    def __init__(self, faults: Sequence[Fault], said: Sequence[str], text: str | None) -> None:
        super().__init__("\n".join(said))
        self.faults = tuple(faults)
        self.text = text


class UsageError(RunError):
    """The command line names what is not there, or leaves out what is needed."""

    code = 2


class InputUnreadable(RunError):
    """An input, or a file beside the query, cannot be read."""

    code = 3


class RunFailed(RunError):
    """The executor failed, or an output cannot be written."""

    code = 4
