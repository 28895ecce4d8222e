"""The slowest path from each input to each output, and the delay of CTIs on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from streaming.definition.checks.wiring import feeding
from streaming.definition.graph import InputNode, OutputNode
from streaming.planning.explain.clocks import behind_events
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.hold_bounds import amount
from streaming.planning.explain.model import ExplainedPath, ExplainedStep
from streaming.planning.explain.words import below, code, listed, spoken
from streaming.temporal.ticks import Ticks

MANY: Final = 200
"""The largest number of paths that are all listed."""


@dataclass(frozen=True)
class _SlowestWay:
    """The slowest path from a node to the output: the largest delay of CTIs in ticks, and the `next` node."""

    most: Ticks | None
    next: str | None


def paths_of(facts: Facts, held: Mapping[str, HoldBound]) -> Iterator[ExplainedPath]:
    """Yield a path for each output and each input that reaches it; if there are too many, only the slowest ones."""
    kinds = [type(node) for node in facts.graph.nodes]
    many = kinds.count(InputNode) * kinds.count(OutputNode) > MANY
    for output in facts.graph.nodes:
        if isinstance(output, OutputNode):
            ways = _ways(output, facts, held)
            names = [name for name in facts.placed if name in ways and isinstance(facts.nodes[name], InputNode)]
            for name in [max(names, key=lambda each: _slow(ways[each]))] if many else names:
                yield _path(name, output, ways, held, facts)


def _ways(output: OutputNode, facts: Facts, held: Mapping[str, HoldBound]) -> Mapping[str, _SlowestWay]:
    near = feeding(facts.graph, output.id)
    ways = {output.id: _SlowestWay(Ticks(0), None)}
    for name in reversed(facts.placed):
        if name in near and name != output.id:
            ways[name] = max(
                (_add_delay(reader, ways[reader], held[reader]) for reader in facts.readers[name] if reader in ways),
                key=_slow,
            )
    return ways


def _slow(way: _SlowestWay) -> tuple[bool, int]:
    return way.most is None, way.most or 0


def _add_delay(reader: str, way: _SlowestWay, held: HoldBound) -> _SlowestWay:
    bounded = way.most is not None and held.most is not None
    return _SlowestWay(Ticks((way.most or 0) + (held.most or 0)) if bounded else None, reader)


def _path(
    name: str, output: OutputNode, ways: Mapping[str, _SlowestWay], held: Mapping[str, HoldBound], facts: Facts
) -> ExplainedPath:
    through = [name]
    while (following := ways[through[-1]].next) is not None:
        through.append(following)
    steps = [
        ExplainedStep(node=each, at_most=held[each].most, text=amount(held[each]))
        for each in through
        if held[each].most != 0
    ]
    endless = [each for each in through if held[each].most is None]
    because = "; ".join(f"{code(each)}: {held[each].because}" for each in endless) or None
    most, clock = ways[name].most, behind_events(facts.advance[name])
    return ExplainedPath(
        input=name,
        output=output.id,
        through=through,
        steps=steps,
        at_most=most,
        because=because,
        behind_events=None if most is None or clock is None else Ticks(most + clock),
        text=_describe(name, output.id, most, endless),
    )


def _describe(name: str, output: str, most: Ticks | None, endless: list[str]) -> str:
    if most is None:
        return f"The CTI of {code(output)} may lag that of {code(name)} by any length; {listed(endless)} may delay it."
    return f"A row of {code(output)} that starts at t waits for {code(name)} until its CTI {describe_reached(most)}."


def describe_reached(most: Ticks) -> str:
    """Describe the CTI that makes rows that start at t final, if CTIs are delayed by `most` ticks."""
    if most > 0:
        return f"reaches t + {below(most)}"
    return f"is after t - {spoken(-most)}" if most else "is after t"
