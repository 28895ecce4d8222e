"""Every transcript holds on Spark."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.transcripts.judge import judge
from streaming.transcripts.load import Loaded, load
from streaming.transcripts.prepare import Cuts

pytestmark = pytest.mark.spark

HERE = Path(__file__).resolve().parents[1] / "transcripts"
SAMPLE = 10


def differing(transcripts: list[Loaded], cuts: Cuts) -> list[str]:
    return [f"{each.name}: {each.differs}" for each in judge(transcripts, "spark", cuts) if not each.passed]


def test_every_transcript_holds(session: SparkSession, shared_transcripts: Path) -> None:
    assert differing(list(load([shared_transcripts, HERE])), "none") == []


def test_a_sample_of_transcripts_holds_for_every_cut(session: SparkSession, shared_transcripts: Path) -> None:
    transcripts = list(load([shared_transcripts, HERE]))
    assert differing(random.Random(2).sample(transcripts, SAMPLE), "all") == []


@pytest.mark.thorough
def test_every_transcript_holds_for_every_cut(session: SparkSession, shared_transcripts: Path) -> None:
    assert differing(list(load([shared_transcripts, HERE])), "all") == []
