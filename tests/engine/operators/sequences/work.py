"""The work of searches, counted: conditions tried, and rows put on paths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from streaming.engine.operators.sequences import sequence
from streaming.engine.operators.sequences.masked_search import KnownConditions
from streaming.reference.sequences.path import Path
from streaming.reference.sequences.search import AttemptSearch


@dataclass
class Work:
    """The number of steps so far."""

    steps: int = 0

    def counting(self, original: Any) -> Any:
        """Return `original`, whose calls count."""

        def counted(*args: Any, **options: Any) -> Any:
            self.steps += 1
            return original(*args, **options)

        return counted


class _CountedTruths(Sequence[bool]):
    def __init__(self, truths: Sequence[bool], work: Work) -> None:
        self._truths, self._work = truths, work

    def __len__(self) -> int:
        return len(self._truths)

    def __getitem__(self, at: Any) -> Any:
        self._work.steps += 1
        return self._truths[at]


def counted_work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Count from here on: conditions that were evaluated for all rows, other conditions, and rows put on paths."""
    work = Work()

    def build_counted(holds: Mapping[str, Sequence[bool]], *others: Any) -> Any:
        return replace(
            KnownConditions(holds, *others), holds={name: _CountedTruths(of, work) for name, of in holds.items()}
        )

    monkeypatch.setattr(sequence, "KnownConditions", build_counted)
    monkeypatch.setattr(AttemptSearch, "_try", work.counting(AttemptSearch._try))
    monkeypatch.setattr(Path, "taking", work.counting(Path.taking))
    return work
