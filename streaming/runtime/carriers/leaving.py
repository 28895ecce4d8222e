"""An organisation's leave from a pool: its state in the pool's carrier becomes savepoints, then it is deleted there."""

from collections.abc import Set
from pathlib import Path
from typing import Final

from streaming.runtime.carriers.carrier import CarrierLike
from streaming.runtime.carriers.locations import BindingLocations
from streaming.spark.errors import PunctualError
from streaming.spark.query.savepoints import refusal_path

_NOBODY: Final = "nobody"
"""A binding that doesn't exist: when its savepoint is refused, the carrier has processed every earlier command."""
_TWICE: Final = 2
"""A refusal is reported when its batch is planned: at the second one, the batch of the first has ended."""


class PoolLeave:
    """The leave of the organisation in `folder` from `pool`; no run of it is desired any more.

    Each turn does the possible steps. The leave may be restarted at any time, also by a successor: `homes` records each
    savepoint before the binding is deleted from the pool's carrier.
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
        """Do the next steps; return whether the leave is complete. Bindings in `waits` have an unanswered command.

        Raises `OSError`.
        """
        for binding in sorted((set(carrier.list_bindings()) | self._homes.at(self._pool)) - waits - self._forgotten):
            home = self._homes.home(binding)
            if home.name != self._pool:
                self._forget(carrier, binding)  # its state here is outdated
            elif home.savepoint is not None:
                self._homes.leave(binding, home.savepoint)  # it has not started here
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
        except PunctualError:  # it has no state there
            path = None
        self._homes.leave(binding, path)
        self._forget(carrier, binding)

    def _forget(self, carrier: CarrierLike, binding: str) -> None:
        carrier.forget(binding)
        self._forgotten.add(binding)

    def _is_over(self, carrier: CarrierLike) -> bool:
        """Return whether every command has had its batch: the carrier no longer writes for the organisation."""
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
