"""Whether a definition is sound: every fault at once, each with its place and its remedy."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.advance import check_advance
from streaming.definition.alignment_checks import check_alignment
from streaming.definition.faults import Fault, Severity
from streaming.definition.findings import CheckFindings
from streaming.definition.graph import QueryGraph
from streaming.definition.length_checks import check_lengths
from streaming.definition.load import load_graph
from streaming.definition.node_checks import check_duplicate, check_fields, check_node
from streaming.definition.shapes import check_shapes
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields
from streaming.definition.wiring import check_wiring, order

__all__ = ["CheckedDefinition", "check", "check_advance", "check_fields"]


@dataclass(frozen=True)
class CheckedDefinition:
    """All faults of a definition, and the fields that leave each node in which and before which there is none."""

    faults: tuple[Fault, ...]
    schemas: Mapping[str, Fields]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that refuse the definition."""
        return tuple(fault for fault in self.faults if fault.severity is Severity.ERROR)


def check(
    graph: QueryGraph | Mapping[str, object], streams: Mapping[str, StreamDefinition], *, complete: bool = True
) -> CheckedDefinition:
    """Check `graph`, decoded JSON or a validated graph, against the `streams` by name; never raises.

    Errors of shape do not hide other faults: nodes that can be read are checked all the same. Whether time can
    advance on an input is `check_advance`'s question, for its settings may come from the binding. Unless `complete`,
    part of the definition could not be read, and what is missing is not complained of.
    """
    loaded = load_graph(graph)
    by_id = {node.id: node for node in reversed(loaded.nodes)}
    placed, circular = order(by_id)
    findings = CheckFindings(streams)
    for name in (*placed, *sorted(circular)):
        check_node(by_id[name], findings)
    for node in loaded.nodes:
        if by_id[node.id] is not node:
            check_duplicate(node, findings)
    wiring = check_wiring(loaded.nodes, loaded.broken, complete=complete and loaded.graph is not None)
    whole = (
        *check_shapes(by_id, placed, streams),
        *check_lengths(by_id, placed),
        *check_alignment(by_id, placed),
    )
    return CheckedDefinition((*loaded.faults, *wiring, *findings.faults, *whole), findings.schemas)
