"""Keys that Spark's own hash spreads evenly over its partitions; a few arbitrary names would land very unevenly."""

from collections.abc import Sequence
from typing import Final

from pyspark.sql import SparkSession

PAGES_A_PARTITION: Final = 16
_CANDIDATES: Final = 8
"""The number of candidates per wanted key; there are at least 64 in total."""
Key = tuple[str, int]
"""The place and the bucket of an envelope."""


def evenly(session: SparkSession, candidates: Sequence[Key], partitions: int, wanted: int) -> list[Key]:
    """Return `wanted` of the `candidates`, taken in turn from those of each of Spark's `partitions`."""
    values = ", ".join(f"('{_quoted(place)}', {bucket})" for place, bucket in candidates)
    known = session.sql(f"values {values} as t(place, bucket)")
    # The optimizer computes this without a job, because the statement contains the values.
    rows = known.selectExpr("place", "bucket", f"pmod(hash(place, bucket), {partitions}) as home").collect()
    by_home: dict[int, list[Key]] = {}
    for row in rows:
        by_home.setdefault(row["home"], []).append((row["place"], row["bucket"]))
    homes = sorted(by_home)
    return [by_home[homes[index % len(homes)]].pop(0) for index in range(wanted)]


def even_buckets(session: SparkSession, place: str, partitions: int, wanted: int) -> list[int]:
    """Return the ids of `wanted` buckets of the binding at `place`."""
    candidates = [(place, bucket) for bucket in range(64 * wanted)]
    return [bucket for _, bucket in evenly(session, candidates, partitions, wanted)]


def even_pages(session: SparkSession, partitions: int) -> list[str]:
    """Return the names of the pages of a new carrier."""
    wanted = PAGES_A_PARTITION * partitions
    candidates = [(f"page-{number}", 0) for number in range(max(_CANDIDATES * wanted, 64))]
    return [place for place, _ in evenly(session, candidates, partitions, wanted)]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
