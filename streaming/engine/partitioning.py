"""Whether a plan can run in several buckets: whether one key says, from the inputs on, which rows ever meet.

Where none does, `stages.py` may cut the plan in two. What neither spreads runs in one bucket: plans that hang on the
order of rows and CTIs (`ordered`), and those of which a row that is watched (`WATCHED_SCHEMA`) would have its outcome
decided in several buckets or beyond the cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streaming.definition.expressions.tree import Field
from streaming.engine.plan import (
    Branch,
    InputPlan,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    Plan,
    ProjectStep,
    Step,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.temporal.settings import Late

Key = tuple[str, ...]


class NoKeyError(Exception):
    """Some rows that meet have no key in common."""


def partitioned(plan: Plan, buckets: int) -> Plan:
    """`plan` with the fields that say the bucket of each branch's rows, or with one bucket where there are none.

    Chosen from the outputs back: a node that groups or matches by key needs rows with an equal key in one bucket; what
    nodes behind it need must be among its own keys. Several buckets need every branch to have a key, for a row in the
    wrong bucket would meet nothing. One clock's order of rows and CTIs (`ordered`) needs one bucket too, and so does a
    row whose outcome all its ways decide together (T12) if they had no key in common.
    """
    if buckets == 1 or plan.ordered:
        return plan
    try:
        keys = _keys(plan)
        for each in plan.inputs.values():
            if _watched(plan, each):
                keys.update(alike(each.branches, {name: key or None for name, key in keys.items()}))
    except NoKeyError:
        return plan
    inputs = {
        name: replace(each, branches=tuple(replace(branch, keys=keys[branch.id]) for branch in each.branches))
        for name, each in plan.inputs.items()
    }
    return replace(plan, inputs=inputs, buckets=buckets)


def _keys(plan: Plan) -> dict[str, Key]:
    """By branch and node the key that its readers need, () where none needs any."""
    needed: dict[str, Key] = {}
    for node in reversed(plan.nodes):
        own = _needs(node.spec, needed.get(node.id, ()))
        for wire in node.ports:
            _note(needed, wire.source, before(own, wire.steps))
    stateless = {branch.id for branch in branches_of(plan) if _goes_out(plan, branch)}
    for branch in branches_of(plan):
        if not needed.setdefault(branch.id, ()) and branch.id not in stateless:
            raise NoKeyError
    return needed


def _watched(plan: Plan, each: InputPlan) -> bool:
    """Whether some rows of the input are watched (`WATCHED_SCHEMA`)."""
    folded = any(branch.window is not None for branch in each.branches)
    return folded or each.watch_longer is not None or (plan.watched and each.advance.late is Late.KEEP)


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


def branches_of(plan: Plan) -> list[Branch]:
    """The branches of all inputs."""
    return [branch for each in plan.inputs.values() for branch in each.branches]


def _goes_out(plan: Plan, branch: Branch) -> bool:
    """Whether the branch ends at an output: then its rows meet nothing."""
    readers = (node for node in plan.nodes if any(wire.source == branch.id for wire in node.ports))
    return all(isinstance(node.spec, OutputSpec) for node in readers)


def _note(needed: dict[str, Key], source: str, key: Key) -> None:
    if not key:
        return
    if needed.setdefault(source, key) != key:
        raise NoKeyError


def _needs(spec: NodeSpec, behind: Key) -> Key:
    """The key by which the ports of a node must be spread, where its readers need `behind`."""
    match spec:
        case WindowSpec() | TopKSpec():
            own: Key = spec.group_by
        case MatchSpec():
            own = spec.keys
        case UnionSpec() | LifetimeSpec() | OutputSpec():
            return behind
    if not own or not set(behind) <= set(own):
        raise NoKeyError
    return behind or own


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
