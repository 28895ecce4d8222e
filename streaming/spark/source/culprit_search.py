"""The search for a binding that makes a batch fail when no stage can name it: bisection, attempt after attempt.

Each probe computes some bindings of the batch and leaves the others out; it never commits. The first probe computes no
binding: if even that fails, no binding is to blame. A culprit is a binding that fails when it is computed alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from streaming.wire.message import make_dataclass

ENOUGH: Final = 3
"""The number of failed attempts at a batch that cannot be chance."""


@dataclass(frozen=True)
class CulpritSearch:
    """The knowledge after the attempts so far, all of them after the manifest of batch `after`.

    `failures`: attempts of the whole batch that failed without a binding to blame. `probe`: the bindings that the next
    attempt computes; None: all of them, and the attempt counts. `suspects` include the culprit. `culprit`: identified
    by the previous attempt. `last`: no binding was identified, and the next attempt decides. `given_up`: that attempt
    failed.
    """

    after: int
    failures: int = 0
    probe: tuple[str, ...] | None = None
    suspects: tuple[str, ...] = ()
    culprit: str | None = None
    last: bool = False
    given_up: bool = False

    def failed(self, batch: Sequence[str]) -> "CulpritSearch":
        """Return the search after a failed attempt; `batch` are the bindings of the whole batch."""
        if self.probe is None:
            return self._failed_whole(batch)
        if not self.probe:
            return replace(self, given_up=True)
        if len(self.probe) == 1:
            return CulpritSearch(self.after, failures=ENOUGH - 1, culprit=self.probe[0])
        return self._among(self.probe)

    def passed(self) -> "CulpritSearch":
        """Return the search after a probe that did not fail."""
        if not self.probe:
            return self._among(self.suspects)
        rest = tuple(key for key in self.suspects if key not in self.probe)
        # None of them fails alone: it was chance, or they fail only together.
        return self._among(rest) if rest else CulpritSearch(self.after, last=True)

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "CulpritSearch":
        """Read the fields as JSON values."""
        probe = None if content["probe"] is None else tuple(content["probe"])
        return make_dataclass(cls, {**content, "probe": probe, "suspects": tuple(content["suspects"])})

    def _failed_whole(self, batch: Sequence[str]) -> "CulpritSearch":
        failures = self.failures + 1
        if self.last or (failures >= ENOUGH and not batch):
            return replace(self, failures=failures, given_up=True)
        if failures < ENOUGH:
            return replace(self, failures=failures, culprit=None)
        return replace(self, failures=failures, culprit=None, probe=(), suspects=tuple(batch))

    def _among(self, suspects: tuple[str, ...]) -> "CulpritSearch":
        return replace(self, suspects=suspects, probe=suspects[: (len(suspects) + 1) // 2])
