"""The transcripts cover the whole model: every decision twice, every value of the definition once."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from streaming.definition.graph import AggregateFunction, Emit, Empty, JoinType, Node, OutputTimestamp
from streaming.definition.presets import PRESETS, preset_name
from streaming.definition.windows import WindowSpec
from streaming.temporal.events import Shape
from streaming.temporal.settings import Basis, Future, Idle, Late, LateEnd
from streaming.transcripts.prepare import define
from streaming.wire.execution.case import EndMode
from tests.transcripts.loaded import repository_transcripts

FOLDER = Path(__file__).parent
DECISIONS = [f"T{number}" for number in (*range(1, 39), 40, 41, *range(43, 57), *range(59, 64))]
TIMES = 2
"""At least so many transcripts have to name each decision."""


def kinds(union: Any) -> list[str]:
    """Return the values of `kind` in a union of nodes or windows."""
    members, *_ = get_args(union)
    literals = [each.model_fields["kind"].annotation for each in get_args(members)]
    return [get_args(literal)[0] for literal in literals]


@cache
def documents() -> tuple[str, ...]:
    """Return the text of each transcript, with the comments before and in it."""
    paths = sorted(FOLDER.rglob("*.yaml"))
    return tuple(text for path in paths for text in re.split(r"(?m)^---\s*$", path.read_text(encoding="utf-8")))


@cache
def decisions_named() -> Counter[str]:
    """Count the transcripts that name each decision."""
    return Counter(name for text in documents() for name in set(re.findall(r"\bT\d+\b", text)))


DEFAULTS = {
    "idle_after": ("idle", "leave_out"),
    "max_ahead": ("future", "hold"),
    "every": ("basis", "last"),
}
"""The values that a setting of time implies when no other setting is present."""


@cache
def used_values() -> frozenset[tuple[str, str]]:
    """Return every key with a text value, and every name of a preset, in the definitions that the reference runs."""
    found: set[tuple[str, str]] = set()
    for transcript in (loaded.transcript for loaded in repository_transcripts()):
        if transcript.expect is None or "reference" in transcript.broken_on:
            continue
        definition = define(transcript)
        graph, binding = definition.graph, definition.advance.values()
        assert graph is not None, transcript.name
        time = [transcript.streams, transcript.advance, [each.model_dump(exclude_unset=True) for each in binding]]
        found |= {("end", transcript.end), *_pairs(graph.model_dump()), *_pairs(time)}
    return frozenset(found | {("preset", preset_name(value)) for key, value in found if key == "preset"})


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for inner in value:
            yield from _pairs(inner)
    elif isinstance(value, dict):
        for implied, default in (DEFAULTS[key] for key in DEFAULTS if key in value):
            if implied not in value:
                yield implied, default
        for key, inner in value.items():
            if isinstance(inner, str):
                yield key, inner
            yield from _pairs(inner)


def test_there_are_documents() -> None:
    assert len(documents()) == len(repository_transcripts())


@pytest.mark.parametrize("decision", DECISIONS)
def test_every_decision_is_named_by_two_transcripts(decision: str) -> None:
    assert decisions_named()[decision] >= TIMES


def test_every_named_decision_exists() -> None:
    assert set(decisions_named()) <= set(DECISIONS)


VALUES: dict[str, list[str]] = {
    "kind": [*kinds(Node), *kinds(WindowSpec)],
    "function": list(get_args(AggregateFunction)),
    "emit": list(get_args(Emit)),
    "empty": list(get_args(Empty)),
    "type": list(get_args(JoinType)),
    "timestamp": list(get_args(OutputTimestamp)),
    "shape": list(Shape),
    "late": list(Late),
    "late_end": list(LateEnd),
    "basis": list(Basis),
    "idle": list(Idle),
    "future": list(Future),
    "preset": list(PRESETS),
    "end": list(EndMode),
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in VALUES.items() for value in values])
def test_every_value_of_the_definition_is_in_a_transcript_that_runs(key: str, value: str) -> None:
    assert (key, value) in used_values()
