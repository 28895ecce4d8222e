"""The change of a run's state (started, stopped, completed or failed), on its way to its batch's manifest."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

from streaming.spark.errors import Domain, RunFailure


@dataclass(frozen=True)
class StateChange:
    """A new state of a binding's run; `detail` is only for the log, `slow` as in `RunFailure`.

    `undo`: it failed after something of the batch was written, so the batch is repeated without it (attempts.py).
    """

    state: Literal["running", "stopped", "completed", "failed"]
    domain: Domain | None = None
    message: str | None = None
    detail: str | None = None
    slow: bool = False
    undo: bool = False

    @classmethod
    def failed(cls, failure: RunFailure, *, undo: bool = False) -> "StateChange":
        """Return the change to the failed state."""
        return cls("failed", failure.domain, failure.message, failure.detail, failure.slow, undo)

    def to_json(self) -> bytes:
        """Return the chunk of an envelope."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of_json(cls, content: bytes) -> "StateChange":
        """Read the output of `to_json`."""
        return cls(**json.loads(content))
