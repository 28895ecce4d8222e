"""Conversion of the state of a bucket to another version of its query with other aggregates."""

from collections.abc import Iterable, Mapping

from streaming.engine.operators.windows.folded_window import FoldedWindowKernel
from streaming.engine.state.bucket_state import BucketState
from streaming.engine.state.state_store import StateStore
from streaming.planning.plan import PlannedStage, QueryPlan, WindowSpec


def widens(before: QueryPlan, after: QueryPlan, nodes: Iterable[str]) -> bool:
    """Return true if `widen` can convert the windows `nodes`.

    In both versions, their state has to be partials in the same stage.
    """
    first = _folded(before).keys() & _folded(after).keys()
    if before.second is not None and after.second is not None:
        first |= _folded(before.second).keys() & _folded(after.second).keys()
    return first.issuperset(nodes)


def widen(
    before: PlannedStage, after: PlannedStage, begin_empty: Mapping[str, Iterable[str]], store: StateStore
) -> None:
    """Convert the state of `before` in `store` to the form of `after`.

    `begin_empty` (`definition/widening.py`): the windows with other aggregates, and the aggregates that start empty;
    some windows may be in another stage. All other state is the same in both.
    """
    olds, news = _folded(before), _folded(after)
    memory = BucketState(store)
    for node, names in ((node, names) for node, names in begin_empty.items() if node in olds):
        FoldedWindowKernel(news[node]).widen(olds[node], names, memory.node(node))
    memory.write()


def _folded(stage: PlannedStage) -> dict[str, WindowSpec]:
    specs = (node.spec for node in stage.nodes)
    return {spec.node: spec for spec in specs if isinstance(spec, WindowSpec) and spec.folded}
