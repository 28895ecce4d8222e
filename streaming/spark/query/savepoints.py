"""Savepoints: the whole state of a binding as one Arrow blob, from which any carrier with the same query may start.

The blob is an Arrow IPC stream. Its metadata holds the head as JSON. Its rows are the state of the operators (`state`:
bucket, key, value; of the second stage: `state-2`), the clocks of the lanes (`clock`: bucket 0, `<input>/<lane>`,
value), and the journals of adapters (`journal`: bucket 0, path below the binding's journals, content).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import pyarrow as pa

from streaming.adapters.contract import AdapterError
from streaming.definition.counts import counted
from streaming.planning.plan import QueryPlan
from streaming.resume.restart_points import BindingFacts
from streaming.spark.query.binding_life import CarriedBinding, LanePositions
from streaming.spark.query.journals import journals_of_input
from streaming.spark.query.layout import CarrierFolder
from streaming.storage.blobs import BlobFolder

VERSION: Final = 5
"""The version of the format. Other versions are refused."""
PARTS: Final = ("state", "state-2")
"""The parts of a savepoint that hold the state of the first and of the second stage."""
FOLDER: Final = "savepoints"
PIECE_BYTES: Final = 16 << 20
"""The approximate size of the content of one envelope."""
_HEAD: Final = b"head"
_SCHEMA: Final = pa.schema(
    [("part", pa.string()), ("bucket", pa.int32()), ("name", pa.string()), ("value", pa.large_binary())]
)
Item = tuple[str, int, str, bytes]
"""A row of a blob: part, bucket, name, value."""


@dataclass(frozen=True)
class SavepointHead:
    """The head of a savepoint. `batch` is the last committed one of its binding; `totals` as in the manifests.

    `ended`: the binding has had CTI infinity, and only its positions are saved. `buckets` and `second`: `Plan.spread`.
    `routing`: `Plan.routing`. `journals`: the folder of its adapters' journals; `run`: the run that was saved; tasks
    that read lanes leave both empty. `again` as in `CarriedBinding`.
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
        """Return the metadata of a blob."""
        return json.dumps(asdict(self)).encode()


def head_of(item: CarriedBinding, path: str, batch: int) -> SavepointHead:
    """Return the head of a savepoint of `item` as it was before `batch`; buckets and totals are filled in later."""
    of = item.generation
    head = SavepointHead(path, of.binding, of.shape, batch, item.stood.positions, of.together, routing=of.routing)
    return replace(head, again=item.again)


def read_head(shared: BlobFolder, path: str) -> SavepointHead:
    """Read the head of the savepoint `path` in the organisation's folder. Raises `AdapterError` if it can't be read."""
    blob = shared.read(path)
    try:
        content = json.loads((pa.ipc.open_stream(blob or b"").schema.metadata or {})[_HEAD])
    except (KeyError, ValueError, pa.ArrowInvalid):
        raise AdapterError("The savepoint can't be read. Stop the original run and create a new savepoint.") from None
    if content["version"] != VERSION:
        raise AdapterError(
            f"The savepoint has version {content['version']}, but this program reads version {VERSION}. "
            "Start the run without it, or with the program that wrote it."
        )
    return SavepointHead(**content)


def check_fit(head: SavepointHead, facts: BindingFacts, plan: QueryPlan) -> None:
    """Check that a binding with `facts` and `plan` may start from it. Raises `AdapterError`."""
    if not facts.fits(head.shape):
        raise AdapterError(
            "The savepoint belongs to another query, other streams or other inputs than this run. "
            "Start the run as it was when the savepoint was created, or without the savepoint."
        )
    if (head.buckets, head.second) != plan.spread:
        taken, kept = (_describe_spread(each) for each in ((head.buckets, head.second), plan.spread))
        raise AdapterError(
            f"The savepoint was created with {taken}, but this engine uses {kept}; state can't be "
            "redistributed. Give the engine as many buckets, or start the run without the savepoint."
        )
    if not _routed_alike(head, plan):
        raise AdapterError(
            "The savepoint was created by a version that distributes rows among buckets differently. "
            "Start the run without the savepoint, or with the program that wrote it."
        )


def usable_part(head: SavepointHead, facts: BindingFacts, plan: QueryPlan) -> Literal["all", "positions", "nothing"]:
    """Return what a binding with `facts` and `plan` can use of `head` when it moves to another carrier.

    It is the same as at a start in the original carrier: everything; only the positions, if the state has ended or the
    plan would divide it differently; or nothing, if the query or the inputs have changed.
    """
    if not facts.fits(head.shape):
        return "nothing"
    return "positions" if head.ended or not _routed_alike(head, plan) else "all"


def _routed_alike(head: SavepointHead, plan: QueryPlan) -> bool:
    return (head.buckets, head.second) == plan.spread and head.routing == plan.routing


def _describe_spread(spread: tuple[int, int]) -> str:
    buckets, second = spread
    return f"{counted(buckets, 'bucket')}" + (f" and a second stage of {second}" if second else "")


def read_items(shared: BlobFolder, path: str, part: str) -> Iterator[Item]:
    """Yield the rows of `part` of a savepoint. Raises `OSError`."""
    yield from (item for item in items_of(shared.read(path) or b"") if item[0] == part)


def pieces_of(items: Iterable[Item]) -> Iterator[bytes]:
    """Yield `items` as Arrow IPC streams of about PIECE_BYTES each."""
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
    """Yield the rows of a piece."""
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
    for name in (each for of_input in head.positions for each in journals_of_input(of_input)):
        folder = f"{head.journals}/{name}"
        for blob in sorted(carrier.folder.tags(folder)):
            content = carrier.folder.read(f"{folder}/{blob}")
            if content is not None:
                yield "journal", 0, f"{name}/{blob}", content


def enter_journals(carrier: CarrierFolder, shared: BlobFolder, head: SavepointHead, path: str) -> None:
    """Restore the journals of the adapters to their original place. Raises `OSError`."""
    target = head.journals
    for name in (each for of_input in head.positions for each in journals_of_input(of_input)):
        for blob in carrier.folder.tags(f"{target}/{name}"):
            carrier.folder.remove(f"{target}/{name}/{blob}")
    for _, _, name, content in read_items(shared, path, "journal"):
        carrier.folder.write(f"{target}/{name}", content)


def refuse(shared: BlobFolder, path: str, why: str) -> None:
    """Record why the savepoint `path` can't be created, for the process that waits for it."""
    shared.write(refusal_path(path), json.dumps(why).encode())


def refusal(shared: BlobFolder, path: str) -> str | None:
    """Return why the savepoint `path` was refused; None if it exists or is still being written."""
    content = shared.read(refusal_path(path))
    found: str | None = None if content is None else json.loads(content)
    return found


def refusal_path(path: str) -> str:
    """Return the path of the reason why the savepoint `path` was refused."""
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
