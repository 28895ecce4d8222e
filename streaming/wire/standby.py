"""Messages between the web application and a standby runner: a line of JSON each way over a Unix socket."""

import socket
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ConfigDict, Field

from streaming.wire.message import Message

LONGEST_LINE: Final = 1 << 20
ORPHANED_S: Final = 60.0
"""A standby runner exits when it receives no message for this long."""


class StayUp(Message):
    """The standby runner is still needed."""

    kind: Literal["stay"] = "stay"


class TakeStandby(Message):
    """The standby runner becomes the runner of `whose`: an organisation, or a pool by its name.

    `configuration`, in JSON `told`, is what a runner that isn't on standby reads from its standard input.
    """

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    kind: Literal["take"] = "take"
    whose: str = Field(min_length=1, pattern=r"^[A-Za-z0-9-]+$")
    configuration: dict[str, Any] = Field(alias="told")


class StandbyAnswer(Message):
    """The answer to both messages: the runner `waits`, is `taken` by the sender, or `ends`."""

    state: Literal["waits", "taken", "ends"]
    pid: int


def ask_standby(path: Path, message: StayUp | TakeStandby, patience_s: float) -> StandbyAnswer | None:
    """Send `message` to the standby runner at `path`; None without a valid answer within `patience_s`."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(patience_s)
            line.connect(str(path))
            line.sendall(message.model_dump_json().encode() + b"\n")
            with line.makefile("rb") as answers:
                return StandbyAnswer.model_validate_json(answers.readline(LONGEST_LINE))
    except (OSError, ValueError):
        return None
