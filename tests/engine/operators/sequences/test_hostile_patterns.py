"""Hostile patterns: rows and places of the pattern bound the work, or attempts fail and count (T37)."""

import random
import re
from dataclasses import replace
from typing import Any

import pytest

from streaming.engine import execution as engine
from streaming.engine.operators.sequences import group_store
from streaming.reference import execution as reference
from streaming.reference.sequences import group
from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import Case, CaseResult
from tests.engine.operators.sequences.work import counted_work
from tests.reference.laws.runs import cut

MOST_STEPS = 300
"""For each row: more than a pattern here has places, and fewer than there are attempts."""
PATTERNS = [
    "A+ C",
    "A+ B? C",
    "(A | A)* C",
    "(A | B)* C",
    "A* A* A* C",
    "(A+)+ C",
    "((A+)+)+ C",
    "((A*)*)* C",
    f"({' | '.join(['A'] * 20)})+ C",
    "(A? A? A? A? A?)+ C",
    "A+? C",
    "A{2,8} C | A C",
]
EVERY_ROW = "v > 0"
AFTER_ANOTHER = "v > 0 AND (PREV(v) IS NULL OR PREV(v) > 0)"
MAY_FAIL = "v > 0 AND (PREV(v) IS NULL OR 10 / PREV(v) > 0)"
"""A condition that the engine does not evaluate for all rows at once, because failures count (T30)."""
NEIGHBOUR = [1, 1, -1]
"""The values of another group: its rows match every pattern here."""
RUNS = pytest.mark.parametrize("run", [engine.run_case, reference.run_case], ids=["engine", "reference"])


def case_of(
    pattern: str, rows: int, holds: str = EVERY_ROW, ctis: int = 1, last: int | None = None, **options: Any
) -> Case:
    """Return a case in which `rows` rows of one group could be in a match, but none completes it.

    They arrive out of order between `ctis` CTIs; one with the value `last` follows them.
    """
    node = {
        "id": "m",
        "kind": "match_recognize",
        "input": "s",
        "group_by": ["k"],
        "pattern": pattern,
        "measures": [{"name": "n", "of": "COUNT(*)"}],
        "define": [
            {"name": name, "of": of}
            for name, of in (("A", holds), ("B", holds), ("C", "v < 0"))
            if re.search(rf"\b{name}\b", pattern)
        ],
        **options,
    }
    elements: list[dict[str, Any]] = [
        {"stream": "s", "start": at, "payload": {"k": "neighbour", "v": value}} for at, value in enumerate(NEIGHBOUR)
    ]
    for part in range(ctis):
        starts = list(range(rows * part // ctis, rows * (part + 1) // ctis))
        random.Random(part).shuffle(starts)
        elements += [{"stream": "s", "start": at, "payload": {"k": "hostile", "v": 1}} for at in starts]
        elements.append({"stream": "s", "cti": rows * (part + 1) // ctis})
    if last is not None:
        elements.append({"stream": "s", "start": rows, "payload": {"k": "hostile", "v": last}})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, node, {"id": "out", "kind": "output", "input": "m"}]
    read = {
        "name": "hostile",
        "streams": {"s": {"shape": "point", "fields": {"k": "string", "v": "long"}, "advance": {"late": "adjust"}}},
        "query": {"nodes": nodes},
        "input": elements,
        "expect": {"events": []},
    }
    transcript = parse(read, "hostile.yaml")
    return prepare(transcript, define(transcript))


def limited(monkeypatch: pytest.MonkeyPatch, most: int, least: int) -> None:
    """Let an attempt try `most` conditions, and `least` after others that tried more."""
    for module in (group, group_store):
        monkeypatch.setattr(module, "MOST_CONDITIONS", most)
    monkeypatch.setattr(group, "LEAST_CONDITIONS", least)


def matches(result: CaseResult) -> list[tuple[str, int]]:
    assert result.failure is None
    return [(event.payload["k"], event.payload["n"]) for event in result.events]


@pytest.mark.parametrize("within", [None, "100us", "1500us"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("holds", [EVERY_ROW, AFTER_ANOTHER])
def test_attempts_share_their_work(
    pattern: str, within: str | None, holds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conditions on rows alone: the work is linear in the rows, however many attempts and paths there are."""
    rows = 3_000
    case = case_of(pattern, rows, holds, ctis=3, within=within, after_match="next_row")
    work = counted_work(monkeypatch)
    found = engine.run_case(case)
    (first, *_) = matches(found)
    assert first == ("neighbour", len(NEIGHBOUR)) or pattern == "A+? C"
    assert {name for name, _ in matches(found)} == {"neighbour"}
    assert not found.failures
    assert rows < work.steps <= rows * MOST_STEPS


def test_ten_thousand_rows_leave_their_neighbours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 10_000
    case = case_of("(A | A)* C", rows)
    work = counted_work(monkeypatch)
    assert matches(engine.run_case(case)) == [("neighbour", len(NEIGHBOUR))]
    assert rows < work.steps <= rows * MOST_STEPS


@RUNS
@pytest.mark.parametrize(
    "pattern", ["A+ C", "A+ | B C", "(A | A)* C", "A* A* C", "(A+)+ C", "A+ ABSENT C FOR 9us", "(A B?)+ C"]
)
def test_the_output_cti_is_found_in_one_pass(run: Any, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions on neighbours: attempts that are all open share what they tried, so the work is linear."""
    rows = 600
    case = case_of(pattern, rows, MAY_FAIL, ctis=3)
    work = counted_work(monkeypatch)
    found = run(case)
    assert found.failure is None
    assert not found.failures
    assert rows < work.steps <= rows * MOST_STEPS


@RUNS
def test_a_failed_attempt_shares_what_is_dead_within_the_known_rows(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 600
    case = case_of("A+ C", rows, MAY_FAIL, last=0, within="1h")
    work = counted_work(monkeypatch)
    found = run(case)
    assert matches(found) == [("neighbour", len(NEIGHBOUR))]
    assert rows < work.steps <= rows * MOST_STEPS


@RUNS
def test_too_many_paths_fail_and_count(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions on earlier rows: paths multiply, so an attempt ends at the limit, which then falls for the group."""
    rows, limit, least = 60, 4_000, 20
    limited(monkeypatch, limit, least)
    case = case_of("(A | B)* C", rows, "v >= FIRST(v)")
    work = counted_work(monkeypatch)
    found = run(case)
    assert matches(found) == [("neighbour", len(NEIGHBOUR))]
    assert {kind for _, _, kind in found.failures} == {"pattern_too_complex"}
    assert 0 < sum(found.failures.values()) < rows
    assert work.steps <= 3 * (3 * limit + rows * 2 * least)


def test_the_limit_of_a_group_survives_batches_and_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 300, 20)
    case = case_of("(A | B)* C", 30, "v >= FIRST(v)", ctis=10, within="12us")
    whole = engine.run_case(case)
    each = replace(cut(case, range(1, len(case.rows))), restart=True)
    assert whole.failures
    assert engine.run_case(each).failures == whole.failures
    assert matches(engine.run_case(each)) == matches(whole)
