"""The environment of a limited process: its organisation, the place of files, and the reachable networks."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings

from streaming.wire.outgoing import OutgoingPolicy
from webapp.core.context import organisation_or_none
from webapp.core.secrets import hold_keys, organisation_keys


@dataclass(frozen=True)
class JobEnvironment:
    """The organisation in context, its keys if a job needs them, the data folder, and where adapters may connect."""

    organisation: UUID | None
    keys: list[str]
    data: Path
    outgoing: OutgoingPolicy

    @classmethod
    def here(cls, *, with_keys: bool) -> "JobEnvironment":
        """Return the environment of this request."""
        organisation = organisation_or_none()
        keys = organisation_keys(organisation) if with_keys and organisation is not None else []
        return cls(organisation, keys, settings.PUNCTUAL_DATA, settings.OUTGOING)

    def enter(self) -> None:
        """Apply the environment to this process; the caller enters the context of the organisation."""
        settings.PUNCTUAL_DATA = self.data
        settings.OUTGOING = self.outgoing
        if self.organisation is not None:
            hold_keys(self.organisation, self.keys)
