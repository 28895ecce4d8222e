"""The three executors behind one function: cases in, results out in the same order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from streaming.reference import cases as reference
from streaming.transcripts.format import ExecutorName
from streaming.wire.case import Case, CaseResult

EXECUTORS: Final[tuple[ExecutorName, ...]] = ("reference", "engine", "spark")


def execute(executor: ExecutorName, cases: Sequence[Case]) -> list[CaseResult]:
    """Run `cases`. One that cannot be run or fails has the `failure` in its result; the others do not notice."""
    return list(_EXECUTE[executor](cases))


def _by_reference(cases: Sequence[Case]) -> Sequence[CaseResult]:
    return [_guarded(reference.run_case, case) for case in cases]


def _by_engine(cases: Sequence[Case]) -> Sequence[CaseResult]:
    from streaming.engine.cases import run_case

    return [_guarded(run_case, case) for case in cases]


def _by_spark(cases: Sequence[Case]) -> Sequence[CaseResult]:
    """All cases as bindings of one carrier: one streaming query for hundreds of them."""
    try:
        from streaming.spark.transcripts import run_cases
    except ModuleNotFoundError as error:
        failure = f"{error}; install the extra 'spark'"
        return [CaseResult(case.id, failure=failure) for case in cases]
    by_id = {result.id: result for result in run_cases(cases)}
    return [by_id.get(case.id, CaseResult(case.id, failure="spark gave no result for it")) for case in cases]


def _guarded(run: Callable[[Case], CaseResult], case: Case) -> CaseResult:
    try:
        return run(case)
    except Exception as error:  # noqa: BLE001 - an executor's border: one broken case must not end the others
        return CaseResult(case.id, failure=f"{type(error).__name__}: {error}")


_EXECUTE: Final[Mapping[ExecutorName, Callable[[Sequence[Case]], Sequence[CaseResult]]]] = {
    "reference": _by_reference,
    "engine": _by_engine,
    "spark": _by_spark,
}
