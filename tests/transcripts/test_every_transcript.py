"""Every transcript of the repository holds, for every cut into micro-batches; spark runs them in tests/spark."""

from pathlib import Path

import pytest

from streaming.transcripts.format import ExecutorName
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript, load
from tests.transcripts.loaded import repository_transcripts

TRANSCRIPTS = repository_transcripts()


@pytest.mark.parametrize("executor", ["reference", "engine"])
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda loaded: loaded.transcript.name)
def test_transcript_holds_for_every_cut(transcript: LoadedTranscript, executor: ExecutorName) -> None:
    (verdict,) = judge([transcript], executor, "all")
    assert verdict.differs == ""


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_the_shared_worked_examples_hold(shared_transcripts: Path, executor: ExecutorName) -> None:
    assert [verdict for verdict in judge(load([shared_transcripts]), executor, "all") if not verdict.passed] == []


def test_names_are_unique() -> None:
    names = [loaded.transcript.name for loaded in TRANSCRIPTS]
    assert sorted(set(names)) == sorted(names)


def test_every_transcript_names_the_decisions_that_it_shows() -> None:
    for path in {loaded.path for loaded in TRANSCRIPTS}:
        assert path.read_text(encoding="utf-8").startswith("# "), path
