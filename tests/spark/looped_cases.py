"""Cases of transcripts run by planner, feed, operators and sink in this process: alone, shared, in buckets, killed."""

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.planning.compile import compile_binding
from streaming.planning.plan import NotRunnable, QueryPlan
from streaming.spark.execution import AT_END, send_results, spec_of
from streaming.spark.local_run import local_result
from streaming.spark.query.control import AddBinding
from streaming.transcripts import judge
from streaming.transcripts.load import LoadedTranscript
from streaming.transcripts.prepare import Cuts, define, prepare, variants
from streaming.wasm.modules import FOLDER, named_modules, store
from streaming.wire.execution.case import ONLY_LANE, Case, CaseResult
from streaming.wire.execution.case_execution import CaseSink, execution_of
from streaming.wire.execution.interface import ExecutionError
from tests.spark.loop import Loop
from tests.spark.result_lines import lines_of

STAGES = ("planned", "fed", "written", "published")
RunCases = Callable[[Sequence[Case]], list[CaseResult]]


@dataclass(frozen=True)
class Looped:
    """Runs `together` cases in one carrier, in `buckets` and `stages`; `kills` chooses where batches are killed.

    Without `isolate` an error of one case ends its carrier, as in production if a binding has several buckets.
    """

    together: int = 1
    buckets: int = 1
    stages: int = 1
    isolate: bool = True
    kills: random.Random | None = None

    def __call__(self, cases: Sequence[Case]) -> list[CaseResult]:
        """Return the results of `cases`, in their order."""
        found: list[CaseResult] = []
        for first in range(0, len(cases), self.together):
            with tempfile.TemporaryDirectory(prefix="punctual-looped-") as home:
                found += self._in_one(cases[first : first + self.together], Path(home))
        return found

    def _in_one(self, cases: Sequence[Case], home: Path) -> list[CaseResult]:
        loop = Loop(home, list_ctis=True, isolate=self.isolate, buckets=self.buckets, stages=self.stages)
        for index, case in enumerate(cases):
            store(home / FOLDER, named_modules(case.graph))
            loop.carrier.control.append(self._carried(case, f"c{index}", home))
        manifests = []
        while (manifest := self._batch(loop)) is not None:
            manifests.append(manifest)
        return [self._result(case, f"c{index}", home, manifests) for index, case in enumerate(cases)]

    def _result(self, case: Case, name: str, home: Path, manifests: list[dict[str, Any]]) -> CaseResult:
        sink = CaseSink(case)
        try:
            query, found = execution_of(case), local_result(name, home / "results" / name, manifests, 0.0)
            counted = send_results(query, found, sink, lines_of(query))
        except ExecutionError as error:
            return CaseResult(case.id, failure=str(error))
        return sink.result(counted)

    def _carried(self, case: Case, name: str, home: Path) -> AddBinding:
        stream_of = {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}
        return AddBinding(
            kind="add",
            tick=0,
            spec=spec_of(execution_of(case), name, home, home),
            bucket_ids=list(range(self.buckets)),
            lanes={node: list(case.streams[stream].lanes or [ONLY_LANE]) for node, stream in stream_of.items()},
            at_end=AT_END[case.end],
        )

    def _batch(self, loop: Loop) -> dict[str, Any] | None:
        if self.kills is not None and not loop.killed_at(self.kills.choice(STAGES)):
            return None
        return loop.batch()


def divided(loaded: LoadedTranscript) -> bool:
    """Return True if the plan of an accepted transcript uses two buckets in one stage."""
    plan = _plan(loaded, stages=1)
    return plan is not None and plan.buckets == 2


def chained(loaded: LoadedTranscript) -> bool:
    """Return True if the plan of an accepted transcript uses two stages."""
    plan = _plan(loaded, stages=2)
    return plan is not None and plan.second is not None


def _plan(loaded: LoadedTranscript, stages: int) -> QueryPlan | None:
    (case,) = variants(prepare(loaded.transcript, define(loaded.transcript)), "none", restarts=False)
    advance = temporal_settings(case.graph, case.streams, case.advance)
    try:
        return compile_binding(case.graph, case.streams, advance, 2, stages)
    except NotRunnable:
        return None


def differing(
    transcripts: Sequence[LoadedTranscript], cuts: Cuts, run: RunCases, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Return the transcripts that do not hold when `run` runs their cases instead of Spark."""
    with monkeypatch.context() as patched:
        patched.setattr(judge, "execute", lambda _, cases: run(cases))
        verdicts = list(judge.judge(transcripts, "spark", cuts))
    return [f"{each.name}: {each.differs}" for each in verdicts if not each.passed]
