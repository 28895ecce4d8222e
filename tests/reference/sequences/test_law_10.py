"""Law 10: a sequence equals the batch search over all rows, written here a second time, by plain enumeration."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from streaming.engine import execution as engine
from streaming.engine.operators.sequences import group_store, masked_search
from streaming.reference import execution as reference
from streaming.transcripts.format import Transcript
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript
from streaming.transcripts.prepare import define, prepare
from tests.engine.agreement import differences
from tests.reference.laws.runs import cut

UNBOUNDED = 1_000_000
"""No WITHIN; longer than all rows of a case."""
FEW_POINTS = st.sampled_from([0, 1, 3, masked_search.FEW_POINTS])
"""Attempts that the engine decides on their own; longer ones share their work."""
Row = tuple[int, int]
"""A start and a value."""


@dataclass(frozen=True)
class Drawn:
    """A pattern as nested lists, its text, and options of the node."""

    pattern: Any
    text: str
    within: int
    after: Any
    rows: tuple[Row, ...]


CONDITIONS: dict[str, tuple[str, Callable[[list[tuple[str, int]], int, tuple[Row, ...]], bool]]] = {
    "A": ("v < 4", lambda taken, at, rows: rows[at][1] < 4),
    "B": ("B.v >= 2", lambda taken, at, rows: rows[at][1] >= 2),
    "C": ("v > FIRST(v)", lambda taken, at, rows: rows[at][1] > rows[taken[0][1]][1]),
    "D": (
        "COUNT(*) > 1 AND v <> PREV(v)",
        lambda taken, at, rows: len(taken) > 1 and at > 0 and rows[at][1] != rows[at - 1][1],
    ),
}


@st.composite
def patterns(draw: st.DrawFn, names: str, depth: int = 2) -> tuple[Any, str]:
    kind = draw(st.sampled_from(["take", "take", "seq", "or", "many"] if depth else ["take"]))
    if kind == "take":
        name = draw(st.sampled_from(names))
        return ("take", name), name
    if kind == "many":
        inner, text = draw(patterns(names, depth - 1))
        least, most, sign = draw(st.sampled_from([(0, None, "*"), (1, None, "+"), (0, 1, "?"), (2, 3, "{2,3}")]))
        lazy = draw(st.booleans())
        return ("many", inner, least, most, lazy), f"({text}){sign}{'?' if lazy else ''}"
    parts = draw(st.lists(patterns(names, depth - 1), min_size=2, max_size=2))
    text = (" | " if kind == "or" else " ").join(text for _, text in parts)
    return (kind, [part for part, _ in parts]), f"({text})"


def paths(pattern: Any, taken: list[tuple[str, int]], first: int, case: Drawn) -> Iterator[list[tuple[str, int]]]:
    """Yield every way in which `pattern` continues the path, the most preferred first."""
    kind = pattern[0]
    if kind == "take":
        at = first + len(taken)
        if at < len(case.rows) and case.rows[at][0] < case.rows[first][0] + case.within:
            longer = [*taken, (pattern[1], at)]
            if CONDITIONS[pattern[1]][1](longer, at, case.rows):
                yield longer
    elif kind == "seq":
        for before in paths(pattern[1][0], taken, first, case):
            yield from paths(pattern[1][1], before, first, case)
    elif kind == "or":
        for part in pattern[1]:
            yield from paths(part, taken, first, case)
    else:
        yield from rounds(pattern, 0, taken, first, case)


def rounds(
    pattern: Any, done: int, taken: list[tuple[str, int]], first: int, case: Drawn
) -> Iterator[list[tuple[str, int]]]:
    _, inner, least, most, lazy = pattern
    if lazy and done >= least:
        yield taken
    if most is None or done < most:
        for longer in paths(inner, taken, first, case):
            if len(longer) == len(taken):
                yield longer
            else:
                yield from rounds(pattern, done + 1, longer, first, case)
    if not lazy and done >= least:
        yield taken


def batch_search(case: Drawn) -> list[tuple[int, str]]:
    """Return for each match the start of its row, and its variables with the values that they took."""
    found, first = [], 0
    while first < len(case.rows):
        match = next(paths(case.pattern, [], first, case), None)
        if match is None:
            first += 1
            continue
        moment = case.rows[match[-1][1]][0] if match else case.rows[first][0]
        found.append((moment, "".join(f"{name}{case.rows[at][1]}" for name, at in match)))
        first = match[-1][1] + 1 if match and case.after == "past_last_row" else first + 1
    return found


@st.composite
def cases(draw: st.DrawFn) -> Drawn:
    # the conditions of A and B depend on their own row alone
    pattern, text = draw(patterns(draw(st.sampled_from(["AB", "ABCD"]))))
    steps = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=7))
    rows, at = [], 0
    for step, value in steps:
        at += step
        rows.append((at, value))
    after = draw(st.sampled_from(["past_last_row", "next_row"]))
    within = draw(st.one_of(st.integers(1, 12), st.just(UNBOUNDED)))
    return Drawn(pattern, text, within, after, tuple(sorted(rows)))


def transcript(case: Drawn, ctis: list[int], emit: str = "final") -> Transcript:
    """Return the case as a transcript with CTIs between its rows; its matches as one text each."""
    used = [name for name in "ABCD" if name in case.text]
    node = {
        "id": "m",
        "kind": "match_recognize",
        "input": "s",
        "pattern": case.text,
        "within": None if case.within == UNBOUNDED else f"{case.within}us",
        "reach": "1h",
        "define": [{"name": name, "of": CONDITIONS[name][0]} for name in used],
        "measures": [{"name": "names", "of": "COLLECT(CLASSIFIER())"}, {"name": "values", "of": "COLLECT(v)"}],
        "after_match": case.after,
        "emit": emit,
    }
    if not used:
        node["define"] = []
    elements: list[Any] = []
    for number, (start, value) in enumerate(case.rows):
        elements += [
            {"stream": "s", "cti": cti}
            for cti in ctis
            if cti <= start and (number == 0 or cti > case.rows[number - 1][0])
        ]
        elements.append({"stream": "s", "start": start, "payload": {"v": value}})
    events = [
        {
            "start": at,
            "end": at + 1,
            "payload": {"names": list(words[::2]), "values": [int(digit) for digit in words[1::2]]},
        }
        for at, words in batch_search(case)
    ]
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, node, {"id": "out", "kind": "output", "input": "m"}]
    return Transcript.model_validate(
        {
            "name": "drawn",
            "streams": {"s": {"shape": "point", "fields": {"v": "long"}, "advance": {"late": "drop"}}},
            "query": {"nodes": nodes},
            "input": elements,
            "expect": {"events": events},
        }
    )


@pytest.mark.parametrize("executor", ["reference", "engine"])
@settings(deadline=None)
@given(
    case=cases(),
    ctis=st.lists(st.integers(0, 21), max_size=4, unique=True),
    emit=st.sampled_from(["final", "running"]),
    few=FEW_POINTS,
)
def test_a_sequence_equals_the_batch_search(executor: Any, case: Drawn, ctis: list[int], emit: str, few: int) -> None:
    note(str(replace(case)))
    loaded = LoadedTranscript(path=None, transcript=transcript(case, sorted(ctis), emit))  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(masked_search, "FEW_POINTS", few)
        (verdict,) = judge([loaded], executor, "all")
    assert verdict.differs == ""


@settings(deadline=None)
@given(case=cases(), ctis=st.lists(st.integers(0, 21), max_size=4, unique=True), few=FEW_POINTS)
def test_the_engine_holds_the_same_ctis_and_rows_as_the_reference(case: Drawn, ctis: list[int], few: int) -> None:
    drawn = transcript(case, sorted(ctis))
    whole = prepare(drawn, define(drawn))
    for restart in (False, True):
        each = replace(cut(whole, range(1, len(whole.rows))), restart=restart)
        expected = reference.run_case(replace(each, restart=False))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(masked_search, "FEW_POINTS", few)
            found = engine.run_case(each)
        assert not differences(each, expected, found, each_alone=True)


def test_an_attempt_of_too_many_points_fails_and_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked_search, "FEW_POINTS", 0)
    monkeypatch.setattr(group_store, "MOST_CONDITIONS", 5)
    pattern = ("seq", [("many", ("take", "A"), 1, None, False), ("take", "B")])
    case = Drawn(pattern, "(A)+ B", UNBOUNDED, "next_row", tuple((at, 1) for at in range(9)))
    drawn = transcript(case, [9])
    found = engine.run_case(prepare(drawn, define(drawn)))
    assert not found.events
    assert found.failures is not None
    assert {kind for _, _, kind in found.failures} == {"pattern_too_complex"}
