"""What a run has counted: its generations of state count on from run to run, and a report tells of one run alone.

The totals of a generation keep under `since` what of their counts is not the run's: those of runs before it; where the
run had an earlier generation, less what that one counted for it. Manifests of before have no `since`: there a report
counts from the first start of the binding.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from streaming.spark.moved import corrected_inputs
from streaming.temporal.ticks import INFINITY
from streaming.wire.messages import LATENESS_BUCKETS, RunSpec

Totals = dict[str, Any]
_BY_NAME = ("outcomes", "reasons")


def begin_run(totals: Totals, spec: RunSpec, before: Mapping[str, Totals]) -> None:
    """Note that what is counted in `totals` from now on belongs to the run of `spec`, if another one had them.

    `before`: the totals of all generations after the batch before, in one of which the run may have counted already.
    """
    if totals.get("run") == spec.run:
        return
    others = [each for each in before.values() if each["binding"] == spec.binding and each.get("run") == spec.run]
    since = _counts(totals)
    for each in others:
        since = _minus(since, counts_of_run(each))
    totals["run"], totals["since"] = spec.run, since


def counts_of_run(totals: Mapping[str, Any]) -> dict[str, Any]:
    """`results`, and `inputs` by name as InputCounts; CTIs and starts are those of the state that it goes on with."""
    counts = _counts(totals)
    return _minus(counts, totals["since"]) if "since" in totals else counts


def _counts(totals: Mapping[str, Any]) -> dict[str, Any]:
    lanes = corrected_inputs(totals["inputs"], totals.get("corrections", {}))
    return {"results": totals["results"], "inputs": {name: _input_counts(each) for name, each in lanes.items()}}


def _minus(counts: dict[str, Any], less: dict[str, Any]) -> dict[str, Any]:
    """`counts` less those of `less`; inputs that `counts` does not know yet are less than nothing."""
    inputs = dict(counts["inputs"])
    for name, taken in less["inputs"].items():
        own = inputs.get(name, _NONE)
        fewer = {key: _named(own[key], taken[key]) for key in _BY_NAME}
        lateness = [one - other for one, other in zip(own["lateness"], taken["lateness"], strict=True)]
        inputs[name] = {**own, **fewer, "lateness": lateness, "received": own["received"] - taken["received"]}
    return {"results": counts["results"] - less["results"], "inputs": inputs}


def _named(counts: Mapping[str, int], less: Mapping[str, int]) -> dict[str, int]:
    left = {name: counts.get(name, 0) - less.get(name, 0) for name in (*counts, *less)}
    return {name: count for name, count in left.items() if count}


_NONE: dict[str, Any] = {
    "received": 0,
    "outcomes": {},
    "reasons": {},
    "lateness": [0] * LATENESS_BUCKETS,
    "cti": None,
    "ended": False,
    "largest_start": None,
}


def _input_counts(lanes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """InputCounts of all lanes together; the CTI of an input is the minimum over its lanes (T14)."""
    each = list(lanes.values())
    ctis = [lane["cti"] for lane in each]
    starts = [lane["largest_start"] for lane in each if lane["largest_start"] is not None]
    cti = None if None in ctis else min(ctis)
    return {
        "received": sum(lane["received"] for lane in each),
        "outcomes": _summed(lane["outcomes"] for lane in each),
        "reasons": _summed(lane["reasons"] for lane in each),
        "lateness": [sum(column) for column in zip(*(lane["lateness"] for lane in each), strict=True)],
        "cti": None if cti == INFINITY else cti,
        "ended": all(lane["ended"] for lane in each),
        "largest_start": max(starts, default=None),
    }


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total
