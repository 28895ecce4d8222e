"""A witness that records nothing, for computations that are only displayed."""

from typing import Final

from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, Flow
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import Tick


class NullRecorder:
    """Implements `TraceRecorder` without recording."""

    cause: CausingCti | None = None

    def took(self, node: str, flow: Flow) -> None:
        """Ignore the flow."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Ignore the removal."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Ignore the refusal."""

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """Ignore the failure."""


SILENT: Final = NullRecorder()
