"""From a graph that has no faults to its operators."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.definition.check import check
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.reference.build_joins import JOINS
from streaming.reference.build_lifetimes import LIFETIMES
from streaming.reference.build_windows import WINDOWS
from streaming.reference.flow import Operator
from streaming.reference.plan import Plan
from streaming.temporal.settings import AdvanceTime


class Refused(ValueError):
    """The definition has faults, all of them in `faults`; mend those before running it."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.node}: {fault.message} {fault.remedy}" for fault in faults))
        self.faults = faults


def plan_of(graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]) -> Plan:
    """What the builders need. Raises `Refused` when `check` finds an error."""
    checked = check(graph, streams)
    errors = tuple(fault for fault in checked.faults if fault.severity is Severity.ERROR)
    if errors:
        raise Refused(errors)
    return Plan(graph, streams, checked.schemas, advance)


def build(plan: Plan) -> dict[str, Operator]:
    """An operator for each node but the inputs, by id, in the order of the graph."""
    nodes = (node for node in plan.graph.nodes if not isinstance(node, InputNode))
    return {node.id: _BUILDERS[type(node)](node, plan) for node in nodes}


_BUILDERS: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {
    **LIFETIMES,
    **JOINS,
    **WINDOWS,
}
