"""Writing streams."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.dispatch import Signal

from streaming.definition.faults import Fault
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from webapp.accounts.limits.quotas import check_room, counts
from webapp.audit.recording import Target, record
from webapp.audit.revisions import require_current, revision_of
from webapp.core.errors import Conflict, Faulty, NotFound
from webapp.core.turns import alone
from webapp.core.uses import followers, refuse_while_used
from webapp.streams.checking import in_body, stream_faults
from webapp.streams.models import Stream
from webapp.streams.pushing import forget_inbox, leave_inbox
from webapp.streams.sealing import concealed, replaced_secrets, sealed, settled


@counts("streams")
def streams_used() -> int:
    """Return the number of streams of the organisation in context."""
    return Stream.objects.count()


stream_written: Final = Signal()
"""Sent with `stream` in the transaction that has written it, so that other apps can refuse it."""

Check = Callable[[StreamDefinition, AdapterChoice], list[Fault]]
_checks: Final[list[Check]] = []


def register_check(check: Check) -> None:
    """Register `check` for each stream that is written alone; it runs before the transaction."""
    _checks.append(check)


def create_stream(*, name: str, definition: StreamDefinition, adapter: AdapterChoice) -> Stream:
    """Create a stream. Raises `Faulty` with all errors, `Conflict` for a name that is taken."""
    stream = Stream(name=name)
    _write(stream, definition, adapter)
    return stream


def replace_stream(
    *, stream: Stream, name: str, definition: StreamDefinition, adapter: AdapterChoice, upon: str | None = None
) -> None:
    """Replace `stream`; queries that name it get a version each with a new name.

    Raises `Faulty` with all errors, `Conflict` for a name that is taken and, if `upon` is given, if it is no longer the
    stream's revision.
    """
    was, stream.name = stream.name, name
    _write(stream, definition, adapter, upon, was)


def _write(
    stream: Stream, definition: StreamDefinition, adapter: AdapterChoice, upon: str | None = None, was: str = ""
) -> None:
    adapter = settled(adapter, stream.read_adapter() if stream.adapter else None)
    faults = stream_faults(definition, adapter)
    if faults:
        raise Faulty([in_body(each) for each in faults])
    if faults := [each for check in _checks for each in check(definition, adapter)]:
        raise Faulty(faults)
    stream.definition = definition.model_dump(mode="json")
    stream.adapter = sealed(adapter).model_dump(mode="json")
    follow = followers("stream", was, stream.name) if was else ()
    try:
        store_stream(stream=stream, upon=upon, was=was, follow=follow)
    except IntegrityError:
        raise Conflict(f"A stream {stream.name} already exists. Choose another name.") from None


def store_stream(
    *, stream: Stream, upon: str | None = None, was: str = "", follow: Sequence[Callable[[], None]] = ()
) -> None:
    """Write a new or changed `stream`, already checked, with its event; `upon` is as for `replace_stream`.

    `was`: the name that it must have had until now, if it gets another, and `follow` the functions that update its
    users. Raises `IntegrityError` for a taken name, `OverQuota` for one stream too many.
    """
    with transaction.atomic():
        if stream._state.adding:
            alone("streams")
            check_room("streams", streams_used())
            stream.save()
            stream_written.send(Stream, stream=stream)
            record("stream.created", target=target_of(stream), after=audited(stream))
            return
        before = Stream.objects.select_for_update().filter(pk=stream.pk).first()
        if before is None:
            raise NotFound  # it has been deleted since then; saving would create it again
        require_current(target_of(before), upon=upon, now=revision_of(before.stored()))
        if was and before.name != was:
            raise Conflict(f"{was} was renamed to {before.name}. Check it, and send your change again.")
        stream.save()
        leave_inbox(before, stream)
        stream_written.send(Stream, stream=stream)
        after = audited(stream)
        if replaced := replaced_secrets(before.read_adapter(), stream.read_adapter()):
            after["secrets_replaced"] = sorted(replaced)
        record("stream.replaced", target=target_of(stream), before=audited(before), after=after)
        for each in follow:
            each()


def target_of(stream: Stream) -> Target:
    """Return the stream as the audit log names it."""
    return Target("stream", stream.pk, stream.name)


def audited(stream: Stream) -> dict[str, Any]:
    """Return the state of a stream for the audit log: placeholders instead of its secrets."""
    adapter = concealed(stream.read_adapter()).model_dump(mode="json")
    return {"name": stream.name, "definition": stream.definition, "adapter": adapter}


def delete_stream(*, stream: Stream) -> None:
    """Delete a stream. Raises `Conflict`, which lists the users, while queries or bindings need it."""
    target, before = target_of(stream), audited(stream)
    with transaction.atomic():
        refuse_while_used("stream", stream.pk, stream.name)
        forget_inbox(stream)
        stream.delete()
        record("stream.deleted", target=target, before=before)
