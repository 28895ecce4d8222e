"""Problems of a text, with their places."""

from dataclasses import dataclass

from streaming.definition.faults import Fault, FaultCode, Severity, Span
from streaming.definition.tokens import Extent


@dataclass(frozen=True, slots=True)
class TextProblem:
    """One problem of a text: its place, a message, and a remedy that says how to fix it."""

    extent: Extent
    message: str
    remedy: str
    code: FaultCode = FaultCode.BAD_SQL
    node: str | None = None

    def fault(self) -> Fault:
        """Return it as a fault of the definition."""
        return Fault(
            code=self.code,
            severity=Severity.ERROR,
            node=self.node,
            field=None,
            message=self.message,
            remedy=self.remedy,
            span=span(self.extent),
        )


def span(extent: Extent) -> Span:
    """Return the extent as a `Span`."""
    return Span(start=extent[0], end=extent[1])


def over(first: Extent, last: Extent) -> Extent:
    """Return the extent from the start of one to the end of the other."""
    return min(first[0], last[0]), max(first[1], last[1])
