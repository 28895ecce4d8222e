"""From a sound query and the settings of its inputs to their explanation."""

from collections.abc import Mapping

from streaming.definition.advance import check_advance, in_force
from streaming.definition.binding_checks import check_binding
from streaming.definition.check import check
from streaming.definition.explain.model import Explanation
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition


class Unsound(ValueError):
    """The definition has errors, all of them in `faults`; what is in error has no meaning that could be explained."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{fault.node}: {fault.message} {fault.remedy}" for fault in faults))
        self.faults = faults


def explain(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTimeSettings]
) -> Explanation:
    """Explain `graph` over `streams` (by name); `advance` is by input node, others have the settings of their stream.

    Raises `Unsound` for a definition in which `check`, `check_advance` or `check_binding` find errors.
    """
    faults = _faults(graph, streams, advance)
    errors = tuple(fault for fault in faults if fault.severity is Severity.ERROR)
    if errors:
        raise Unsound(errors)
    return Explanation(
        query=graph.name, summary=[], nodes=[], stages=[], paths=[], on_spark=False, carried="", warnings=list(faults)
    )


def _faults(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTimeSettings]
) -> tuple[Fault, ...]:
    """What all checks find. Whether an adapter sends CTIs is not known here, so no warning says that none come."""
    settings = in_force(graph, streams, advance)
    inputs = [node for node in graph.nodes if isinstance(node, InputNode) and node.id in settings]
    of_settings = (
        fault.model_copy(update={"node": node.id, "field": f"advance.{fault.field}"})
        for node in inputs
        for fault in check_advance(settings[node.id], streams[node.stream], adapter_sends_ctis=True)
    )
    return (*check(graph, streams).faults, *of_settings, *check_binding(graph, streams, advance))
