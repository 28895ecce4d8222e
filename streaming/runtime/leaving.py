"""How an organisation leaves a pool: what the pool's carrier keeps of it becomes savepoints, the rest is forgotten."""

from collections.abc import Set
from pathlib import Path
from typing import Final

from streaming.runtime.binding_locations import BindingLocations
from streaming.runtime.carriers import CarrierLike
from streaming.spark.errors import PunctualError
from streaming.spark.savepoints import refusal_path

_NOBODY: Final = "nobody"
"""A binding that is none: when its savepoint is refused, the carrier has taken every command before."""
_TWICE: Final = 2
"""A refusal is told when its batch is planned: with the second one the batch of the first is over."""


class PoolLeave:
    """One organisation, whose folder is `folder`, on its way out of `pool`; nothing of it is desired any more.

    Each turn does what can be done. It may be begun anew at any time, also by a successor: what has been left is noted
    in `homes` before it is forgotten.
    """

    def __init__(self, folder: Path, pool: str, homes: BindingLocations) -> None:
        self._folder = folder
        self._pool = pool
        self._homes = homes
        self._asked: dict[str, str] = {}
        self._forgotten: set[str] = set()
        self._barrier: str | None = None
        self._passed = 0

    def turn(self, carrier: CarrierLike, waits: Set[str]) -> bool:
        """Go on; whether nothing is left. What `waits` was told something that it has not answered.

        Raises `OSError`.
        """
        for binding in sorted((set(carrier.known()) | self._homes.at(self._pool)) - waits - self._forgotten):
            home = self._homes.home(binding)
            if home.name != self._pool:
                self._forget(carrier, binding)  # nothing of it counts here
            elif home.savepoint is not None:
                self._homes.leave(binding, home.savepoint)  # it has not begun here
                self._forget(carrier, binding)
            else:
                self._save(carrier, binding)
        return not waits and not self._homes.at(self._pool) and self._is_over(carrier)

    def _save(self, carrier: CarrierLike, binding: str) -> None:
        path: str | None = self._asked.get(binding)
        if path is None:
            self._asked[binding] = carrier.savepoint(binding, moving=True)
            return
        try:
            if not carrier.saved(path):
                return
        except PunctualError:  # nothing is kept there
            path = None
        self._homes.leave(binding, path)
        self._forget(carrier, binding)

    def _forget(self, carrier: CarrierLike, binding: str) -> None:
        carrier.forget(binding)
        self._forgotten.add(binding)

    def _is_over(self, carrier: CarrierLike) -> bool:
        """Whether every command has had its batch: the carrier writes nothing of the organisation any more."""
        if self._passed == _TWICE:
            return True
        if self._barrier is None:
            self._barrier = carrier.savepoint(_NOBODY)
        try:
            carrier.saved(self._barrier)
        except PunctualError:
            (self._folder / refusal_path(self._barrier)).unlink(missing_ok=True)
            self._barrier = None
            self._passed += 1
        return self._passed == _TWICE
