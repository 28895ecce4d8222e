"""Writing streams."""

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from streaming.definition.streams import AdapterChoice, StreamDefinition
from webapp.core.errors import Conflict, Faulty
from webapp.streams.checking import check_stream
from webapp.streams.models import Stream
from webapp.streams.sealing import sealed, settled


def create_stream(*, name: str, definition: StreamDefinition, adapter: AdapterChoice) -> Stream:
    """Create a stream. Raises `Faulty` with all faults, `Conflict` for a name that is taken."""
    stream = Stream(name=name)
    _write(stream, definition, adapter)
    return stream


def replace_stream(*, stream: Stream, name: str, definition: StreamDefinition, adapter: AdapterChoice) -> None:
    """Replace what `stream` says. Raises `Faulty` with all faults, `Conflict` for a name that is taken."""
    stream.name = name
    _write(stream, definition, adapter)


def _write(stream: Stream, definition: StreamDefinition, adapter: AdapterChoice) -> None:
    adapter = settled(adapter, stream.read_adapter() if stream.adapter else None)
    faults = check_stream(definition, adapter)
    if faults:
        raise Faulty(faults)
    stream.definition = definition.model_dump(mode="json")
    stream.adapter = sealed(adapter).model_dump(mode="json")
    try:
        with transaction.atomic():
            stream.save()
    except IntegrityError:
        raise Conflict(f"There is a stream {stream.name} already. Choose another name.") from None


def delete_stream(*, stream: Stream) -> None:
    """Delete a stream. Raises `Conflict` while a binding uses it."""
    try:
        stream.delete()
    except ProtectedError:
        raise Conflict(f"The stream {stream.name} is an input of a binding. Change the binding first.") from None
