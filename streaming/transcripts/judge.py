"""Runs transcripts on an executor and reports for each whether it holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from streaming.transcripts.compare import WantedResult, differences, wanted
from streaming.transcripts.execute import execute
from streaming.transcripts.format import ExecutorName, Transcript
from streaming.transcripts.load import LoadedTranscript, TranscriptError
from streaming.transcripts.prepare import Cuts, TranscriptDefinition, define, prepare, variants
from streaming.wire.execution.case import Case, CaseResult


@dataclass(frozen=True)
class TranscriptVerdict:
    """The result of the transcript `name` on `executor`; `differs` describes the difference, empty if it holds."""

    name: str
    executor: ExecutorName
    differs: str

    @property
    def passed(self) -> bool:
        """Return true if it holds."""
        return not self.differs


@dataclass(frozen=True)
class PlannedTranscript:
    """The plan for one transcript: `cases` to compare with `want`, or no cases and already a verdict."""

    transcript: Transcript
    cases: Sequence[Case] = ()
    want: WantedResult | None = None
    differs: str = ""


def judge(transcripts: Sequence[LoadedTranscript], executor: ExecutorName, cuts: Cuts) -> Iterator[TranscriptVerdict]:
    """Yield a verdict for each transcript, in order. All cases go to the executor together (spark needs that)."""
    planned = [_guarded_plan(number, loaded.transcript, executor, cuts) for number, loaded in enumerate(transcripts)]
    cases = [case for plan in planned for case in plan.cases]
    results = {result.id: result for result in execute(executor, cases)} if cases else {}
    for plan in planned:
        yield TranscriptVerdict(plan.transcript.name, executor, _differs(plan, results, executor))


def _guarded_plan(number: int, transcript: Transcript, executor: ExecutorName, cuts: Cuts) -> PlannedTranscript:
    try:
        return _plan(number, transcript, executor, cuts)
    except Exception as error:  # noqa: BLE001 - one transcript that breaks the checks must not end the others
        return PlannedTranscript(transcript, differs=f"{type(error).__name__}: {error}")


def _plan(number: int, transcript: Transcript, executor: ExecutorName, cuts: Cuts) -> PlannedTranscript:
    definition = define(transcript)
    if transcript.expect is None:
        return PlannedTranscript(transcript, differs=_refusal(transcript.error, definition))
    try:
        case = prepare(transcript, definition)
        want = wanted(transcript.expect, definition)
    except TranscriptError as error:
        return PlannedTranscript(transcript, differs=str(error))
    cases = variants(case, cuts, restarts=executor != "spark")
    numbered = [replace(each, id=f"{number}/{place} {each.id}") for place, each in enumerate(cases)]
    return PlannedTranscript(transcript, numbered, want)


def _refusal(code: str | None, definition: TranscriptDefinition) -> str:
    found = sorted({str(fault.code) for fault in definition.errors})
    if code in found:
        return ""
    return f"the definition is not refused with {code!r}; its errors are {', '.join(found) or 'none'}"


def _differs(plan: PlannedTranscript, results: Mapping[str, CaseResult], executor: ExecutorName) -> str:
    """Return the first case that differs, with its cut. A marked gap passes as long as it differs."""
    if plan.want is None:
        return plan.differs
    differs = next(filter(None, (_case_differs(plan, plan.want, case, results, executor) for case in plan.cases)), "")
    if executor not in plan.transcript.broken_on:
        return differs
    return "" if differs else f"it holds, but is marked broken_on {executor}; remove the mark"


def _case_differs(
    plan: PlannedTranscript, want: WantedResult, case: Case, results: Mapping[str, CaseResult], executor: ExecutorName
) -> str:
    found = differences(want, case, results[case.id], executor, written=case is plan.cases[0])
    how = case.id.partition(f" {plan.transcript.name}, ")[2]
    return "; ".join(found) + (f" ({how})" if how else "") if found else ""
