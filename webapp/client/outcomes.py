"""The outcomes of a command: exit codes, and the one exception with the error."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final


class ExitCode(IntEnum):
    """Exit codes. Scripts rely on them, so they never change their meaning."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    NOT_ALLOWED = 3
    NOT_THERE = 4
    CONFLICT = 5
    NO_SERVER = 6


MEANINGS: Final[dict[ExitCode, str]] = {
    ExitCode.DONE: "done",
    ExitCode.REFUSED: "refused or failed: errors, a transcript that fails, `plan --check` with changes",
    ExitCode.USAGE: "the command line cannot be understood",
    ExitCode.NOT_ALLOWED: "not signed in, or not allowed",
    ExitCode.NOT_THERE: "not found",
    ExitCode.CONFLICT: "conflict: the state does not allow it now, or changed since the plan",
    ExitCode.NO_SERVER: "the server cannot be reached, or failed",
}


_TOKEN: Final = re.compile(r"pct_\S*")


def without_tokens(text: str) -> str:
    """Return `text` without its tokens: a token typed in a wrong place must not end in a log."""
    return _TOKEN.sub("pct_...", text)


class CommandFailure(Exception):
    """A command ends with `exit`: `message` is a sentence for the user; `faults` are the server's, often none.

    `texts` are the files that the faults refer to, by name. `retry_after_s`: the wait that the server asks for.
    """

    def __init__(
        self, exit_: ExitCode, message: str, *, code: str | None = None, faults: Sequence[dict[str, Any]] = ()
    ) -> None:
        self.message = without_tokens(message)
        super().__init__(self.message)
        self.exit = exit_
        self.retry_after_s = 0.0
        self.code = code or exit_.name.lower()
        self.faults = list(faults)
        self.texts: dict[str, str] = {}

    def __str__(self) -> str:
        lines = (" ".join(str(each[name]) for name in ("message", "remedy") if each.get(name)) for each in self.faults)
        return "\n".join((self.message, *(without_tokens(line) for line in lines)))
