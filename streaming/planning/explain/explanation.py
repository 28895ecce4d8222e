"""The explanation of a valid query and the settings of its inputs."""

from collections.abc import Mapping, Sequence

from streaming.definition.checks.advance import check_advance, in_force, temporal_settings
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.checks.wiring import order, ports
from streaming.definition.expanding import expanded
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import InputNode, Node, QueryGraph, TopKNode, WindowNode, sources
from streaming.definition.payload.types import Fields
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.planning.checked import CheckedGraph
from streaming.planning.compile import compile_checked
from streaming.planning.explain import hold_bounds, lifetimes
from streaming.planning.explain.clocks import clock_of
from streaming.planning.explain.descriptions import details
from streaming.planning.explain.explain_facts import Facts, LifetimeBound, readers_of
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedNode, ExplainedPort, Explanation
from streaming.planning.explain.paths import paths_of
from streaming.planning.explain.registry import kind_of
from streaming.planning.explain.rows import sequences
from streaming.planning.explain.slices import has_slices, slices_of
from streaming.planning.explain.stages import StagePlace, buckets_of, places, stages_of
from streaming.planning.explain.summary import summary_of
from streaming.planning.validity import InvalidDefinition


def explain(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTimeSettings]
) -> Explanation:
    """Explain `graph` over `streams` (by name); `advance` is by input node and replaces the settings of the stream.

    Raises `InvalidDefinition` if `check`, `check_advance` or `check_binding` report errors.
    """
    checked = check(graph, streams)
    faults = (*checked.faults, *_faults_of_settings(graph, streams, advance))
    errors = tuple(fault for fault in faults if fault.severity is Severity.ERROR)
    if errors:
        raise InvalidDefinition(errors)
    sound = CheckedGraph(expanded(graph), streams, checked.schemas, temporal_settings(graph, streams, advance))
    facts = _facts(sound, in_force(graph, streams, advance), faults)
    held = {name: kind_of(node).hold(node, facts) for name, node in facts.nodes.items()}
    stage_places = places(facts)
    stages = stages_of(facts, stage_places)
    written = {node.id: node for node in graph.nodes}
    paths = list(paths_of(facts, held))
    return Explanation(
        query=graph.name,
        summary=list(summary_of(facts, paths, held)),
        nodes=[_node(written[name], facts, held[name], stage_places) for name in facts.placed],
        stages=stages,
        paths=paths,
        buckets=buckets_of(facts),
        warnings=list(faults),
    )


def _faults_of_settings(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTimeSettings]
) -> tuple[Fault, ...]:
    """Return the faults of the settings and of the whole binding.

    It is unknown here if an adapter sends CTIs, so there is no warning about missing CTIs.
    """
    settings = in_force(graph, streams, advance)
    inputs = [node for node in graph.nodes if isinstance(node, InputNode) and node.id in settings]
    of_settings = (
        fault.model_copy(update={"node": node.id, "field": f"advance.{fault.field}"})
        for node in inputs
        for fault in check_advance(settings[node.id], streams[node.stream], adapter_sends_ctis=True)
    )
    return (*of_settings, *check_binding(graph, streams, advance))


def _facts(sound: CheckedGraph, settings: Mapping[str, AdvanceTimeSettings], faults: Sequence[Fault]) -> Facts:
    nodes = {node.id: node for node in sound.graph.nodes}
    placed, _ = order(nodes)
    lives: dict[str, LifetimeBound] = {}
    for name in placed:
        node = nodes[name]
        lives[name] = kind_of(node).life(node, [lives[each] for each in sources(node)], sound.streams)
    remembered: dict[str, list[Fault]] = {}
    for fault in faults:
        if fault.code is FaultCode.UNBOUNDED_STATE and fault.node is not None:
            remembered.setdefault(fault.node, []).append(fault)
    return Facts(
        graph=sound.graph,
        streams=sound.streams,
        settings=settings,
        advance=sound.advance,
        schemas=sound.schemas,
        nodes=nodes,
        placed=placed,
        readers=readers_of(sound.graph),
        lives=lives,
        remembered=remembered,
        plan=compile_checked(sound, buckets=2, stages=2),
    )


def _node(node: Node, facts: Facts, held: HoldBound, stage_places: Mapping[str, StagePlace]) -> ExplainedNode:
    return ExplainedNode(
        id=node.id,
        kind=f"{node.window.kind} {node.kind}" if isinstance(node, WindowNode | TopKNode) else node.kind,
        does=kind_of(node).does(node, facts),
        details=sequences.details(node) if isinstance(node, MatchRecognizeNode) else details(node, facts),
        reads=[ExplainedPort(field=field, node=source) for field, source in ports(node)],
        fields=_texts(facts.schemas[node.id]),
        lifetime=lifetimes.explain_lifetime(facts.lives[node.id]),
        stage=stage_places[node.id].stage,
        hold=hold_bounds.explain_hold(node, held),
        state=list(kind_of(node).state(node, facts)),
        slices=slices_of(node, facts.lives[node.input]) if has_slices(node) else None,
        clock=clock_of(node, facts) if isinstance(node, InputNode) else None,
    )


def _texts(fields: Fields) -> dict[str, str]:
    return {name: str(of) for name, of in fields.items()}
