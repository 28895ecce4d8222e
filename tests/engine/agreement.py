"""Agreement of engine and reference on a case (law 8)."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from streaming.definition.graph import AntiJoinNode, SemiJoinNode, WindowNode
from streaming.wire.execution.case import Case, CaseResult, EndMode
from tests.reference.laws.runs import net


def differences(case: Case, expected: CaseResult, seen: CaseResult, *, each_alone: bool) -> list[str]:
    """Return how `seen` differs from the reference's result of the same case; empty if it does not.

    `each_alone`: every row was its own micro-batch, so all CTIs are the same. Otherwise rows of a micro-batch have no
    order: an engine reports rising CTIs, and the last is not smaller than the reference's, unless an input ended inside
    a micro-batch. Imported CTIs come with those of the micro-batch at whose end they take effect (T26). With a bound on
    the arrival, a single row may give two CTIs, before it is judged and after (T9, azure).
    """
    if seen.failure is not None:
        return [seen.failure]
    found = []
    imports = any(stream.advance.import_from for stream in case.streams.values())
    exact = each_alone and not imports and not _bounded(case)
    if net(seen.events) != net(expected.events):
        missing, extra = net(expected.events) - net(seen.events), net(seen.events) - net(expected.events)
        found.append(f"rows missing {dict(missing)}, not expected {dict(extra)}")
    if _late(seen) != _late(expected):
        found.append(f"late missing {_late(expected) - _late(seen)}, not expected {_late(seen) - _late(expected)}")
    wants = {stream: dict(counts) for stream, counts in expected.outcomes.items()}
    haves = {stream: dict(counts) for stream, counts in seen.outcomes.items()}
    if haves != wants:
        found.append(f"outcomes are {haves}, expected {wants}")
    if _counts_alike(case) and seen.failures != expected.failures:
        found.append(f"failures are {seen.failures}, expected {expected.failures}")
    for output in sorted({*expected.ctis, *seen.ctis}):
        want, have = tuple(expected.ctis.get(output, ())), tuple(seen.ctis.get(output, ()))
        ends = ends_inside(case) or (imports and case.end is EndMode.STOP)
        if not same_ctis(want, have, exact=exact, ends=ends):
            found.append(f"ctis of {output} are {have}, expected {want}")
    return found


def _counts_alike(case: Case) -> bool:
    """Return true if failures are counted alike.

    Not if rows are provisional, because the cuts decide which rows there are. Nor if `where` is evaluated for the pairs
    of an anti or semi join, because an engine evaluates them as often as necessary.
    """
    provisional = any(isinstance(node, WindowNode) and node.emit != "final" for node in case.graph.nodes)
    pairs = any(isinstance(node, AntiJoinNode | SemiJoinNode) for node in case.graph.nodes)
    return not provisional and not pairs


def ends_inside(case: Case) -> bool:
    """Return true if a row ends an input."""
    return any("cti" in row.fields and row.fields["cti"] is None for row in case.rows)


def _bounded(case: Case) -> bool:
    return any((stream.advance.preset or "").startswith("azure") for stream in case.streams.values())


def same_ctis(want: Sequence[int], have: Sequence[int], *, exact: bool, ends: bool) -> bool:
    """Return true if the CTIs of an output agree."""
    if exact:
        return tuple(have) == tuple(want)
    rising = all(earlier < later for earlier, later in pairwise(have))
    return rising and (ends or tuple(have[-1:]) >= tuple(want[-1:]))


def _late(result: CaseResult) -> Counter[object]:
    return Counter(
        (each.stream, each.lane, each.position, each.outcome, each.reason, each.start, each.end, each.moved_by)
        for each in result.late
    )
