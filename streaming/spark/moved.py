"""The CTIs of a binding's outputs over all its buckets: each bucket has its own, and a result's is the smallest."""

from collections.abc import Mapping, Sequence
from typing import Any

Moved = Mapping[str, Mapping[int, Sequence[int]]]
"""By output and bucket, the CTIs that moved in a batch, rising."""


def moved_over(totals: dict[str, Any], moved: Moved, buckets_of: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """The CTIs of each output that moved in the batch; notes in `totals` how far each of its buckets has come.

    Where all buckets moved alike these are all their CTIs. Otherwise it is the smallest over the buckets, if that rose:
    where one has told none yet there is none. Writing the same batch again over the same totals tells the same.
    """
    found: dict[str, list[int]] = {}
    for output, by_bucket in moved.items():
        buckets = buckets_of[output]
        reached = totals.setdefault("reached", {}).setdefault(output, {})
        before = _smallest(reached, buckets)
        reached.update({str(bucket): ctis[-1] for bucket, ctis in by_bucket.items()})
        after = _smallest(reached, buckets)
        if after is None or (before is not None and after <= before):
            continue
        lists = {tuple(ctis) for ctis in by_bucket.values()}
        alike = len(lists) == 1 and set(by_bucket) == set(buckets)
        found[output] = list(next(iter(lists))) if alike else [after]
        totals["ctis"][output] = after
    return found


def _smallest(reached: Mapping[str, int], buckets: Sequence[int]) -> int | None:
    known = [reached.get(str(bucket)) for bucket in buckets]
    return None if None in known else min(each for each in known if each is not None)


def corrected_inputs(
    inputs: Mapping[str, Mapping[str, Mapping[str, Any]]], corrections: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """The counts of each lane with what operators changed, as totals of each bucket (`pending_outcomes`)."""
    if not corrections:
        return inputs
    found = {name: {lane: dict(counts) for lane, counts in lanes.items()} for name, lanes in inputs.items()}
    for by_input in corrections.values():
        for name, lanes in by_input.items():
            for lane, changes in lanes.items():
                counts = found[name][lane]
                for what in ("outcomes", "reasons"):
                    changed = dict(counts[what])
                    for key, change in changes[what].items():
                        changed[key] = changed.get(key, 0) + change
                    counts[what] = {key: count for key, count in changed.items() if count}
    return found
