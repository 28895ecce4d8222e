"""The control log: numbered commands to a carrier, written by its driver, read by planner and workers.

Commands name a binding as its carrier does: by its id, in a pooled carrier with its organisation before it.
"""

import json
import threading
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from streaming.definition.strict import Strict
from streaming.wire.binding_homes import name_in_pool
from streaming.wire.messages import BESIDE, RunSpec
from streaming.wire.storage import BlobFolder

AtEnd = Literal["flush", "final", "nothing"]
"""What the end of a finite input does: CTI infinity always, only where `final` asks for it, or never."""


class AddBinding(Strict):
    """Carry a binding from the next batch on.

    `tick` is the wall clock at which the command was given. `bucket_ids` are the ids of the binding's buckets, chosen
    to spread over Spark's partitions; one id unless the carrier is dedicated to this binding. `lanes` are those that
    the adapters named at that time, by input. `from_savepoint`: the savepoint to begin with, below the organisation's
    folder. `moving`: it was taken to bring the binding here, and what does not fit is left behind, as it would be at a
    start in the same carrier; without it such a savepoint is refused. `journals`: where its adapters find what those of
    the run beside which it reads journal, below the carrier's folder; "": they journal in a place of their own.
    """

    kind: Literal["add"]
    tick: int
    spec: RunSpec
    bucket_ids: Annotated[list[int], Field(min_length=1)]
    lanes: dict[str, list[str]]
    at_end: AtEnd
    from_savepoint: str | None = None
    moving: bool = False
    journals: str = ""


class StopBinding(Strict):
    """Carry a binding no longer; with `flush`, inputs whose settings say `final` get CTI infinity first.

    With `discard` its state is thrown away, also where it is stopped already, and nothing is flushed.
    """

    kind: Literal["stop"]
    tick: int
    binding: str
    flush: bool
    discard: bool = False


class SaveBinding(Strict):
    """Write all that a stopped binding has kept as the savepoint `path`; one that is carried is stopped first.

    `moving`: it goes to another carrier, so that of one that has come to its end the positions alone are written.
    """

    kind: Literal["savepoint"]
    tick: int
    binding: str
    path: str
    moving: bool = False


class ForgetBinding(Strict):
    """Keep nothing of a binding here any more; one that is carried is stopped. What it has given stays."""

    kind: Literal["forget"]
    tick: int
    binding: str


class RepairBinding(Strict):
    """Give the rows of `repair` with the next batch of `run`, if that is carried then (`streaming/wire/repairs.py`)."""

    kind: Literal["repair"]
    tick: int
    binding: str
    run: str
    repair: str


Command = AddBinding | StopBinding | SaveBinding | ForgetBinding | RepairBinding
_COMMAND: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="kind")])


MANY = 64
"""So many entries are compacted at once."""
_COMPACTED = "control/compacted.json"


class AnotherDriver(OSError):
    """An entry of the control log was written by another driver, which has the carrier now."""

    def __init__(self, number: int) -> None:
        super().__init__(f"entry {number} of the control log was written by another driver")


class ControlLog:
    """Entries `control/<number>.json` from 1. One driver appends; an entry never changes, so it may be cached.

    Those that no batch can need again go (`compact`); `control/compacted.json` says what they come to.
    """

    def __init__(self, folder: BlobFolder, *, pooled: bool = False) -> None:
        """`pooled`: it is that of a pooled carrier."""
        self._folder = folder
        self._pooled = pooled
        self._cache: dict[int, Command] = {}
        self._newest: int | None = None
        self._appending = threading.Lock()

    def name_of(self, spec: RunSpec) -> str:
        """What the binding of `spec` is called in this carrier."""
        return name_in_pool(spec.organisation, spec.carried_as) if self._pooled else spec.carried_as

    def newest(self) -> int:
        """The number of the last entry, 0 when there is none."""
        numbers = self._folder.numbers("control")
        return numbers[-1] if numbers else 0

    def append(self, command: Command) -> int:
        """Write `command` as the next entry and return its number. Only the driver may call this, in any thread.

        Raises `AnotherDriver` when the entry is there already: whoever wrote it has the carrier now.
        """
        with self._appending:
            number = (self.newest() if self._newest is None else self._newest) + 1
            name, content = f"control/{number}.json", command.model_dump_json().encode()
            # A store that lost its first answer is asked again, and then finds what it has just taken.
            if not self._folder.create(name, content) and self._folder.read(name) != content:
                raise AnotherDriver(number)
            self._newest = number
            return number

    def read(self, number: int) -> Command:
        """The entry `number`. Raises `LookupError` when there is none."""
        if number not in self._cache:
            content = self._folder.read(f"control/{number}.json")
            if content is None:
                raise LookupError(f"the control log has no entry {number}")
            self._cache[number] = _COMMAND.validate_json(content)
        return self._cache[number]

    def last_added(self, binding: str) -> AddBinding | None:
        """The newest entry that is kept and adds `binding`; None where there is none."""
        for number in reversed(self._folder.numbers("control")):
            command = self.read(number)
            if isinstance(command, AddBinding) and self.name_of(command.spec) == binding:
                return command
        return None

    def newest_entries(self) -> dict[str, int]:
        """Binding to the number of the newest entry that is kept and adds it."""
        found = {}
        for number in self._folder.numbers("control"):
            command = self.read(number)
            if isinstance(command, AddBinding):
                found[self.name_of(command.spec)] = number
        return found

    def commanded(self) -> dict[str, str]:
        """Binding to run: the last command of each binding that adds it, of entries that are compacted too."""
        while True:
            upto, found = self._compacted()
            try:
                for number in self._folder.numbers("control"):
                    if number > upto:
                        self._obey(found, self.read(number))
                return found
            except LookupError:
                continue  # it was compacted meanwhile, and now stands there

    def compact(self, upto: int, needed: Collection[int]) -> None:
        """Forget the entries up to `upto`, which batches have taken, but for the `needed` ones. Raises `OSError`.

        What they command is kept as one list, so that a start reads that and what came after it; it is done only where
        many are to be forgotten. The entry `upto` stays: the next one is numbered after it.
        """
        before, found = self._compacted()
        if upto - before < MANY:
            return
        numbers = self._folder.numbers("control")
        for number in numbers:
            if before < number <= upto:
                self._obey(found, self.read(number))
        self._folder.write(_COMPACTED, json.dumps({"upto": upto, "commanded": found}).encode())
        for number in numbers:
            if number < upto and number not in needed:
                self._folder.remove(f"control/{number}.json")
                self._cache.pop(number, None)

    def _compacted(self) -> tuple[int, dict[str, str]]:
        content = self._folder.read(_COMPACTED)
        if content is None:
            return 0, {}
        known = json.loads(content)
        return known["upto"], known["commanded"]

    def added(self, number: int) -> AddBinding:
        """The entry `number`, which adds a binding. Raises `LookupError` when it is another command."""
        command = self.read(number)
        if not isinstance(command, AddBinding):
            raise LookupError(f"entry {number} of the control log does not add a binding")
        return command

    def _obey(self, commanded: dict[str, str], command: Command) -> None:
        if isinstance(command, AddBinding):
            commanded[self.name_of(command.spec)] = command.spec.run
            if command.spec.takes_over is not None:
                commanded.pop(f"{self.name_of(command.spec)}{BESIDE}", None)
        elif not isinstance(command, RepairBinding):
            commanded.pop(command.binding, None)
