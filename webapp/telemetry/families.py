"""The metrics of one scrape, filled sample by sample and written by `prometheus_client`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client import Metric
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from webapp.core.http.process_metrics import MetricDefinition

TICKS_PER_S: Final = 1_000_000
_DOUBLINGS: Final = range(10, 38, 2)
"""The buckets end before 2**10 ticks (1.02 ms), 2**12 ... 2**36 (19 h); the last one has no end."""
_LIMITS: Final = tuple(repr((2**doubling - 1) / TICKS_PER_S) for doubling in _DOUBLINGS)
"""The largest duration of each bucket: durations are whole ticks, and `le` is inclusive."""
Labels = dict[str, str]


def measured(buckets: Mapping[int, int]) -> list[int]:
    """Count `streaming.wire.measures` buckets by limit: at each limit the durations above the previous one."""
    return _by_limit((_DOUBLINGS.start + (bucket + 3) // 4, count) for bucket, count in buckets.items())


def late(lateness: Sequence[int]) -> list[int]:
    """Count the lateness of a report by limit: its bucket i has durations in `[2**i, 2**(i+1))` ticks."""
    return _by_limit((bucket + 1, count) for bucket, count in enumerate(lateness))


def _by_limit(counted: Iterable[tuple[int, int]]) -> list[int]:
    """Count pairs of d and a number of durations below 2**d; the last count is above all limits."""
    counts = [0] * (len(_LIMITS) + 1)
    for doubling, count in counted:
        counts[min(max(0, (doubling - _DOUBLINGS.start + 1) // 2), len(_LIMITS))] += count
    return counts


class MetricFamilies(Collector):
    """The samples of the metrics in `wanted`; samples of others are ignored."""

    def __init__(self, wanted: Collection[MetricDefinition]) -> None:
        self._families = {each.name: _family(each) for each in wanted}

    def add(self, metric: MetricDefinition, labels: Labels, value: float | None) -> None:
        """Add a sample; None: the value is not known, and no sample says so."""
        family = self._families.get(metric.name)
        if family is not None and value is not None:
            family.samples.append(Sample(metric.name, labels, float(value)))

    def add_time(self, metric: MetricDefinition, labels: Labels, tick: int | None) -> None:
        """Add a tick as seconds since 1970."""
        self.add(metric, labels, None if tick is None else tick / TICKS_PER_S)

    def add_counts(self, metric: MetricDefinition, labels: Labels, counts: Sequence[int]) -> None:
        """Add a histogram of counts by limit. Reports have no sum of durations, so it has none."""
        family = self._families.get(metric.name)
        if family is None:
            return
        for limit, count in zip((*_LIMITS, "+Inf"), accumulate(counts), strict=True):
            family.samples.append(Sample(f"{metric.name}_bucket", {**labels, "le": limit}, float(count)))

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics that have samples, in the order of the inventory."""
        yield from (family for family in self._families.values() if family.samples)


def _family(metric: MetricDefinition) -> Metric:
    name = metric.name.removesuffix("_total").removesuffix("_info")
    unit = metric.unit if name.endswith(f"_{metric.unit}") else ""
    return Metric(name, metric.meaning, metric.type.value, unit)
