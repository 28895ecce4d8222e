"""The stages of a plan in words: the feed, one or two of operators behind an exchange each, the sink (ENGINE.md)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from streaming.definition.graph import InputNode, OutputNode, sources
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.model import ExplainedStage, StagePart
from streaming.planning.explain.words import listed
from streaming.planning.keys import Key
from streaming.planning.plan import MatchSpec, NodePlan, OneBucketBecause, StageInput, TopKSpec, WindowSpec

MEETING: Final = WindowSpec | TopKSpec | MatchSpec
"""The nodes in which rows meet others."""


@dataclass(frozen=True)
class StagePlace:
    """Where a node runs: the number of its `stage`, and the keys by which its rows were sent to the stage's buckets."""

    stage: int
    keys: Key


FEED: Final = StagePlace(0, ())


def places(facts: Facts) -> dict[str, StagePlace]:
    """The place of each node: what looks at one event alone is where its rows come from, outputs are in the sink."""
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
    """What comes through each exchange, and the nodes behind it that remember something."""
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
    """The feed, the stages between exchanges, and the sink, numbered from 0."""
    last = max(place.stage for place in found.values())
    keyed = [_keyed(number, facts, found) for number in range(1, last)]
    sink = ExplainedStage(
        number=last,
        kind="sink",
        title="sink: results leave, with their counts and CTIs",
        parts=[StagePart(keys=None, nodes=_nodes(last, (), facts, found), text="as rows come")],
        folds=[],
        lanes=_buckets_before(last - 1),
        shared="1 task",
        dedicated="1 task for each core",
    )
    return [_feed(facts, found), *keyed, sink]


def _feed(facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    inside = _nodes(0, (), facts, found)
    return ExplainedStage(
        number=0,
        kind="feed",
        title="feed: reads, judges what is late, and does all that looks at one event",
        parts=[StagePart(keys=None, nodes=inside, text="event by event, as lanes bring them")],
        folds=[name for name in facts.placed if name in facts.folded],
        lanes=_lanes(facts),
        shared="1 partition of the carrier's feed, with the lanes of others",
        dedicated="1 partition for each core, each a set of lanes",
    )


def _keyed(number: int, facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    of_stage = dict.fromkeys(found[name].keys for name in facts.placed if found[name].stage == number)
    parts = [_part(keys, _nodes(number, keys, facts, found), facts) for keys in of_stage]
    spread = any(part.keys for part in parts)
    return ExplainedStage(
        number=number,
        kind="keyed",
        title="operators: events that meet are in one bucket",
        parts=parts,
        folds=[],
        lanes=_lanes(facts) if number == 1 else _buckets_before(number - 1),
        shared="1 bucket",
        dedicated="1 bucket for each core" if spread else _ONE_BUCKET[facts.plan.one_bucket or "no_key"],
    )


def _part(keys: Key, nodes: list[str], facts: Facts) -> StagePart:
    if keys:
        return StagePart(keys=list(keys), nodes=nodes, text=f"by {listed(keys)}")
    if not _meeting(facts).isdisjoint(nodes):
        return StagePart(keys=[], nodes=nodes, text="all in one bucket")
    return StagePart(keys=None, nodes=nodes, text="no event meets another: all in one bucket")


def _meeting(facts: Facts) -> set[str]:
    every = chain.from_iterable(nodes for _, nodes in _exchanges(facts))
    return {node.id for node in every if isinstance(node.spec, MEETING)}


def _nodes(number: int, keys: Key, facts: Facts, found: Mapping[str, StagePlace]) -> list[str]:
    return [name for name in facts.placed if found[name] == StagePlace(number, keys)]


def _lanes(facts: Facts) -> str:
    said = []
    for node in facts.graph.nodes:
        if isinstance(node, InputNode):
            lanes = facts.streams[node.stream].lanes
            many = "one for each lane of the adapter" if lanes is None else listed(lanes)
            said.append(f"{node.id}: {many}")
    return "; ".join(said)


def _buckets_before(number: int) -> str:
    return "the feed's" if number == 0 else f"the buckets of stage {number}"


_ONE_BUCKET: Final[Mapping[OneBucketBecause, str]] = {
    "not_asked": "1 bucket",
    "no_key": "1 bucket: there is no key to spread by",
    "one_place": "1 bucket: one place must decide on late events that are kept, or on long ones",
}


def buckets_of(facts: Facts) -> str:
    """How many buckets a dedicated carrier uses, in how many stages, and why."""
    plan = facts.plan
    if not _meeting(facts):
        return "No event meets another: a dedicated carrier uses one bucket, as a shared one does."
    if plan.one_bucket == "one_place":
        return (
            "Which windows take late events that are kept, or ones that may be in too many windows, one place must "
            "decide: a dedicated carrier uses one bucket, as a shared one does."
        )
    if plan.one_bucket is not None:
        return "Events meet without a key: a dedicated carrier uses one bucket, as a shared one does."
    first, *second = ([branch.keys for each in inputs for branch in each.branches] for inputs, _ in _exchanges(facts))
    if second:
        before, behind = ("one bucket for each core" if any(keys) else "one bucket" for keys in (first, *second))
        return (
            f"Events meet by different keys, one after the other: a dedicated carrier uses {before} up to a second "
            f"exchange, and {behind} behind it."
        )
    named = ", or by ".join(dict.fromkeys(listed(keys) for keys in first if keys))
    without = "" if all(first) else ", the first of them also for what has no key"
    return f"Events meet by {named}: a dedicated carrier uses one bucket for each core{without}."
