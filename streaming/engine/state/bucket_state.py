"""The state of one bucket: a head that every turn reads and writes, and tables that are read when needed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from streaming.engine.state.container import Blob, framed, unframed
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.state_store import StateStore

VERSION: Final = 5
_HEAD: Final = "head"
_INLINE_BYTES: Final = 16_384
"""A table up to this size is stored in the head, where it costs no state call of its own."""
_INLINE_TOTAL: Final = 131_072


@dataclass
class _StoredTables:
    """The tables next to the head, by key, and the keys of tables with a separate place."""

    inline: dict[str, Blob] = field(default_factory=dict)
    apart: set[str] = field(default_factory=set)


class BucketState:
    """Reads the head once, keeps all changes until `write`, and then writes them in as few calls as possible.

    Layout (version 5): in `head` a container of JSON and small tables; in `<node>/<table>` the larger tables of that
    node. The JSON: `ctis` (input, branch, lane: the CTI of each lane as the branch sees it), `reached` and `horizons`
    (branch or node: its CTI and its horizon), `corrections` (input, lane: outcomes and reasons that operators changed,
    as differences), `nodes` (node: the head of its state), `apart` (keys of tables), `inline` (the keys of the tables
    after the JSON).
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        head, blobs = _read(store.get(_HEAD))
        self._stored = _StoredTables(blobs, set(head.get("apart", ())))
        self._nodes: dict[str, dict[str, Any]] = head.get("nodes", {})
        self._node_states: dict[str, NodeState] = {}
        self.ctis: dict[str, dict[str, dict[str, int]]] = head.get("ctis", {})
        self.reached: dict[str, int] = head.get("reached", {})
        self.horizons: dict[str, int] = head.get("horizons", {})
        self.corrections: dict[str, dict[str, dict[str, dict[str, int]]]] = head.get("corrections", {})

    def node(self, node: str) -> NodeState:
        """The state of one node; the same object throughout the turn."""
        if node not in self._node_states:
            # of what is stored alone, not of `self`: tables in a cycle of references would outlive their turn
            load = partial(_loaded, self._stored.inline, self._store, node)
            self._node_states[node] = NodeState(load, self._nodes.setdefault(node, {}))
        return self._node_states[node]

    def write(self) -> None:
        """Write all changes to the store, the head last."""
        stored = self._stored
        for node, node_state in self._node_states.items():
            for name in sorted(node_state.dropped):
                self._forget(f"{node}/{name}")
            for name, content in node_state.written.items():
                self._keep(f"{node}/{name}", content)
        while sum(map(len, stored.inline.values())) > _INLINE_TOTAL:
            key = max(stored.inline, key=lambda each: len(stored.inline[each]))
            self._set_apart(key, stored.inline.pop(key))
        self._store.put(_HEAD, self._framed())

    def _forget(self, key: str) -> None:
        self._stored.inline.pop(key, None)
        if key in self._stored.apart:
            self._stored.apart.remove(key)
            self._store.delete(key)

    def _keep(self, key: str, content: Blob) -> None:
        if len(content) > _INLINE_BYTES:
            self._stored.inline.pop(key, None)
            self._set_apart(key, content)
            return
        self._forget(key)
        self._stored.inline[key] = content

    def _set_apart(self, key: str, content: Blob) -> None:
        self._stored.apart.add(key)
        self._store.put(key, bytes(content))

    def _framed(self) -> bytes:
        inline = self._stored.inline
        head = {
            "version": VERSION,
            "ctis": self.ctis,
            "reached": self.reached,
            "horizons": self.horizons,
            "corrections": self.corrections,
            "nodes": {node: content for node, content in self._nodes.items() if content},
            "apart": sorted(self._stored.apart),
            "inline": list(inline),
        }
        return framed(head, inline.values())


def _loaded(inline: Mapping[str, Blob], store: StateStore, node: str, name: str) -> Blob | None:
    key = f"{node}/{name}"
    return inline.get(key) or store.get(key)


def _read(value: bytes | None) -> tuple[dict[str, Any], dict[str, Blob]]:
    if value is None:
        return {}, {}
    head, blobs = unframed(value)
    if head["version"] != VERSION:
        raise ValueError(f"the operator state has version {head['version']}, this program reads version {VERSION}")
    return head, dict(zip(head["inline"], blobs, strict=True))
