"""The state of one node of a bucket: a small head of JSON values, and tables that are read when needed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from streaming.engine.columns.ipc import from_bytes, to_bytes
from streaming.engine.state.container import Blob


@dataclass
class NodeState:
    """The state of a node. Changes are kept until the turn has succeeded; a turn reads its own changes.

    `head` holds JSON values (no tuples, text keys), read and written with every turn: keep it small. Tables are read
    one by one: reading and writing one costs about half a millisecond on Spark. A small table is stored next to the
    head and does not. Append tables with new names (`fresh`) instead of writing one again.
    """

    load: Callable[[str], Blob | None]
    head: dict[str, Any] = field(default_factory=dict)
    written: dict[str, bytes] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)

    def fresh(self) -> str:
        """Return a name that no table of this node ever had."""
        number = int(self.head.get("#", 0))
        self.head["#"] = number + 1
        return f"t{number}"

    def put(self, name: str, table: pa.Table) -> None:
        """Store `table` as `name`, replacing any previous one."""
        self.dropped.discard(name)
        self.written[name] = to_bytes(table)

    def get(self, name: str) -> pa.Table:
        """Return the table `name`. Raises LookupError if it does not exist."""
        content = None if name in self.dropped else self.written.get(name) or self.load(name)
        if content is None:
            raise LookupError(f"the state has no table {name!r}, which its head lists")
        return from_bytes(content)

    def drop(self, names: Iterable[str]) -> None:
        """Remove the tables `names`."""
        for name in names:
            self.written.pop(name, None)
            self.dropped.add(name)
