"""Options of the `push` adapter."""

from typing import Annotated

from pydantic import Field

from streaming.definition.strict import Strict

INBOX_NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"


class PushOptions(Strict):
    """Rows that your programs send to the stream's address, as JSON; each is stored before it is acknowledged."""

    inbox: Annotated[
        str,
        Field(
            pattern=INBOX_NAME,
            title="Inbox",
            description="A name of lower-case letters, digits, - and _. Streams with the same inbox read the "
            "same rows.",
        ),
    ]
    most_mib: Annotated[
        int,
        Field(
            ge=1,
            le=16_384,
            title="Size (MiB)",
            description="The most that the inbox stores, compressed. If it is full, the oldest rows that every reader "
            "has read are deleted. Unread rows are never deleted; instead, senders have to wait.",
        ),
    ] = 256
    wait_days: Annotated[
        int,
        Field(
            ge=1,
            le=366,
            title="Wait for readers (days)",
            description="The inbox keeps unread rows for a stopped binding for this long.",
        ),
    ] = 7
