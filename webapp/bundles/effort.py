"""How long the files of one request may be checked: what is within the limits of size can still be slow together."""

from dataclasses import dataclass, field
from time import thread_time
from typing import Final

SECONDS: Final = 5.0


@dataclass(frozen=True)
class Effort:
    """The processor time of this thread since the effort began; the waiting for others does not count."""

    seconds: float = SECONDS
    began: float = field(default_factory=thread_time)

    @property
    def spent(self) -> bool:
        """Whether nothing more is to be begun."""
        return thread_time() - self.began > self.seconds
