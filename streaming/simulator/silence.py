"""A witness that notes nothing, for what is computed to be shown and decides nothing."""

from typing import Final

from streaming.reference.flow import CausingCti, Flow
from streaming.reference.numbers import OperationFailure
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import Tick


class SilentWitness:
    """As `Witness` says, without a memory."""

    cause: CausingCti | None = None

    def took(self, node: str, flow: Flow) -> None:
        """Nothing is noted."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Nothing is noted."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Nothing is noted."""

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        """Nothing is noted."""


SILENT: Final = SilentWitness()
