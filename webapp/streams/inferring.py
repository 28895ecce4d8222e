"""Proposal of a stream for an input, made in a limited process."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from streaming.adapters import preview
from streaming.adapters.contract import AdapterError
from streaming.adapters.preview import SampleRow
from streaming.adapters.registry import OptionsRefused
from streaming.definition.faults import Fault
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.definition.strict import Strict
from streaming.inference.accepting import CHECKED, checked
from streaming.inference.change_envelopes import sample_input
from streaming.inference.propose import StreamProposal, propose
from streaming.inference.sampling import UNDEFINED
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import TooMuchWork
from webapp.core.limited.jobs import READING, limited
from webapp.streams.access import access_stream
from webapp.streams.adapters import adapter_fault, build, now_ticks, option_fault
from webapp.streams.sealing import sealed, settled

READ_TWICE: Final = frozenset({"file", "s3"})
"""Kinds of adapters whose first rows are read again to check the proposal."""


class InferBody(Strict):
    """An adapter with its options; `stream` is the stored stream whose secrets it keeps, if there is one."""

    adapter: AdapterChoice
    stream: UUID | None = None


class StreamInference(Strict):
    """A proposal for a stream, or the errors that prevent it."""

    proposal: StreamProposal | None
    faults: list[Fault]


def infer(body: InferBody) -> StreamInference:
    """Propose a stream for the rows that the adapter reads. Raises `NotFound`, `OverQuota`, `Busy`."""
    stored = None if body.stream is None else access_stream(body.stream).read_adapter()
    try:
        with previewing():
            return inferred(sealed(settled(body.adapter, stored)))
    except TooMuchWork as refused:
        return StreamInference(proposal=None, faults=[adapter_fault(refused.message)])


@limited("Sampling this input", "Check that it contains rows of a table.", READING, opens_secrets=True)
def inferred(choice: AdapterChoice) -> StreamInference:
    """Return the proposal, made in this process."""
    try:
        sample = sample_input(lambda more: build(UNDEFINED, _with(choice, more)), choice.kind, now=now_ticks())
    except OptionsRefused as error:
        return StreamInference(proposal=None, faults=[option_fault(each, None) for each in error.errors])
    except AdapterError as error:
        return StreamInference(proposal=None, faults=[adapter_fault(str(error))])
    return StreamInference(proposal=_checked(propose(sample), choice), faults=[])


def _with(choice: AdapterChoice, options: Mapping[str, Any]) -> AdapterChoice:
    return choice.model_copy(update={"options": {**choice.options, **options}})


def _checked(proposal: StreamProposal, choice: AdapterChoice) -> StreamProposal:
    """Return the proposal with the outcome of the first rows, for kinds whose rows can be read again."""
    if choice.kind not in READ_TWICE:
        return proposal

    def read(stream: StreamDefinition, options: Mapping[str, Any]) -> Sequence[SampleRow]:
        return preview.sample(build(stream, _with(choice, options)), CHECKED, now=now_ticks())

    try:
        return checked(proposal, read)
    except AdapterError as error:
        return proposal.model_copy(update={"notes": [*proposal.notes, str(error)]})
