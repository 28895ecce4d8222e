"""What it means that engine and reference agree on a case (law 8)."""

from collections import Counter
from collections.abc import Sequence

from streaming.wire.case import Case, CaseResult
from tests.reference.runs import net


def differences(case: Case, expected: CaseResult, seen: CaseResult, *, each_alone: bool) -> list[str]:
    """How `seen` differs from what the reference made of the same case; empty when it does not.

    `each_alone`: every row was a micro-batch of its own, so that with one lane of one input all CTIs are the same;
    otherwise an engine may leave out CTIs inside a micro-batch, and with several lanes or inputs, which have no common
    order in a micro-batch, the steps may be others: the last one is the same.
    """
    if seen.failure is not None:
        return [seen.failure]
    found = []
    if net(seen.events) != net(expected.events):
        missing, extra = net(expected.events) - net(seen.events), net(seen.events) - net(expected.events)
        found.append(f"rows missing {dict(missing)}, not expected {dict(extra)}")
    if _late(seen) != _late(expected):
        found.append(f"late missing {_late(expected) - _late(seen)}, not expected {_late(seen) - _late(expected)}")
    wants = {stream: dict(counts) for stream, counts in expected.outcomes.items()}
    haves = {stream: dict(counts) for stream, counts in seen.outcomes.items()}
    if haves != wants:
        found.append(f"outcomes are {haves}, expected {wants}")
    for output in sorted({*expected.ctis, *seen.ctis}):
        want, have = tuple(expected.ctis.get(output, ())), tuple(seen.ctis.get(output, ()))
        if not same_ctis(want, have, exact=each_alone and one_order(case), ordered=one_order(case)):
            found.append(f"ctis of {output} are {have}, expected {want}")
    return found


def one_order(case: Case) -> bool:
    """Whether all rows of the case have one order of arrival: one input, one lane."""
    return len(case.streams) == 1 and all(len(stream.lanes or [""]) == 1 for stream in case.streams.values())


def same_ctis(want: Sequence[int], have: Sequence[int], *, exact: bool, ordered: bool) -> bool:
    """Whether the CTIs of an output agree; `ordered`: those that are told stand among those of the reference."""
    if exact:
        return tuple(have) == tuple(want)
    rising = all(earlier < later for earlier, later in zip(have, have[1:], strict=False))
    return rising and tuple(have[-1:]) == tuple(want[-1:]) and (not ordered or set(have) <= set(want))


def _late(result: CaseResult) -> Counter[object]:
    return Counter(
        (each.stream, each.lane, each.position, each.outcome, each.reason, each.start, each.end, each.moved_by)
        for each in result.late
    )
