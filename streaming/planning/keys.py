"""Keys of the rows that meet in a plan, before and after steps; `stages.py` distributes rows by them."""

from collections.abc import Mapping, Sequence

from streaming.definition.expressions.tree import Field
from streaming.planning.plan import (
    AnalyticSpec,
    Branch,
    ChopSpec,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    QueryPlan,
    StitchSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.sequences import SequenceSpec
from streaming.planning.steps import ProjectStep, Step

Key = tuple[str, ...]


class NoKeyError(Exception):
    """Some rows that meet have no common key."""


def alike(branches: Sequence[Branch], keys: Mapping[str, Key | None]) -> dict[str, Key]:
    """Return keys for branches so that all flows of a row go to one bucket; a branch without one gets the others' key.

    Raises `NoKeyError` if branches need different keys.
    """
    unfolded = [branch for branch in branches if branch.window is None]
    known = {branch.id: keys[branch.id] for branch in unfolded}
    entering = {before(key, branch.steps) for branch in unfolded if (key := known[branch.id]) is not None}
    if len(unfolded) < 2 or not entering:
        return {}
    if len(entering) > 1:
        raise NoKeyError
    (one,) = entering
    return {branch.id: _after(one, branch.steps) if (key := known[branch.id]) is None else key for branch in unfolded}


def uniform(spec: NodeSpec) -> bool:
    """Return whether the CTI of the node depends only on the CTIs of its ports, not on its events."""
    match spec:
        case SequenceSpec():
            return False
        case WindowSpec() | TopKSpec():
            return spec.fixed and not (isinstance(spec, WindowSpec) and spec.fill_gap is not None)
        case MatchSpec():
            return spec.kind == "asof_join" or (spec.kind == "join" and not spec.outer)
        case LifetimeSpec():
            return spec.kind in ("point_at_end", "order_edges")
        case StitchSpec() | AnalyticSpec():
            return False
        case UnionSpec() | ChopSpec() | OutputSpec():
            return True


def branches_of(plan: QueryPlan) -> list[Branch]:
    """Return the branches of all inputs."""
    return [branch for each in plan.inputs.values() for branch in each.branches]


def before(key: Key, steps: tuple[Step, ...]) -> Key:
    """Translate `key`, fields after `steps`, into fields before them. Raises `NoKeyError` if one is computed."""
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


def _after(key: Key, steps: tuple[Step, ...]) -> Key:
    """Translate `key`, fields before `steps`, into fields after them."""
    for step in steps:
        if isinstance(step, ProjectStep):
            kept = {of.path[0]: name for name, of, _ in step.columns if isinstance(of, Field) and len(of.path) == 1}
            if not set(key) <= kept.keys():
                raise NoKeyError
            key = tuple(kept[name] for name in key)
    return key
