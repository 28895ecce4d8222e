"""Time limit for checking the files of one request: files within the limits of size can still be slow together."""

from dataclasses import dataclass, field
from time import thread_time
from typing import Final

SECONDS: Final = 5.0


@dataclass(frozen=True)
class Effort:
    """The processor time of this thread since the start; waiting for others does not count."""

    seconds: float = SECONDS
    began: float = field(default_factory=thread_time)

    @property
    def spent(self) -> bool:
        """Return whether the time is used up, so that no more work may start."""
        return thread_time() - self.began > self.seconds
