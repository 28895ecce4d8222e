"""Savepoints: all that a binding has kept, as one Arrow blob that any carrier with the same query may begin with.

The blob is an Arrow IPC stream. Its metadata holds the head as JSON; its rows are the state of the operators (`state`:
bucket, key, value; of the second stage: `state-2`), the clocks of the lanes (`clock`: bucket 0, `<input>/<lane>`,
value), and what adapters have journaled (`journal`: bucket 0, path below the binding's journals, content).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import pyarrow as pa

from streaming.adapters.contract import AdapterError
from streaming.definition.counts import counted
from streaming.planning.plan import QueryPlan
from streaming.spark.binding_life import CarriedBinding, LanePositions
from streaming.spark.layout import CarrierFolder
from streaming.wire.kept import BindingFacts
from streaming.wire.storage import BlobFolder

VERSION: Final = 4
"""Of the layout. Another one is refused."""
PARTS: Final = ("state", "state-2")
"""The parts of a savepoint that hold the state of the first and of the second stage."""
FOLDER: Final = "savepoints"
PIECE_BYTES: Final = 16 << 20
"""About so much travels in one envelope."""
_HEAD: Final = b"head"
_SCHEMA: Final = pa.schema(
    [("part", pa.string()), ("bucket", pa.int32()), ("name", pa.string()), ("value", pa.large_binary())]
)
Item = tuple[str, int, str, bytes]
"""A row of a blob: part, bucket, name, value."""


@dataclass(frozen=True)
class SavepointHead:
    """What a savepoint is of. `batch` is the last one of its binding that counts; `totals` as in the manifests.

    `ended`: the binding has had CTI infinity and keeps its positions alone. `buckets` and `second`: `Plan.spread`.
    `routing`: `Plan.routing`. `journals`: where its adapters journaled, `run`: whose run it was; who reads lanes knows
    neither. `again` as in `CarriedBinding`.
    """

    path: str
    binding: str
    shape: str
    batch: int
    positions: LanePositions
    together: bool = False
    buckets: int = 1
    totals: dict[str, Any] = field(default_factory=dict)
    version: int = VERSION
    ended: bool = False
    second: int = 0
    routing: str = ""
    journals: str = ""
    run: str = ""
    again: LanePositions | None = None

    def to_json(self) -> bytes:
        """As the metadata of a blob."""
        return json.dumps(asdict(self)).encode()


def head_of(item: CarriedBinding, path: str, batch: int) -> SavepointHead:
    """The head of a savepoint of `item` as it was before `batch`; who knows buckets and totals fills them in."""
    of = item.generation
    head = SavepointHead(path, of.binding, of.shape, batch, item.stood.positions, of.together, routing=of.routing)
    return replace(head, again=item.again)


def read_head(shared: BlobFolder, path: str) -> SavepointHead:
    """The head of the savepoint `path` in the organisation's folder. Raises `AdapterError` if it is none of ours."""
    blob = shared.read(path)
    try:
        content = json.loads((pa.ipc.open_stream(blob or b"").schema.metadata or {})[_HEAD])
    except (KeyError, ValueError, pa.ArrowInvalid):
        raise AdapterError("The savepoint cannot be read. Stop the run where it was and take another one.") from None
    if content["version"] != VERSION:
        raise AdapterError(
            f"The savepoint has version {content['version']}, and this program reads version {VERSION}. "
            "Start the run without it, or with the program that wrote it."
        )
    return SavepointHead(**content)


def fitting(head: SavepointHead, facts: BindingFacts, plan: QueryPlan) -> None:
    """Check that a binding with `facts` and `plan` may begin with it. Raises `AdapterError`."""
    if not facts.fits(head.shape):
        raise AdapterError(
            "The savepoint is of another query, other streams or other inputs than this run. "
            "Start the run as it was when the savepoint was taken, or without the savepoint."
        )
    if (head.buckets, head.second) != plan.spread:
        taken, kept = (_said(each) for each in ((head.buckets, head.second), plan.spread))
        raise AdapterError(
            f"The savepoint was taken of {taken} and this engine keeps {kept}; state cannot be "
            "divided anew. Give the engine as many buckets, or start the run without the savepoint."
        )
    if not _routed_alike(head, plan):
        raise AdapterError(
            "The savepoint was taken by a version that divides rows among buckets in another way. "
            "Start the run without the savepoint, or with the program that wrote it."
        )


