"""Stages: the feed, then one for each change of keys, then the sink (ENGINE.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from streaming.definition.graph import (
    ExtendNode,
    InputNode,
    Node,
    OutputNode,
    ProjectNode,
    SetDurationNode,
    sources,
)
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.keys import renamed
from streaming.planning.explain.model import ExplainedStage, StagePart
from streaming.planning.explain.registry import kind_of
from streaming.planning.explain.words import listed
from streaming.temporal.events import Shape
from streaming.temporal.settings import Late

ONE_BUCKET: Final[tuple[str, ...]] = ()


@dataclass(frozen=True)
class StagePlace:
    """Where a node runs: the number of its `stage`, and `home`, the keys by which that stage sends rows to buckets.

    `by` are those keys under the names that the node's own rows have for them; None if they have lost one, in the feed,
    and where no row meets another. `home` is None in the last two.
    """

    stage: int
    home: tuple[str, ...] | None
    by: tuple[str, ...] | None


FEED: Final = StagePlace(0, None, None)


def places(facts: Facts) -> dict[str, StagePlace]:
    """The place of each node; outputs are where their rows come from."""
    wanted = _wanted(facts)
    found: dict[str, StagePlace] = {}
    for name in facts.placed:
        found[name] = _place(facts.nodes[name], facts, [found[each] for each in sources(facts.nodes[name])], wanted)
    return found


def _place(node: Node, facts: Facts, before: list[StagePlace], wanted: Mapping[str, tuple[str, ...]]) -> StagePlace:
    """Where its rows meet already, else a stage further on; rows of the feed go to any stage by any key."""
    need = kind_of(node).keys(node, facts)
    if need.kind == "stays":
        return FEED if isinstance(node, InputNode) else _carried(node, before[0])
    later = [place for place in before if place != FEED]
    together = bool(later) and all(place == later[0] for place in later)
    if need.kind == "alone":
        keys = wanted.get(node.id)
        return later[0] if together else StagePlace(_next(before), keys, keys)
    by = later[0].by if together else None
    if by is not None and (set(by) <= set(need.keys) if by else not need.keys):
        return later[0]
    further = wanted.get(node.id)
    home = further if further and set(further) < set(need.keys) else need.keys
    return StagePlace(_next(before), home, home)


def _next(before: list[StagePlace]) -> int:
    return max(place.stage for place in before) + 1


def _carried(node: Node, place: StagePlace) -> StagePlace:
    """The place of a node that stays; a project may rename or lose the keys."""
    if not isinstance(node, ProjectNode) or place.by is None:
        return place
    names = renamed(node)
    kept = tuple(names[key] for key in place.by if key in names)
    return StagePlace(place.stage, place.home, kept if len(kept) == len(place.by) else None)


def _wanted(facts: Facts) -> dict[str, tuple[str, ...]]:
    """By node, the keys by which the next node that has some will want its rows: then one exchange does for both."""
    found: dict[str, tuple[str, ...]] = {}
    for name in reversed(facts.placed):
        for keys in _demands(name, facts, found):
            found.setdefault(name, keys)
    return found


def _demands(name: str, facts: Facts, found: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    for reader in (facts.nodes[each] for each in facts.readers[name]):
        need = kind_of(reader).keys(reader, facts)
        if need.kind == "keyed":
            yield need.keys
        elif reader.id in found and isinstance(reader, ProjectNode):
            before = {after: field for field, after in renamed(reader).items()}
            if all(key in before for key in found[reader.id]):
                yield tuple(before[key] for key in found[reader.id])
        elif reader.id in found:
            yield found[reader.id]


def stages_of(facts: Facts, found: Mapping[str, StagePlace]) -> list[ExplainedStage]:
    """The feed, the stages between exchanges, and the sink, numbered from 0."""
    last = max(place.stage for place in found.values())
    keyed = [_keyed(number, facts, found) for number in range(1, last + 1)]
    outputs = [name for name in facts.placed if isinstance(facts.nodes[name], OutputNode)]
    sink = ExplainedStage(
        number=last + 1,
        kind="sink",
        title="sink: results leave, with their counts and CTIs",
        parts=[StagePart(keys=None, nodes=outputs, text="as rows come")],
        folds=[],
        lanes=_buckets_before(last),
        shared="1 task",
        dedicated="1 task for each core",
    )
    return [_feed(facts, found), *keyed, sink]


def stage_of(node: Node, place: StagePlace, found: Mapping[str, StagePlace]) -> int:
    """The number of the stage in which `node` is shown: outputs are in the sink."""
    return max(each.stage for each in found.values()) + 1 if isinstance(node, OutputNode) else place.stage


def _feed(facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    folds = [name for name in facts.placed if name in facts.folded]
    return ExplainedStage(
        number=0,
        kind="feed",
        title="feed: reads, judges what is late, and does all that looks at one event",
        parts=[StagePart(keys=None, nodes=_nodes(0, None, facts, found), text="event by event, as lanes bring them")],
        folds=folds,
        lanes=_lanes(facts),
        shared="1 partition of the carrier's feed, with the lanes of others",
        dedicated="1 partition for each core, each a set of lanes",
    )


def _keyed(number: int, facts: Facts, found: Mapping[str, StagePlace]) -> ExplainedStage:
    inside = [name for name in facts.placed if found[name].stage == number]
    homes = dict.fromkeys(found[name].home for name in inside)
    parts = [
        StagePart(keys=None if home is None else list(home), nodes=nodes, text=_by(home))
        for home in homes
        if (nodes := _nodes(number, home, facts, found))
    ]
    last = max(place.stage for place in found.values())
    spread = any(part.keys for part in parts)
    many = "1 bucket for each core" if last < 3 or number == 1 else "1 bucket, with all behind the second exchange"
    return ExplainedStage(
        number=number,
        kind="keyed",
        title="operators: events that meet are in one bucket",
        parts=parts,
        folds=[],
        lanes=_lanes(facts) if number == 1 else _buckets_before(number - 1),
        shared="1 bucket",
        dedicated=many if spread else "1 bucket: there is no key to spread by",
    )


def _nodes(number: int, home: tuple[str, ...] | None, facts: Facts, found: Mapping[str, StagePlace]) -> list[str]:
    return [
        name
        for name in facts.placed
        if (found[name].stage, found[name].home) == (number, home) and not isinstance(facts.nodes[name], OutputNode)
    ]


def _by(home: tuple[str, ...] | None) -> str:
    if home is None:
        return "no event meets another: all in one bucket"
    return f"by {listed(home)}" if home else "without a key, all in one bucket"


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


def buckets_of(stages: Sequence[ExplainedStage], facts: Facts) -> str:
    """How many buckets a dedicated carrier uses, and in how many stages: two at most.

    Several buckets need a key that says which rows of a stage ever meet. What needs a third exchange, or more, runs in
    one bucket behind the second. Where the outcome of a row may be decided behind the feed, one place has to decide it.
    """
    keyed = [[part.keys or [] for part in stage.parts] for stage in stages[1:-1]]
    homes = list(dict.fromkeys(tuple(keys) for parts in keyed for keys in parts))
    if not homes:
        return "No event meets another: a dedicated carrier uses one bucket, as a shared one does."
    named = [listed(keys) for keys in homes if keys]
    if not named:
        return "Events meet without a key: a dedicated carrier uses one bucket, as a shared one does."
    if len(keyed) == 1:
        without = "" if all(homes) else ", the first of them also for what has no key"
        said = f"Events meet by {', or by '.join(named)}: a dedicated carrier uses one bucket for each core{without}."
    else:
        many = (any(keyed[0]), len(keyed) == 2 and any(keyed[1]))
        if not any(many):
            return "Events meet by keys only after others do without: a dedicated carrier uses one bucket."
        before, behind = ("one bucket for each core" if each else "one bucket" for each in many)
        said = (
            f"Events meet by different keys, one after the other: a dedicated carrier uses {before} up to a second "
            f"exchange, and {behind} behind it."
        )
    return f"{said} {_ONE_PLACE}" if _late_outcomes(facts) else said


_ONE_PLACE: Final = "It uses one bucket where one place must decide on late events that are kept, or on too long ones."


def _late_outcomes(facts: Facts) -> bool:
    """Whether a window may refuse an event: one that is late and kept, or one that may be in too many windows."""
    inputs = [node for node in facts.graph.nodes if isinstance(node, InputNode)]
    lengthening = any(isinstance(node, SetDurationNode | ExtendNode) for node in facts.graph.nodes)
    keeping = any(settings.late is Late.KEEP for settings in facts.advance.values())
    return keeping or lengthening or any(facts.streams[node.stream].shape is not Shape.POINT for node in inputs)
