"""The word that a run began, stopped, completed or failed, as it travels in an envelope to its batch's manifest."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

from streaming.spark.errors import Domain, RunFailure


@dataclass(frozen=True)
class StateChange:
    """A new state of a binding's run; `detail` is for the log alone, `slow` as `RunFailure` has it."""

    state: Literal["running", "stopped", "completed", "failed"]
    domain: Domain | None = None
    message: str | None = None
    detail: str | None = None
    slow: bool = False

    @classmethod
    def failed(cls, failure: RunFailure) -> "StateChange":
        """The run has failed."""
        return cls("failed", failure.domain, failure.message, failure.detail, failure.slow)

    def to_json(self) -> bytes:
        """As the chunk of an envelope."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of_json(cls, content: bytes) -> "StateChange":
        """Read what `to_json` wrote."""
        return cls(**json.loads(content))
