"""One function for the three executors: cases in, results out in the same order."""

from collections.abc import Sequence
from typing import Final

from streaming.reference.execution import execute as by_reference
from streaming.transcripts.format import ExecutorName
from streaming.wire.execution.case import Case, CaseResult
from streaming.wire.execution.case_execution import CaseSink, execution_of, run_case
from streaming.wire.execution.interface import Execute, ExecutionError

EXECUTORS: Final[tuple[ExecutorName, ...]] = ("reference", "engine", "spark")


def execute(executor: ExecutorName, cases: Sequence[Case]) -> list[CaseResult]:
    """Run `cases`. A case that cannot be run or fails has the `failure` in its result; the others are unaffected."""
    if executor == "spark":
        return _by_spark(cases)
    if executor == "reference":
        return [_guarded(by_reference, case) for case in cases]
    from streaming.engine.execution import execute as by_engine

    return [_guarded(by_engine, case) for case in cases]


def _by_spark(cases: Sequence[Case]) -> list[CaseResult]:
    """Run all cases as bindings of one carrier: one streaming query for hundreds of them."""
    sinks = [CaseSink(case) for case in cases]
    try:
        from streaming.spark.execution import execute_together

        queries = [(execution_of(case), sink) for case, sink in zip(cases, sinks, strict=True)]
        found = execute_together(queries, list_ctis=True)
    except ModuleNotFoundError as error:
        return [CaseResult(case.id, failure=f"{error}; install the extra 'spark'") for case in cases]
    except ExecutionError as error:
        return [CaseResult(case.id, failure=str(error)) for case in cases]
    return [
        CaseResult(case.id, failure=str(counted)) if isinstance(counted, ExecutionError) else sink.result(counted)
        for case, sink, counted in zip(cases, sinks, found, strict=True)
    ]


def _guarded(execute: Execute, case: Case) -> CaseResult:
    try:
        return run_case(execute, case)
    except Exception as error:  # noqa: BLE001 - an executor's border: one broken case must not end the others
        return CaseResult(case.id, failure=f"{type(error).__name__}: {error}")
