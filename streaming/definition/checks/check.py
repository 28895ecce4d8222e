"""The check of a definition: every fault at once, each with its place and its remedy."""

from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.checks.advance import check_advance
from streaming.definition.checks.alignment import check_alignment
from streaming.definition.checks.findings import CheckFindings
from streaming.definition.checks.functions import check_functions
from streaming.definition.checks.lengths import check_lengths
from streaming.definition.checks.nodes import check_duplicate, check_fields, check_node
from streaming.definition.checks.shapes import check_shapes
from streaming.definition.checks.wiring import check_wiring, order
from streaming.definition.expanding import expanded_model
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.load import load_graph
from streaming.definition.own_functions.module_checks import check_modules
from streaming.definition.own_functions.modules import Modules, stored_modules
from streaming.definition.payload.types import Fields
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import StreamDefinition

__all__ = ["CheckedDefinition", "check", "check_advance", "check_fields"]


@dataclass(frozen=True)
class CheckedDefinition:
    """All faults of a definition, and the output fields of each node that has no fault in it or before it."""

    faults: tuple[Fault, ...]
    schemas: Mapping[str, Fields]

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults for which the definition is refused."""
        return tuple(fault for fault in self.faults if fault.severity is Severity.ERROR)


def check(
    graph: QueryGraph | Mapping[str, object],
    streams: Mapping[str, StreamDefinition],
    *,
    complete: bool = True,
    modules: Modules | None = None,
) -> CheckedDefinition:
    """Check `graph`, decoded JSON or a validated graph, against the `streams` by name; never raises.

    Shape errors do not hide other faults: readable nodes are still checked. `check_advance` checks that time can
    advance on an input, because its settings may come from the binding. Unless `complete`,
    part of the definition could not be read, and missing parts are not reported. Functions in WebAssembly are checked
    against `modules`, by default those that are stored.
    """
    loaded = load_graph(graph)
    by_id = {node.id: node for node in reversed(loaded.nodes)}
    placed, circular = order(by_id)
    macros, broken_functions = check_functions(loaded.functions, loaded.broken_functions)
    findings = CheckFindings(streams, macros)
    for name in (*placed, *sorted(circular)):
        node = by_id[name]
        in_rows = isinstance(node, MatchRecognizeNode)  # its expressions have a reader of their own
        check_node(expanded_model(node, macros) if in_rows and macros.by_name else node, findings)
    for node in loaded.nodes:
        if by_id[node.id] is not node:
            check_duplicate(node, findings)
    wiring = check_wiring(loaded.nodes, loaded.broken, complete=complete and loaded.graph is not None)
    whole = (
        *check_shapes(by_id, placed, streams),
        *check_lengths(by_id, placed),
        *check_alignment(by_id, placed),
    )
    found = modules or stored_modules()
    broken_functions += () if found is None else tuple(check_modules(loaded.functions, found))
    return CheckedDefinition((*loaded.faults, *broken_functions, *wiring, *findings.faults, *whole), findings.schemas)
