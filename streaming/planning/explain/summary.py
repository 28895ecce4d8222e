"""The most important sentences: when rows of each output are final, and inputs without a clock."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from streaming.definition.checks.wiring import feeding
from streaming.definition.counts import counted
from streaming.definition.graph import InputNode
from streaming.planning.explain.clocks import clock_of
from streaming.planning.explain.explain_facts import Facts
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.model import ExplainedPath
from streaming.planning.explain.paths import describe_reached
from streaming.planning.explain.words import below, code, listed, spoken
from streaming.temporal.ticks import Ticks

FEW: Final = 5
"""The largest number of inputs that are named one by one."""


def summary_of(facts: Facts, paths: Sequence[ExplainedPath], held: Mapping[str, HoldBound]) -> Iterator[str]:
    """Yield when rows of each output are final, and the inputs that only their adapters advance."""
    for output in dict.fromkeys(path.output for path in paths):
        yield _final(output, facts, [path for path in paths if path.output == output], held)
    for node in facts.graph.nodes:
        if isinstance(node, InputNode) and not clock_of(node, facts).advances:
            alone = f"Only CTIs of its adapter advance {code(node.id)}"
            yield f"{alone}. Without them, no result that waits for a CTI appears before the input ends."


def _final(output: str, facts: Facts, paths: Sequence[ExplainedPath], held: Mapping[str, HoldBound]) -> str:
    endless = dict.fromkeys(step.node for path in paths for step in path.steps if step.at_most is None)
    if endless:
        holding = "; ".join(f"{code(name)} waits, because {held[name].because}" for name in endless)
        return f"Rows of {code(output)} may wait without a bound: {holding}."
    inputs = sum(isinstance(facts.nodes[name], InputNode) for name in feeding(facts.graph, output))
    newest = _newest(paths[0]) if inputs == 1 else ""
    return f"A row of {code(output)} that starts at t is emitted, at the latest, when {_when(inputs, paths)}.{newest}"


def _when(inputs: int, paths: Sequence[ExplainedPath]) -> str:
    """Describe the CTIs that make it final; `inputs` is their number, and only some may have a path."""
    if inputs > min(FEW, len(paths)):
        slowest = describe_reached(Ticks(max(path.at_most or 0 for path in paths)))
        return f"the smallest CTI of its {counted(inputs, 'input')} {slowest}"
    reaching = {path.input: describe_reached(Ticks(path.at_most or 0)) for path in paths}
    if len(set(reaching.values())) > 1:
        return f"all of these hold: {', '.join(f'the CTI of {code(name)} {when}' for name, when in reaching.items())}"
    of = "the smallest CTI" if len(reaching) > 1 else "the CTI"
    return f"{of} of {listed(list(reaching))} {next(iter(reaching.values()))}"


def _newest(path: ExplainedPath) -> str:
    """Return the same in terms of events, if the clock's delay is known."""
    if path.behind_events is None:
        return ""
    return f" Its clock reaches that with {_event(path.behind_events)} on each lane."


def _event(behind: Ticks) -> str:
    """Describe the first event that advances the CTI, which lags the largest start by `behind` ticks, past t."""
    if behind < 0:
        return "an event at t" if behind == -1 else f"an event {spoken(-behind - 1)} before t"
    exact, above = below(behind), spoken(behind)
    return f"an event {exact} after t" if len(exact) <= len(above) else f"an event more than {above} after t"
