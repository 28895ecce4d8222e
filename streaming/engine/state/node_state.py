"""The state of one node of a bucket: a small head of JSON values, and tables that are read when they are needed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from streaming.engine.columns.ipc import from_bytes, to_bytes
from streaming.engine.state.container import Blob


@dataclass
class NodeState:
    """What a node remembers. Changes are kept until the turn has succeeded; a turn reads its own changes.

    `head` holds JSON values (no tuples, text keys), read and written with every turn: keep it small. Tables are read
    one by one: reading and writing one costs about half a millisecond on Spark unless it is small, when it lives beside
    the head. Append tables under new names (`fresh`) rather than writing one again.
    """

    load: Callable[[str], Blob | None]
    head: dict[str, Any] = field(default_factory=dict)
    written: dict[str, bytes] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)

    def fresh(self) -> str:
        """A name that no table of this node ever had."""
        number = int(self.head.get("#", 0))
        self.head["#"] = number + 1
        return f"t{number}"

    def put(self, name: str, table: pa.Table) -> None:
        """Store `table` under `name`, replacing what was there."""
        self.dropped.discard(name)
        self.written[name] = to_bytes(table)

    def get(self, name: str) -> pa.Table:
        """The table under `name`. Raises LookupError where there is none."""
        content = None if name in self.dropped else self.written.get(name) or self.load(name)
        if content is None:
            raise LookupError(f"the state has no table {name!r}, which its head lists")
        return from_bytes(content)

    def drop(self, names: Iterable[str]) -> None:
        """Forget the tables `names`."""
        for name in names:
            self.written.pop(name, None)
            self.dropped.add(name)
