"""What the web application and a runner that stands by say to each other, a line of JSON each way at a Unix socket."""

import socket
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from streaming.definition.strict import Strict

LONGEST_LINE: Final = 1 << 20
ORPHANED_S: Final = 60.0
"""A runner that stands by ends when nobody has said for so long that it is still wanted."""


class StayUp(Strict):
    """It is still wanted."""

    kind: Literal["stay"] = "stay"


class TakeStandby(Strict):
    """It is to be the runner of `whose` from now on: an organisation, or a pool by its name.

    `told` is what a runner that is started for somebody reads from its standard input.
    """

    kind: Literal["take"] = "take"
    whose: str = Field(min_length=1, pattern=r"^[A-Za-z0-9-]+$")
    told: dict[str, Any]


class StandbyAnswer(Strict):
    """What it answers to either: `waits` for somebody still, is `taken` by the one who asked, or `ends`."""

    state: Literal["waits", "taken", "ends"]
    pid: int


def ask_standby(path: Path, message: StayUp | TakeStandby, patience_s: float) -> StandbyAnswer | None:
    """Say `message` to whoever stands by at `path`; None where nobody answers as they should within `patience_s`."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(patience_s)
            line.connect(str(path))
            line.sendall(message.model_dump_json().encode() + b"\n")
            with line.makefile("rb") as answers:
                return StandbyAnswer.model_validate_json(answers.readline(LONGEST_LINE))
    except (OSError, ValueError):
        return None
