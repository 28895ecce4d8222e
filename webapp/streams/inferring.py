"""What a stream over an input could be, proposed in a limited process."""

from uuid import UUID

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import OptionsRefused
from streaming.definition.faults import Fault
from streaming.definition.streams import AdapterChoice
from streaming.definition.strict import Strict
from streaming.inference.propose import StreamProposal, propose
from streaming.inference.sampling import UNDEFINED, sample_of
from webapp.accounts.previews import previewing
from webapp.core.errors import TooMuchWork
from webapp.core.limited.jobs import READING, limited
from webapp.streams.access import access_stream
from webapp.streams.adapters import adapter_fault, build, now_ticks, option_fault
from webapp.streams.sealing import sealed, settled


class InferBody(Strict):
    """An adapter with its options; `stream` is the stream whose secrets it keeps, where it stands for a stored one."""

    adapter: AdapterChoice
    stream: UUID | None = None


class StreamInference(Strict):
    """What a stream could be, or the faults for which nothing is known of it."""

    proposal: StreamProposal | None
    faults: list[Fault]


def infer(body: InferBody) -> StreamInference:
    """Propose a stream over what the adapter reads. Raises `NotFound`, `OverQuota`, `Busy`."""
    stored = None if body.stream is None else access_stream(body.stream).read_adapter()
    try:
        with previewing():
            return inferred(sealed(settled(body.adapter, stored)))
    except TooMuchWork as refused:
        return StreamInference(proposal=None, faults=[adapter_fault(refused.message)])


@limited("Looking at a sample of this input", "Look whether it holds rows of a table.", READING, opens_secrets=True)
def inferred(choice: AdapterChoice) -> StreamInference:
    """Return the proposal, made where it stands."""
    try:
        sample = sample_of(build(UNDEFINED, choice), now=now_ticks())
    except OptionsRefused as error:
        return StreamInference(proposal=None, faults=[option_fault(each, None) for each in error.errors])
    except AdapterError as error:
        return StreamInference(proposal=None, faults=[adapter_fault(str(error))])
    return StreamInference(proposal=propose(sample), faults=[])
