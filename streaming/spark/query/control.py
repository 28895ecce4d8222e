"""The control log: numbered commands to a carrier. Its driver writes it; planner and workers read it.

Commands name a binding as its carrier does: by its id, in a pooled carrier prefixed with its organisation.
"""

import json
import threading
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from streaming.spark.query.damage import naming
from streaming.storage.blobs import BlobFolder
from streaming.wire.binding_homes import name_in_pool
from streaming.wire.message import Message
from streaming.wire.messages import BESIDE, RunSpec

AtEnd = Literal["flush", "final", "nothing"]
"""The effect of the end of a finite input: CTI infinity always, only where `final` requests it, or never."""


class AddBinding(Message):
    """Carry a binding from the next batch on.

    `tick` is the wall clock at the time of the command. `bucket_ids` are the ids of the binding's buckets, chosen
    to spread over Spark's partitions; one id unless the carrier is dedicated to this binding. `lanes` are the lanes
    that the adapters named at that time, by input. `from_savepoint`: the savepoint to restore, below the organisation's
    folder. `moving`: the savepoint brings the binding here, and state that does not fit is left behind, as at a start
    in the same carrier; without it such a savepoint is refused. `journals`: the journals of the run that a shadow run
    follows, below the carrier's folder; "": the adapters have journals of their own.
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


class StopBinding(Message):
    """Stop carrying a binding; with `flush`, inputs whose settings say `final` get CTI infinity first.

    With `discard` its state is deleted, even if it has already stopped, and nothing is flushed.
    """

    kind: Literal["stop"]
    tick: int
    binding: str
    flush: bool
    discard: bool = False


class SaveBinding(Message):
    """Write the whole state of a stopped binding as the savepoint `path`; a carried binding is stopped first.

    `moving`: the savepoint goes to another carrier, so if the binding has ended only its positions are written.
    """

    kind: Literal["savepoint"]
    tick: int
    binding: str
    path: str
    moving: bool = False


class ForgetBinding(Message):
    """Delete the state of a binding here; a carried binding is stopped. Its results stay."""

    kind: Literal["forget"]
    tick: int
    binding: str


class RepairBinding(Message):
    """Emit the rows of `repair` with the next batch of `run`, if it is carried then (`streaming/resume/repairs.py`)."""

    kind: Literal["repair"]
    tick: int
    binding: str
    run: str
    repair: str


Command = AddBinding | StopBinding | SaveBinding | ForgetBinding | RepairBinding
_COMMAND: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="kind")])


MANY = 64
"""The number of entries that are compacted at once."""
_COMPACTED = "control/compacted.json"


class AnotherDriver(OSError):
    """Another driver wrote an entry of the control log, and owns the carrier now."""

    def __init__(self, number: int) -> None:
        super().__init__(f"another driver wrote entry {number} of the control log")


class ControlLog:
    """Entries `control/<number>.json` from 1. One driver appends; an entry never changes, so it may be cached.

    `compact` deletes entries that no batch can need again; `control/compacted.json` holds their combined effect.
    """

    def __init__(self, folder: BlobFolder, *, pooled: bool = False) -> None:
        """Open the log in `folder`; `pooled`: of a pooled carrier."""
        self._folder = folder
        self._pooled = pooled
        self._cache: dict[int, Command] = {}
        self._newest: int | None = None
        self._appending = threading.Lock()

    def name_of(self, spec: RunSpec) -> str:
        """Return the name of the binding of `spec` in this carrier."""
        return name_in_pool(spec.organisation, spec.carried_as) if self._pooled else spec.carried_as

    def newest(self) -> int:
        """Return the number of the last entry, 0 when there is no entry."""
        numbers = self._folder.numbers("control")
        return numbers[-1] if numbers else 0

    def append(self, command: Command) -> int:
        """Write `command` as the next entry and return its number. Only the driver may call this, from any thread.

        Raises `AnotherDriver` when the entry exists already: its writer owns the carrier now.
        """
        with self._appending:
            number = (self.newest() if self._newest is None else self._newest) + 1
            name, content = f"control/{number}.json", command.model_dump_json().encode()
            # A store whose first answer was lost receives the request again, and then finds the entry that it has just
            # stored.
            if not self._folder.create(name, content) and self._folder.read(name) != content:
                raise AnotherDriver(number)
            self._newest = number
            return number

    def read(self, number: int) -> Command:
        """Return the entry `number`. Raises `LookupError` when it does not exist."""
        if number not in self._cache:
            content = self._folder.read(f"control/{number}.json")
            if content is None:
                raise LookupError(f"the control log has no entry {number}")
            with naming(self._folder, f"control/{number}.json"):
                self._cache[number] = _COMMAND.validate_json(content)
        return self._cache[number]

    def last_added(self, binding: str) -> AddBinding | None:
        """Return the newest stored entry that adds `binding`; None if no entry does."""
        for number in reversed(self._folder.numbers("control")):
            command = self.read(number)
            if isinstance(command, AddBinding) and self.name_of(command.spec) == binding:
                return command
        return None

    def newest_entries(self) -> dict[str, int]:
        """Return binding to the number of the newest stored entry that adds it."""
        found = {}
        for number in self._folder.numbers("control"):
            command = self.read(number)
            if isinstance(command, AddBinding):
                found[self.name_of(command.spec)] = number
        return found

    def commanded(self) -> dict[str, str]:
        """Return binding to run, by the last command for each binding that adds it, compacted entries included."""
        while True:
            upto, found = self._compacted()
            try:
                for number in self._folder.numbers("control"):
                    if number > upto:
                        self._apply(found, self.read(number))
                return found
            except LookupError:
                continue  # another thread compacted the entry, so the compacted list has it now

    def compact(self, upto: int, needed: Collection[int]) -> None:
        """Forget the entries up to `upto`, which batches have taken, except the `needed` ones. Raises `OSError`.

        Their combined effect is written as one list, so a start reads that list and the later entries. Does nothing
        until many entries can go. The entry `upto` stays, because the next number follows it.
        """
        before, found = self._compacted()
        if upto - before < MANY:
            return
        numbers = self._folder.numbers("control")
        for number in numbers:
            if before < number <= upto:
                self._apply(found, self.read(number))
        self._folder.write(_COMPACTED, json.dumps({"upto": upto, "commanded": found}).encode())
        for number in numbers:
            if number < upto and number not in needed:
                self._folder.remove(f"control/{number}.json")
                self._cache.pop(number, None)

    def _compacted(self) -> tuple[int, dict[str, str]]:
        content = self._folder.read(_COMPACTED)
        if content is None:
            return 0, {}
        with naming(self._folder, _COMPACTED):
            known = json.loads(content)
            return known["upto"], known["commanded"]

    def added(self, number: int) -> AddBinding:
        """Return the entry `number`, which adds a binding. Raises `LookupError` when it is another command."""
        command = self.read(number)
        if not isinstance(command, AddBinding):
            raise LookupError(f"entry {number} of the control log does not add a binding")
        return command

    def _apply(self, commanded: dict[str, str], command: Command) -> None:
        if isinstance(command, AddBinding):
            commanded[self.name_of(command.spec)] = command.spec.run
            if command.spec.takes_over is not None:
                commanded.pop(f"{self.name_of(command.spec)}{BESIDE}", None)
        elif not isinstance(command, RepairBinding):
            commanded.pop(command.binding, None)
