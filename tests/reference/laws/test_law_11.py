"""Law 11: stitch undoes chop where no two events of one payload overlap, and neither changes how many live when."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.engine import execution as engine
from streaming.reference import execution as reference
from streaming.wire.execution.case import Case, CaseRow, EndMode

Span = tuple[int, int, str]
CHOP = {"kind": "chop", "period": 4, "offset": 1}
STITCH = {"kind": "stitch"}
PAYLOADS = ("a", "b")


def spans_of(lengths: Sequence[int], payload: str) -> list[Span]:
    """Return spans from neighbouring bounds; every other length is a gap, which may be empty."""
    bounds = list(accumulate(lengths, initial=-20))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return [(start, end, payload) for start, end in pairs if end > start]


SEPARATE = st.tuples(*(st.lists(st.integers(0, 9), max_size=12) for _ in PAYLOADS)).map(
    lambda lists: [span for each, payload in zip(lists, PAYLOADS, strict=True) for span in spans_of(each, payload)]
)
ANY = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(1, 12), st.sampled_from(PAYLOADS)).map(
        lambda each: (each[0], each[0] + each[1], each[2])
    ),
    max_size=8,
)


def result_of(spans: Sequence[Span], *nodes: dict[str, Any]) -> Counter[Span]:
    """Return what the nodes, one after another, make of the spans; the executors agree about it."""
    names = ["s", *(f"n{number}" for number in range(len(nodes)))]
    raw: list[dict[str, Any]] = [{"id": "s", "kind": "input", "stream": "s"}]
    raw += [{**node, "id": name, "input": read} for node, read, name in zip(nodes, names, names[1:], strict=False)]
    raw.append({"id": "out", "kind": "output", "input": names[-1]})
    graph = QueryGraph.model_validate({"version": 1, "name": "law", "nodes": raw})
    stream = StreamDefinition.model_validate({"shape": "interval", "fields": {"k": "string"}, "lanes": ["a"]})
    rows = [CaseRow("s", "a", 0, {"start": start, "end": end, "payload": {"k": k}}) for start, end, k in spans]
    case = Case("law", graph, {"s": stream}, tuple(rows), EndMode.FLUSH)
    one, other = (
        Counter((row.start, row.end, row.payload["k"]) for row in run(case).events)
        for run in (reference.run_case, engine.run_case)
    )
    assert one == other
    return one


@given(spans=SEPARATE)
def test_stitch_undoes_chop(spans: list[Span]) -> None:
    assert result_of(spans, CHOP, STITCH) == result_of(spans, STITCH)


@given(spans=ANY)
def test_as_many_events_live_at_every_tick(spans: list[Span]) -> None:
    expected = living(Counter(spans))
    assert living(result_of(spans, CHOP)) == expected
    assert living(result_of(spans, STITCH)) == expected
    assert living(result_of(spans, CHOP, STITCH)) == expected


def living(spans: Counter[Span]) -> Counter[tuple[int, str]]:
    found: Counter[tuple[int, str]] = Counter()
    for (start, end, payload), count in spans.items():
        for tick in range(start, end):
            found[tick, payload] += count
    return found


def test_the_law_distinguishes_something() -> None:
    spans = [(0, 9, "a"), (9, 12, "a")]
    assert result_of(spans, STITCH) == Counter({(0, 12, "a"): 1})
    assert result_of(spans, CHOP) == Counter({(0, 1, "a"): 1, (1, 5, "a"): 1, (5, 9, "a"): 1, (9, 12, "a"): 1})
