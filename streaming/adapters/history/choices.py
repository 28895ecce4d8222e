"""The adapters that can read a history: they end, have one order, and need no secret."""

from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import adapter_kind, read_options, secrets_among
from streaming.definition.streams.stream import AdapterChoice, History, StreamDefinition
from streaming.wire.execution.case import HISTORY_LANE

_READERS: Final = "file, s3, delta, download"


def one_source(stream: StreamDefinition) -> StreamDefinition:
    """Return `stream` as the adapter of one of its sources sees it."""
    lanes = None if stream.lanes is None else [lane for lane in stream.lanes if lane != HISTORY_LANE]
    return stream.model_copy(update={"history": None, "lanes": lanes})


def check_history_adapter(choice: AdapterChoice, history: History) -> None:
    """Raise `AdapterError` if `choice` can't read `history`."""
    kind = adapter_kind(choice.kind)
    options = read_options(choice.kind, choice.options)
    if not kind.ends(options):
        raise AdapterError(
            f"A history must end, but an input of the kind '{choice.kind}' with these options never does. Choose one "
            f"of {_READERS}, with 'follow' off."
        )
    secrets = sorted(name for name in secrets_among(choice.kind, choice.options) if choice.options.get(name))
    if secrets:
        raise AdapterError(
            f"A history can't use secrets yet, but its adapter has {', '.join(secrets)}. Copy the archive to files of "
            "the organisation, or read it without signing in."
        )
    if history.order == "time":
        raise AdapterError(
            "A history that an adapter reads is judged in its order of arrival; 'order: time' works in transcripts "
            "only. Sort the archive by time, and set order to arrival."
        )