def goes_on(head: SavepointHead, facts: BindingFacts, plan: QueryPlan) -> Literal["all", "positions", "nothing"]:
    """What a binding with `facts` and `plan` keeps of `head` when it is moved to another carrier.

    That is what it would keep at a start in the carrier where it was: everything, its positions where its state has
    ended or cannot be divided as the plan does, nothing if its query or its inputs are others.
    """
    if not facts.fits(head.shape):
        return "nothing"
    return "positions" if head.ended or not _routed_alike(head, plan) else "all"


def _routed_alike(head: SavepointHead, plan: QueryPlan) -> bool:
    return (head.buckets, head.second) == plan.spread and head.routing == plan.routing


def _said(spread: tuple[int, int]) -> str:
    buckets, second = spread
    return f"{counted(buckets, 'bucket')}" + (f" and a second stage of {second}" if second else "")


def read_items(shared: BlobFolder, path: str, part: str) -> Iterator[Item]:
    """The rows of `part` of a savepoint. Raises `OSError`."""
    yield from (item for item in items_of(shared.read(path) or b"") if item[0] == part)


def pieces_of(items: Iterable[Item]) -> Iterator[bytes]:
    """`items` as Arrow IPC streams of about PIECE_BYTES each."""
    waiting: list[Item] = []
    size = 0
    for item in items:
        waiting.append(item)
        size += len(item[3])
        if size >= PIECE_BYTES:
            yield _stream(waiting)
            waiting, size = [], 0
    if waiting:
        yield _stream(waiting)


def items_of(piece: bytes) -> Iterator[Item]:
    """The rows of a piece."""
    for batch in pa.ipc.open_stream(piece):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def assemble(carrier: CarrierFolder, shared: BlobFolder, head: SavepointHead, pieces: Iterable[str]) -> None:
    """Write the savepoint of `head` from its pieces (names in the carrier's folder), atomically. Raises `OSError`."""
    writing = shared.writing(head.path)
    sink = pa.BufferOutputStream()
    schema = _SCHEMA.with_metadata({_HEAD: head.to_json()})
    with pa.ipc.new_stream(sink, schema) as writer:
        for item in _journaled(carrier, head):
            writer.write_batch(_batch([item]))
        for name in sorted(pieces):
            for batch in pa.ipc.open_stream(carrier.folder.read(name) or b""):
                writer.write_batch(batch)
    writing.add([sink.getvalue()])
    writing.finish()


def _journaled(carrier: CarrierFolder, head: SavepointHead) -> Iterator[Item]:
    for name in head.positions:
        folder = f"{head.journals}/{name}"
        for blob in sorted(carrier.folder.tags(folder)):
            content = carrier.folder.read(f"{folder}/{blob}")
            if content is not None:
                yield "journal", 0, f"{name}/{blob}", content


def enter_journals(carrier: CarrierFolder, shared: BlobFolder, head: SavepointHead, path: str) -> None:
    """Let adapters find what they had journaled, where they had. Raises `OSError`."""
    target = head.journals
    for name in head.positions:
        for blob in carrier.folder.tags(f"{target}/{name}"):
            carrier.folder.remove(f"{target}/{name}/{blob}")
    for _, _, name, content in read_items(shared, path, "journal"):
        carrier.folder.write(f"{target}/{name}", content)


def refuse(shared: BlobFolder, path: str, why: str) -> None:
    """Note for whoever waits for the savepoint `path` why there is none."""
    shared.write(refusal_path(path), json.dumps(why).encode())


def refusal(shared: BlobFolder, path: str) -> str | None:
    """Why the savepoint `path` was not taken, None if it was or is still being taken."""
    content = shared.read(refusal_path(path))
    found: str | None = None if content is None else json.loads(content)
    return found


def refusal_path(path: str) -> str:
    """Where it is said why the savepoint `path` was not taken."""
    return f"{path}.refused.json"


def _stream(items: list[Item]) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA) as writer:
        writer.write_batch(_batch(items))
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _batch(items: list[Item]) -> pa.RecordBatch:
    columns = [list(column) for column in zip(*items, strict=True)]
    arrays = [pa.array(column, each.type) for column, each in zip(columns, _SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)
