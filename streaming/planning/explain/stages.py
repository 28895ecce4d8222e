"""The stages of a plan in words: the feed, one or two operator stages after an exchange each, the sink (ENGINE.md)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from streaming.definition.graph import InputNode, OutputNode, sources
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.model import ExplainedStage, StagePart
from streaming.planning.explain.words import listed
from streaming.planning.keys import Key
from streaming.planning.plan import MatchSpec, NodePlan, OneBucketBecause, StageInput, TopKSpec, WindowSpec
from streaming.planning.sequences import SequenceSpec

MEETING: Final = WindowSpec | TopKSpec | SequenceSpec | MatchSpec
"""Nodes in which rows meet."""


@dataclass(frozen=True)
class StagePlace:
    """The place of a node: the number of its `stage`, and the keys that assign its rows to the stage's buckets."""

    stage: int
    keys: Key


FEED: Final = StagePlace(0, ())


def places(facts: Facts) -> dict[str, StagePlace]:
    """Return the place of each node: stateless nodes are with the node before them, outputs in the sink."""
    found: dict[str, StagePlace] = {}
    for number, (inputs, nodes) in enumerate(_exchanges(facts), start=1):
        found |= _placed(number, inputs, nodes)
    sink = max((place.stage for place in found.values()), default=0) + 1
    for name in facts.placed:
        node = facts.nodes[name]
        if isinstance(node, OutputNode):
            found[name] = StagePlace(sink, ())
        elif name not in found:
            found[name] = FEED if isinstance(node, InputNode) else found[sources(node)[0]]
    return found


def _exchanges(facts: Facts) -> list[tuple[Iterable[StageInput], list[NodePlan]]]:
    """Return the inputs of each exchange, and the stateful nodes after it."""
    second = facts.plan.second
    through: list[tuple[Iterable[StageInput], Iterable[NodePlan]]] = [(facts.plan.inputs.values(), facts.plan.nodes)]
    if second is not None:
        through.append((second.inputs.values(), second.nodes))
    return [
        (inputs, [node for node in nodes if not isinstance(facts.nodes[node.id], OutputNode)])
        for inputs, nodes in through
    ]


def _placed(number: int, inputs: Iterable[StageInput], nodes: Iterable[NodePlan]) -> dict[str, StagePlace]:
    keys = {branch.id: branch.keys for branch in chain.from_iterable(each.branches for each in inputs)}
    found = {}
    for node in nodes:
        keys[node.id] = next((keys[wire.source] for wire in node.ports if keys[wire.source]), ())
        found[node.id] = StagePlace(number, keys[node.id])
    return found


def stages_of(facts: Facts, found: Mapping[str, StagePlace]) -> list[ExplainedStage]:
    """Return the feed, the stages between exchanges, and the sink, numbered from 0."""
    last = max(place.stage for place in found.values())
    keyed = [_keyed(number, facts, found) for number in range(1, last)]
    sink = ExplainedStage(
        number=last,
        kind="sink",
        title="sink: writes results, with their counts and CTIs",
        parts=[StagePart(keys=None, nodes=_nodes(last, (), facts, found), text="rows as they arrive")],
        folds=[],
        lanes=_buckets_before(last - 1),
        shared="1 task",
        dedicated="1 task per core",
    )
    return [_feed(facts, found), *keyed, sink]


def _feed(facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    inside = _nodes(0, (), facts, found)
    return ExplainedStage(
        number=0,
        kind="feed",
        title="feed: reads events, applies the late policy, and runs all stateless nodes",
        parts=[StagePart(keys=None, nodes=inside, text="event by event, in the order of the lanes")],
        folds=[name for name in facts.placed if name in facts.folded],
        lanes=_lanes(facts),
        shared="1 partition of the carrier's feed, together with lanes of other bindings",
        dedicated="1 partition per core, each with a set of lanes",
    )


def _keyed(number: int, facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    of_stage = dict.fromkeys(found[name].keys for name in facts.placed if found[name].stage == number)
    parts = [_part(keys, _nodes(number, keys, facts, found), facts) for keys in of_stage]
    spread = any(part.keys for part in parts)
    return ExplainedStage(
        number=number,
        kind="keyed",
        title="operators: events that meet are in the same bucket",
        parts=parts,
        folds=[],
        lanes=_lanes(facts) if number == 1 else _buckets_before(number - 1),
        shared="1 bucket",
        dedicated="1 bucket per core" if spread else _ONE_BUCKET[facts.plan.one_bucket or "no_key"],
    )


def _part(keys: Key, nodes: list[str], facts: Facts) -> StagePart:
    if keys:
        return StagePart(keys=list(keys), nodes=nodes, text=f"by {listed(keys)}")
    if not _meeting(facts).isdisjoint(nodes):
        return StagePart(keys=[], nodes=nodes, text="all in one bucket")
    return StagePart(keys=None, nodes=nodes, text="events never meet: all in one bucket")


def _meeting(facts: Facts) -> set[str]:
    every = chain.from_iterable(nodes for _, nodes in _exchanges(facts))
    return {node.id for node in every if isinstance(node.spec, MEETING)}


def _nodes(number: int, keys: Key, facts: Facts, found: Mapping[str, StagePlace]) -> list[str]:
    return [name for name in facts.placed if found[name] == StagePlace(number, keys)]


def _lanes(facts: Facts) -> str:
    texts = []
    for node in facts.graph.nodes:
        if isinstance(node, InputNode):
            lanes = facts.streams[node.stream].lanes
            many = "the lanes of the adapter" if lanes is None else listed(lanes)
            texts.append(f"{node.id}: {many}")
    return "; ".join(texts)


def _buckets_before(number: int) -> str:
    return "those of the feed" if number == 0 else f"the buckets of stage {number}"


_ONE_BUCKET: Final[Mapping[OneBucketBecause, str]] = {
    "not_asked": "1 bucket",
    "no_key": "1 bucket: there is no key to distribute rows by",
    "one_place": "1 bucket: a single task must decide about late events that are kept, or about long events",
}


def buckets_of(facts: Facts) -> str:
    """Return a sentence about the number of buckets and stages of a dedicated carrier, and the reason."""
    plan = facts.plan
    if not _meeting(facts):
        return "Events never meet, so a dedicated carrier uses one bucket, like a shared one."
    if plan.one_bucket == "one_place":
        return (
            "A single task must decide which windows accept late events that are kept, or events that may be in too "
            "many windows. So a dedicated carrier uses one bucket, like a shared one."
        )
    if plan.one_bucket is not None:
        return "Events meet without a key, so a dedicated carrier uses one bucket, like a shared one."
    first, *second = ([branch.keys for each in inputs for branch in each.branches] for inputs, _ in _exchanges(facts))
    if second:
        before, after = ("one bucket per core" if any(keys) else "one bucket" for keys in (first, *second))
        return (
            f"Events meet first by one key, then by another. So a dedicated carrier uses {before} before a second "
            f"exchange, and {after} after it."
        )
    named = ", or by ".join(dict.fromkeys(listed(keys) for keys in first if keys))
    without = "" if all(first) else "; rows without a key are in the first one"
    return f"Events meet by {named}, so a dedicated carrier uses one bucket per core{without}."
