"""Estimate of the number of rows that fixed windows and joins keep at a time, from the rate of a sample."""

from collections.abc import Mapping, Sequence

from streaming.definition.checks.window_sizes import fixed_panes
from streaming.definition.counts import counted
from streaming.definition.graph import JoinNode, QueryGraph, TopKNode, WindowNode, sources
from streaming.definition.strict import Strict
from streaming.definition.windows import FixedWindow
from streaming.planning.explain.model import Explanation
from streaming.planning.explain.words import spoken
from streaming.preflight.measure import MeasuredInput
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_TICKS, TICKS_PER_S, Ticks, parse_duration


class StateEstimate(Strict):
    """The state that `node` keeps at a time, at most, as long as rows come as in the sample.

    `rows` that came in and still count, each in `windows` windows at once (1 for joins), and their approximate `bytes`
    of text. It is an upper bound: filters before the node are assumed to admit all rows.
    """

    node: str
    rows: int
    windows: int
    bytes: int
    text: str


def estimates(
    graph: QueryGraph,
    explanation: Explanation,
    settings: Mapping[str, AdvanceTime],
    measured: Mapping[str, MeasuredInput],
) -> list[StateEstimate]:
    """Estimate each fixed window, and each join of events of bounded length, if all of their inputs have a rate.

    `settings` and `measured` are by input node.
    """
    nodes = {node.id: node for node in graph.nodes}
    reached = _inputs_of(graph)
    lives = {each.id: each.lifetime.longest for each in explanation.nodes}
    found = []
    for name in (each.id for each in explanation.nodes):
        node, inputs = nodes[name], sorted(reached[name])
        rates = [measured[each].rows_per_s if each in measured else None for each in inputs]
        if None in rates:
            continue
        late = max(_behind(settings[each], measured[each].rows_per_s or 0.0) for each in inputs)
        rate = sum(each for each in rates if each is not None)
        size = max(measured[each].row_bytes for each in inputs)
        if isinstance(node, WindowNode | TopKNode) and isinstance(node.window, FixedWindow):
            found.append(_of_window(node, rate, late, size))
        elif isinstance(node, JoinNode) and None not in (longest := [lives[each] for each in sources(node)]):
            held = max(each for each in longest if each is not None) + late
            found.append(_of_join(node, rate, held, size))
    return found


def _behind(settings: AdvanceTime, rate: float) -> int:
    """Return about how many ticks the CTI is older than the newest event: the delay, and the time between two CTIs."""
    generate = settings.generate
    if generate is None:
        return 0
    between = generate.every_ticks
    if between is None:
        between = Ticks(round((generate.every_count or 0) / rate * TICKS_PER_S)) if rate else NO_TICKS
    return max(0, generate.delay + (between // 1_000) * 1_000)  # to the millisecond: it is an estimate


def _of_window(node: WindowNode | TopKNode, rate: float, late: int, row_bytes: int) -> StateEstimate:
    windows = fixed_panes(node)
    grace = 0 if not isinstance(node, WindowNode) or node.grace is None else parse_duration(node.grace)
    open_for = Ticks(windows.size + late + grace)
    rows, each_in = _rows(rate, open_for), 1 - (-windows.overlap // windows.hop)
    places = counted(each_in, "window")
    text = f"{counted(rows, 'row')}: {rate:,.4g} a second for {spoken(open_for)}, each in {places}"
    return StateEstimate(node=node.id, rows=rows, windows=each_in, bytes=rows * row_bytes, text=text)


def _of_join(node: JoinNode, rate: float, held: int, row_bytes: int) -> StateEstimate:
    rows = _rows(rate, Ticks(max(0, held)))
    text = (
        f"{counted(rows, 'row')}: {rate:,.4g} a second, each until the other side has passed its end ({spoken(held)})"
    )
    return StateEstimate(node=node.id, rows=rows, windows=1, bytes=rows * row_bytes, text=text)


def _rows(rate: float, kept: Ticks) -> int:
    return round(rate * kept / TICKS_PER_S)


def _inputs_of(graph: QueryGraph) -> dict[str, set[str]]:
    """Return for each node the input nodes that its rows come from."""
    nodes = {node.id: node for node in graph.nodes}
    found: dict[str, set[str]] = {}

    def visit(name: str) -> set[str]:
        if name not in found:
            near: Sequence[str] = sources(nodes[name])
            found[name] = {name} if not near else set().union(*(visit(each) for each in near))
        return found[name]

    for name in nodes:
        visit(name)
    return found
