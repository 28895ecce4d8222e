"""Whether a plan can run in several buckets: whether one key says, from the inputs on, which rows ever meet."""

from dataclasses import replace

from streaming.definition.expressions.tree import Field
from streaming.engine.plan import (
    Branch,
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

Key = tuple[str, ...]


class _OneBucketError(Exception):
    """Some rows that meet have no key in common."""


def partitioned(plan: Plan, buckets: int) -> Plan:
    """`plan` with the fields that say the bucket of each branch's rows, or with one bucket where there are none.

    Chosen from the outputs back: a node that groups or matches by key needs rows with an equal key in one bucket; what
    nodes behind it need must be among its own keys. Several buckets need every branch to have a key, for a row in the
    wrong bucket would meet nothing. One clock's order of rows and CTIs (`ordered`) needs one bucket too.
    """
    if buckets == 1 or plan.ordered:
        return plan
    try:
        keys = _keys(plan)
    except _OneBucketError:
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
            _note(needed, wire.source, _before(own, wire.steps))
    stateless = {branch.id for branch in _branches(plan) if _goes_out(plan, branch)}
    for branch in _branches(plan):
        if not needed.setdefault(branch.id, ()) and branch.id not in stateless:
            raise _OneBucketError
    return needed


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


def _branches(plan: Plan) -> list[Branch]:
    return [branch for each in plan.inputs.values() for branch in each.branches]


def _goes_out(plan: Plan, branch: Branch) -> bool:
    """Whether the branch ends at an output: then its rows meet nothing."""
    readers = (node for node in plan.nodes if any(wire.source == branch.id for wire in node.ports))
    return all(isinstance(node.spec, OutputSpec) for node in readers)


def _note(needed: dict[str, Key], source: str, key: Key) -> None:
    if not key:
        return
    if needed.setdefault(source, key) != key:
        raise _OneBucketError


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
        raise _OneBucketError
    return behind or own


def _before(key: Key, steps: tuple[Step, ...]) -> Key:
    """`key`, fields behind `steps`, as the fields before them."""
    for step in reversed(steps):
        if isinstance(step, ProjectStep):
            columns = {name: of for name, of, _ in step.columns}
            found = []
            for name in key:
                of = columns[name]
                if not isinstance(of, Field) or len(of.path) != 1:
                    raise _OneBucketError
                found.append(of.path[0])
            key = tuple(found)
    return key
