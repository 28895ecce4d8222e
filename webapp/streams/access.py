"""Reading streams with rights: the organisation in context has been checked, so its rows are the caller's."""

from collections.abc import Mapping
from uuid import UUID

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import sends_ctis
from streaming.definition.streams.stream import StreamDefinition
from webapp.core.errors import NotFound
from webapp.streams.models import Stream


def access_stream(stream: UUID) -> Stream:
    """Return a stream. Raises `NotFound` if absent or not yours."""
    found = Stream.objects.filter(pk=stream).first()
    if found is None:
        raise NotFound
    return found


def streams_by_name() -> dict[str, Stream]:
    """Return all streams of the organisation by name."""
    return {stream.name: stream for stream in Stream.objects.all()}


def stream_definitions() -> Mapping[str, StreamDefinition]:
    """Return the definitions of all streams of the organisation by name."""
    return {name: stream.read_definition() for name, stream in streams_by_name().items()}


def streams_with_ctis() -> frozenset[str]:
    """Return the names of the streams whose adapter enqueues CTIs itself, or is of an unknown kind."""
    return frozenset(name for name, stream in streams_by_name().items() if _enqueues(stream))


def _enqueues(stream: Stream) -> bool:
    try:
        return sends_ctis(stream.read_adapter().kind)
    except AdapterError:
        return True
