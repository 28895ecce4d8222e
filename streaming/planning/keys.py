"""Keys that say which rows of a plan meet, before and behind steps, and what hangs on them; `stages.py` spreads so."""

from collections.abc import Mapping, Sequence

from streaming.definition.expressions.tree import Field
from streaming.planning.plan import (
    Branch,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    QueryPlan,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.steps import ProjectStep, Step

Key = tuple[str, ...]


class NoKeyError(Exception):
    """Some rows that meet have no key in common."""


def alike(branches: Sequence[Branch], keys: Mapping[str, Key | None]) -> dict[str, Key]:
    """The keys of branches all flows of a row of which go to one bucket; those without one take that of the others.

    Raises `NoKeyError` where they need different ones.
    """
    unfolded = [branch for branch in branches if branch.window is None]
    known = {branch.id: keys[branch.id] for branch in unfolded}
    entering = {before(key, branch.steps) for branch in unfolded if (key := known[branch.id]) is not None}
    if len(unfolded) < 2 or not entering:
        return {}
    if len(entering) > 1:
        raise NoKeyError
    (one,) = entering
    return {branch.id: _behind(one, branch.steps) if (key := known[branch.id]) is None else key for branch in unfolded}


def uniform(spec: NodeSpec) -> bool:
    """Whether the CTI of the node hangs on the CTIs of its ports alone, whatever events it has."""
    match spec:
        case WindowSpec() | TopKSpec():
            return spec.fixed and not (isinstance(spec, WindowSpec) and spec.fill_gap is not None)
        case MatchSpec():
            return spec.kind == "asof_join" or (spec.kind == "join" and not spec.outer)
        case LifetimeSpec():
            return spec.kind in ("point_at_end", "order_edges")
        case UnionSpec() | OutputSpec():
            return True


def branches_of(plan: QueryPlan) -> list[Branch]:
    """The branches of all inputs."""
    return [branch for each in plan.inputs.values() for branch in each.branches]


def before(key: Key, steps: tuple[Step, ...]) -> Key:
    """`key`, fields behind `steps`, as the fields before them. Raises `NoKeyError` where one of them is computed."""
    for step in reversed(steps):
        if isinstance(step, ProjectStep):
            columns = {name: of for name, of, _ in step.columns}
            found = []
            for name in key:
                of = columns[name]
                if not isinstance(of, Field) or len(of.path) != 1:
                    raise NoKeyError
                found.append(of.path[0])
            key = tuple(found)
    return key


def _behind(key: Key, steps: tuple[Step, ...]) -> Key:
    """`key`, fields before `steps`, as the fields behind them."""
    for step in steps:
        if isinstance(step, ProjectStep):
            kept = {of.path[0]: name for name, of, _ in step.columns if isinstance(of, Field) and len(of.path) == 1}
            if not set(key) <= kept.keys():
                raise NoKeyError
            key = tuple(kept[name] for name in key)
    return key
