"""Every transcript holds on Spark: shared with all others, and some in carriers of their own."""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.spark.execution import AT_END, execute_together, send_results, spec_of
from streaming.spark.local_run import run_to_end
from streaming.spark.query.layout import CarrierSettings
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript
from streaming.transcripts.prepare import Cuts
from streaming.wire.execution.case import Case, CaseResult
from streaming.wire.execution.case_execution import CaseSink, execution_of
from tests.spark.looped_cases import differing as differing_by
from tests.spark.looped_cases import divided
from tests.spark.result_lines import lines_of
from tests.transcripts.loaded import with_shared

pytestmark = pytest.mark.spark

SAMPLE = 10
DEDICATED = 2


def differing(transcripts: list[LoadedTranscript], cuts: Cuts) -> list[str]:
    return [f"{each.name}: {each.differs}" for each in judge(transcripts, "spark", cuts) if not each.passed]


def test_every_transcript_holds(session: SparkSession, shared_transcripts: Path) -> None:
    assert differing(with_shared(shared_transcripts), "none") == []


def test_a_sample_of_transcripts_holds_for_every_cut(session: SparkSession, shared_transcripts: Path) -> None:
    transcripts = with_shared(shared_transcripts)
    assert differing(random.Random(2).sample(transcripts, SAMPLE), "all") == []


def test_the_session_of_others_is_left_running(session: SparkSession) -> None:
    """Check an existing session, which is active only in the thread that started it."""
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(execute_together, []).result() == []
    assert session.range(3).count() == 3


@pytest.mark.parametrize("buckets", [1, 2])
def test_a_transcript_holds_in_a_carrier_of_its_own(
    session: SparkSession,
    shared_transcripts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    buckets: int,
) -> None:
    def run(cases: Sequence[Case]) -> list[CaseResult]:
        return [dedicated(session, case, tmp_path / str(number), buckets) for number, case in enumerate(cases)]

    usable = [each for each in with_shared(shared_transcripts) if each.transcript.expect is not None]
    sample = random.Random(4).sample(list(filter(divided, usable)), DEDICATED)
    assert differing_by(sample, "none", run, monkeypatch) == []


def dedicated(session: SparkSession, case: Case, home: Path, buckets: int) -> CaseResult:
    settings = CarrierSettings(home=str(home), list_ctis=True, buckets=buckets, isolate=False)
    query, sink = execution_of(case), CaseSink(case)
    spec = spec_of(query, "c0", home, home)
    found = run_to_end(session, [(spec, AT_END[case.end])], home / "carrier", settings)["c0"]
    return sink.result(send_results(query, found, sink, lines_of(query)))


@pytest.mark.thorough
def test_every_transcript_holds_for_every_cut(session: SparkSession, shared_transcripts: Path) -> None:
    assert differing(with_shared(shared_transcripts), "all") == []
