"""What is wrong with a text, by the place where it stands."""

from dataclasses import dataclass

from streaming.definition.faults import Fault, FaultCode, Severity, Span
from streaming.definition.tokens import Extent


@dataclass(frozen=True, slots=True)
class TextProblem:
    """One fault of a text: where, what, and what would mend it."""

    extent: Extent
    message: str
    remedy: str
    code: FaultCode = FaultCode.BAD_SQL
    node: str | None = None

    def fault(self) -> Fault:
        """As a fault of the definition."""
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
    """The extent as faults tell it."""
    return Span(start=extent[0], end=extent[1])


def over(first: Extent, last: Extent) -> Extent:
    """From the beginning of one to the end of the other."""
    return min(first[0], last[0]), max(first[1], last[1])
