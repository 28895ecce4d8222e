"""The adapters of `streaming.adapters`, seen from the web: built inside the organisation's folder, tried, sampled."""

import logging
import time
from pathlib import Path

from django.conf import settings

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.gathering import gather
from streaming.adapters.places import FILES
from streaming.adapters.registry import OptionsRefused, input_adapter
from streaming.adapters.shown import RowShown, shown
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.shape_errors import ShapeError
from streaming.definition.streams import AdapterChoice, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.previews import previewing
from webapp.core.context import current_organisation
from webapp.core.errors import TooMuchWork, fault
from webapp.core.limited.jobs import READING, limited
from webapp.core.server_paths import without_server_paths
from webapp.streams.sealing import opened

logger = logging.getLogger(__name__)

SAMPLE_ROWS = 100
SMALLER_RECORDS = "Look whether the input holds what you expect, and whether its rows end where they should."
BEFORE_TRYING_AGAIN = "Mend the adapter's options, or what they point at, and try again."


def adapter_root() -> Path:
    """Return the folder that adapters of the organisation in context may not leave."""
    own: Path = settings.PUNCTUAL_DATA / str(current_organisation())
    root = own / FILES
    if not root.exists():
        for sentence in gather(own).sentences(str(current_organisation())):
            logger.warning("%s", sentence)
        root.mkdir(parents=True, exist_ok=True)
    return root


def build(definition: StreamDefinition, choice: AdapterChoice, journal: Path | None = None) -> InputAdapter:
    """Return the adapter, its secrets opened; one with a `journal`, a runner's, is to read and never to look further.

    Raises `AdapterError` for options that do not fit.
    """
    choice = opened(choice)
    return input_adapter(choice.kind, choice.options, definition, adapter_root(), journal, settings.OUTGOING)


def adapter_fault(message: str, node: str | None = None) -> Fault:
    """Return the fault that says what an adapter refused."""
    message = without_server_paths(message, current_organisation())
    return fault(FaultCode.BAD_ADAPTER, message, BEFORE_TRYING_AGAIN, node=node, field="adapter")


def now_ticks() -> int:
    """Return the wall clock in ticks."""
    return time.time_ns() // 1000


def try_options(definition: StreamDefinition, choice: AdapterChoice, *, node: str | None, connect: bool) -> list[Fault]:
    """Return what is wrong with the options; with `connect`, also what stops the first row from being read."""
    try:
        adapter = build(definition, choice)
        if connect:
            preview.check(adapter, now=now_ticks())
    except OptionsRefused as error:
        return [option_fault(each, node) for each in error.errors]
    except AdapterError as error:
        return [adapter_fault(str(error), node)]
    return []


def option_fault(wrong: ShapeError, node: str | None) -> Fault:
    """Return the fault of one option."""
    field = ".".join(("adapter.options", *map(str, wrong.location)))
    return fault(FaultCode.BAD_ADAPTER, f"{wrong.message}.", wrong.remedy, node=node, field=field)


class StreamSample(Strict):
    """The first rows that a stream's adapter reads, in arrival order; faults if it cannot."""

    rows: list[RowShown]
    faults: list[Fault]


def first_rows(definition: StreamDefinition, choice: AdapterChoice) -> StreamSample:
    """Return the first rows that the adapter reads, and the fault if it cannot.

    Raises `OverQuota` when the day's time for previews is used up, `Busy` while as many are read as may be.
    """
    try:
        with previewing():
            return sampled(definition, choice)
    except TooMuchWork as refused:
        return StreamSample(rows=[], faults=[adapter_fault(refused.message)])


@limited("Reading the first rows", SMALLER_RECORDS, READING, opens_secrets=True)
def sampled(definition: StreamDefinition, choice: AdapterChoice) -> StreamSample:
    """Return the same, read where it stands."""
    try:
        rows = preview.sample(build(definition, choice), SAMPLE_ROWS, now=now_ticks())
    except AdapterError as error:
        return StreamSample(rows=[], faults=[adapter_fault(str(error))])
    return StreamSample(rows=[shown(row, definition) for row in rows], faults=[])
