"""Envelopes on their way between Spark's workers and its JVM."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from streaming.spark.messages.carrier_messages import MessageKind
from streaming.spark.messages.envelope import CarrierMessage, Packed, batches_of, packed, rows_of, unpacked
from streaming.spark.messages.shared_keys import place_of
from streaming.temporal.ticks import INFINITY, NO_CTI

LARGE = 600_000
"""Two chunks of this size do not fit into one content."""
NAMES = st.text(max_size=5)
PAGES = st.sampled_from([(), ("page-0",), ("page-0", "page-1")])
ROWS = st.builds(
    CarrierMessage,
    binding=st.sampled_from(["a@1", "b@2", "c@3"]),
    bucket=st.integers(0, 1),
    entry=st.integers(1, 2**62),
    batch=st.integers(1, 2**62),
    input=NAMES,
    lane=NAMES,
    seq=st.integers(0, 2**31 - 1),
    cti=st.sampled_from([NO_CTI, -1, 0, INFINITY]),
    kind=st.sampled_from(MessageKind),
    chunk=st.one_of(st.binary(max_size=9), st.integers(0, 2).map(lambda times: bytes(times * LARGE))),
)


def opened(contents: list[Packed]) -> list[list[CarrierMessage]]:
    return [list(unpacked(*each)) for each in contents]


@given(st.lists(ROWS, max_size=6), PAGES)
def test_envelopes_arrive_unchanged(rows: list[CarrierMessage], pages: tuple[str, ...]) -> None:
    assert [row for each in opened(list(packed(rows, pages))) for row in each] == rows
    assert [row for batch in batches_of(rows, pages) for row in rows_of(batch)] == rows


@given(st.lists(ROWS, max_size=6), PAGES)
def test_a_content_belongs_to_one_place_and_bucket_and_is_small_or_a_single_envelope(
    rows: list[CarrierMessage], pages: tuple[str, ...]
) -> None:
    def home(row: CarrierMessage) -> tuple[str, int]:
        return place_of(row.binding, pages), row.bucket

    sent = list(packed(rows, pages))
    contents = opened(sent)
    for held, (place, bucket, _) in zip(contents, sent, strict=True):
        assert {home(row) for row in held} == {(place, bucket)}
        assert len(held) == 1 or sum(len(row.chunk) for row in held) <= 1 << 20
    for before, after in pairwise(contents):
        fits = sum(len(row.chunk) for row in (*before, after[0])) <= 1 << 20
        assert not (fits and home(before[0]) == home(after[0]))
