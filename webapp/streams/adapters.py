"""The adapters of `streaming.adapters` for the web: built inside the organisation's folder, tried, sampled."""

import time
from pathlib import Path

from django.conf import settings

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.history.choices import check_history_adapter, one_source
from streaming.adapters.history.live_places import SeamGone, check_places
from streaming.adapters.places import FILES
from streaming.adapters.registry import OptionsRefused, input_adapter
from streaming.adapters.sampled_rows import SampledRow, describe_row
from streaming.definition.checks.history import check_history
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.shape_errors import ShapeError
from streaming.definition.streams.stream import AdapterChoice, History, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.limits.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import TooMuchWork, fault
from webapp.core.limited.jobs import READING, limited
from webapp.core.server_paths import without_server_paths
from webapp.streams.sealing import opened

SAMPLE_ROWS = 100
SMALLER_RECORDS = "Check that the input contains the expected rows, and that they end where they should."
BEFORE_TRYING_AGAIN = "Fix the adapter's options or the source itself, and try again."


def adapter_root() -> Path:
    """Return the folder that adapters of the organisation in context may not leave."""
    root: Path = settings.PUNCTUAL_DATA / str(current_organisation()) / FILES
    root.mkdir(parents=True, exist_ok=True)
    return root


def build(definition: StreamDefinition, choice: AdapterChoice, journal: Path | None = None) -> InputAdapter:
    """Return the adapter, its secrets decrypted; an adapter with a `journal`, a runner's, only reads planned batches.

    Raises `AdapterError` for options that do not fit.
    """
    choice = opened(choice)
    return input_adapter(choice.kind, choice.options, definition, adapter_root(), journal, settings.OUTGOING)


def adapter_fault(message: str, node: str | None = None) -> Fault:
    """Return an adapter's refusal as an error."""
    message = without_server_paths(message, current_organisation())
    return fault(FaultCode.BAD_ADAPTER, message, BEFORE_TRYING_AGAIN, node=node, field="adapter")


def now_ticks() -> int:
    """Return the wall clock in ticks."""
    return time.time_ns() // 1000


def try_options(definition: StreamDefinition, choice: AdapterChoice, *, node: str | None, connect: bool) -> list[Fault]:
    """Return the errors of the options; with `connect`, also those that prevent reading the first row."""
    try:
        adapter = build(definition, choice)
        if connect:
            preview.check(adapter, now=now_ticks())
    except OptionsRefused as error:
        return [option_fault(each, node) for each in error.errors]
    except AdapterError as error:
        return [adapter_fault(str(error), node)]
    return []


def history_faults(
    definition: StreamDefinition, live: AdapterChoice, *, node: str | None, connect: bool = False
) -> list[Fault]:
    """Return the errors and warnings of the history of a stream; with `connect`, also of its place in live (T58)."""
    history = definition.history
    if history is None:
        return []
    faults = list(check_history(definition)) if node is None else []  # else the check of the query finds them
    if history.adapter is None:
        message, remedy = "The history has no adapter.", "Choose the adapter that reads it, or leave 'history' out."
        return [*faults, fault(FaultCode.MISSING_ARGUMENT, message, remedy, node=node, field="stream.history")]
    source = one_source(definition)
    try:
        check_history_adapter(history.adapter, history)
    except AdapterError as error:
        return [*faults, _of_history(adapter_fault(str(error), node))]
    faults += map(_of_history, try_options(source, history.adapter, node=node, connect=connect))
    return _place_faults(source, live, history, node) if connect and not faults else faults


def _place_faults(source: StreamDefinition, live: AdapterChoice, history: History, node: str | None) -> list[Fault]:
    try:
        check_places(history.seam, build(source, live), node or "live", now=now_ticks())
    except SeamGone as gone:
        return [fault(FaultCode.SEAM_GONE, str(gone), BEFORE_TRYING_AGAIN, node=node, field="stream.history.seam")]
    except AdapterError as error:
        return [adapter_fault(str(error), node)]
    return []


def _of_history(found: Fault) -> Fault:
    return found.model_copy(update={"field": f"stream.history.{found.field}"})


def option_fault(wrong: ShapeError, node: str | None) -> Fault:
    """Return the error of one option."""
    field = ".".join(("adapter.options", *map(str, wrong.location)))
    return fault(FaultCode.BAD_ADAPTER, f"{wrong.message}.", wrong.remedy, node=node, field=field)


class StreamSample(Strict):
    """The first rows that a stream's adapter reads, in arrival order; errors if it cannot."""

    rows: list[SampledRow]
    faults: list[Fault]


def first_rows(definition: StreamDefinition, choice: AdapterChoice) -> StreamSample:
    """Return the first rows that the adapter reads, and the error if it cannot.

    Raises `OverQuota` if the day's time for previews is used up, `Busy` while too many samples are read at once.
    """
    try:
        with previewing():
            return sampled(definition, choice)
    except TooMuchWork as refused:
        return StreamSample(rows=[], faults=[adapter_fault(refused.message)])


@limited("Reading the first rows", SMALLER_RECORDS, READING, opens_secrets=True)
def sampled(definition: StreamDefinition, choice: AdapterChoice) -> StreamSample:
    """Return the first rows, read in this process."""
    try:
        rows = preview.sample(build(definition, choice), SAMPLE_ROWS, now=now_ticks())
    except AdapterError as error:
        return StreamSample(rows=[], faults=[adapter_fault(str(error))])
    return StreamSample(rows=[describe_row(row, definition) for row in rows], faults=[])
