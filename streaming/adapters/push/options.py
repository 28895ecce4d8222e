"""What a user sets for the `push` adapter."""

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
            description="A name of small letters, digits, - and _. Streams with the same inbox read the same rows.",
        ),
    ]
    most_mib: Annotated[
        int,
        Field(
            ge=1,
            le=16_384,
            title="Room (MiB)",
            description="So much the inbox keeps, compressed. Where there is no more room, the oldest rows that every "
            "reader has read make place; rows that somebody has yet to read never do, and senders are told to wait.",
        ),
    ] = 256
    wait_days: Annotated[
        int,
        Field(
            ge=1,
            le=366,
            title="Wait for readers (days)",
            description="A binding that has not run for so long no longer keeps rows in the inbox.",
        ),
    ] = 7
