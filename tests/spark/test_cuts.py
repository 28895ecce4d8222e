"""Every transcript holds by planner, feed, operators and sink, however its input is cut: without Spark's processes."""

import random
from pathlib import Path

import pytest

from streaming.transcripts.load import LoadedTranscript
from tests.spark.looped_cases import Looped, differing, divided
from tests.transcripts.loaded import with_shared

SLICES = 8
SAMPLE = 40
OTHERS = 50
KILLED_SAMPLE = 40
IN_EVERY_TEST = 2
"""The number of slices in `make test`; `make thorough` takes them all. The engine's tests take every cut of each."""


@pytest.fixture(scope="module")
def transcripts(shared_transcripts: Path) -> list[LoadedTranscript]:
    return with_shared(shared_transcripts)


@pytest.fixture(scope="module")
def runnable(transcripts: list[LoadedTranscript]) -> list[LoadedTranscript]:
    """Return the transcripts that are not refused."""
    return [each for each in transcripts if each.transcript.expect is not None]


@pytest.mark.parametrize(
    "part",
    [*range(IN_EVERY_TEST), *(pytest.param(part, marks=pytest.mark.thorough) for part in range(IN_EVERY_TEST, SLICES))],
)
def test_every_transcript_holds_for_every_cut(
    transcripts: list[LoadedTranscript], part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert differing(transcripts[part::SLICES], "all", Looped(), monkeypatch) == []


@pytest.mark.parametrize("size", [KILLED_SAMPLE, pytest.param(4 * KILLED_SAMPLE, marks=pytest.mark.thorough)])
def test_transcripts_hold_when_each_batch_is_killed_once(
    runnable: list[LoadedTranscript], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = random.Random(3)
    sample = chosen.sample(runnable, size)
    assert differing(sample, "all", Looped(kills=chosen), monkeypatch) == []


@pytest.mark.parametrize(
    "way",
    [Looped(), Looped(together=1 + OTHERS), Looped(buckets=2, isolate=False)],
    ids=["alone", f"shared with {OTHERS}", "dedicated in two buckets"],
)
def test_a_transcript_passes_regardless_of_the_other_bindings(
    runnable: list[LoadedTranscript], way: Looped, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = random.Random(5).sample(list(filter(divided, runnable)), SAMPLE)
    others = [each for each in runnable if each not in sample] if way.together > 1 else []
    sample = [*sample, *others[: -len(sample) % way.together]]
    assert differing(sample, "none", way, monkeypatch) == []
