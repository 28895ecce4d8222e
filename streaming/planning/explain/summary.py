"""The few sentences that matter most: when rows of each output are final, and what moves no input."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.definition.wiring import feeding
from streaming.planning.explain.clocks import clock_of
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedPath
from streaming.planning.explain.paths import reached
from streaming.planning.explain.words import below, code, listed, spoken
from streaming.temporal.ticks import Ticks

FEW: Final = 5
"""Inputs that are named one by one."""


def summary_of(facts: Facts, paths: Sequence[ExplainedPath], held: Mapping[str, HoldBound]) -> Iterator[str]:
    """When rows of each output are final, and which inputs nothing moves but their adapters."""
    for output in dict.fromkeys(path.output for path in paths):
        yield _final(output, facts, [path for path in paths if path.output == output], held)
    for node in facts.graph.nodes:
        if isinstance(node, InputNode) and not clock_of(node, facts).advances:
            alone = f"{code(node.id)} moves by the CTIs of its adapter alone"
            yield f"{alone}; without them no result that waits for a CTI comes before the input ends."


def _final(output: str, facts: Facts, paths: Sequence[ExplainedPath], held: Mapping[str, HoldBound]) -> str:
    endless = dict.fromkeys(step.node for path in paths for step in path.steps if step.at_most is None)
    if endless:
        holding = "; ".join(f"{code(name)} waits, for {held[name].because}" for name in endless)
        return f"How long rows of {code(output)} wait is not bounded: {holding}."
    inputs = sum(isinstance(facts.nodes[name], InputNode) for name in feeding(facts.graph, output))
    newest = _newest(paths[0]) if inputs == 1 else ""
    return f"A row of {code(output)} that starts at t has left, at the latest, when {_when(inputs, paths)}.{newest}"


def _when(inputs: int, paths: Sequence[ExplainedPath]) -> str:
    """Which CTIs make it final; `inputs` is how many there are, of which only some may have a path."""
    if inputs > min(FEW, len(paths)):
        slowest = reached(Ticks(max(path.at_most or 0 for path in paths)))
        return f"the smallest CTI of its {counted(inputs, 'input')} {slowest}"
    reaching = {path.input: reached(Ticks(path.at_most or 0)) for path in paths}
    if len(set(reaching.values())) > 1:
        return f"all CTIs are there: {', '.join(f'that of {code(name)} {when}' for name, when in reaching.items())}"
    of = "the smallest CTI" if len(reaching) > 1 else "the CTI"
    return f"{of} of {listed(list(reaching))} {next(iter(reaching.values()))}"


def _newest(path: ExplainedPath) -> str:
    """The same in events, where the clock says how far it is behind them."""
    if path.behind_events is None:
        return ""
    return f" Its clock gets there with {_event(path.behind_events)} on each lane."


def _event(behind: Ticks) -> str:
    """The first event that moves a CTI beyond t, which is `behind` ticks behind the largest start."""
    if behind < 0:
        return "an event at t" if behind == -1 else f"an event {spoken(-behind - 1)} before t"
    exact, above = below(behind), spoken(behind)
    return f"an event {exact} after t" if len(exact) <= len(above) else f"an event more than {above} after t"
