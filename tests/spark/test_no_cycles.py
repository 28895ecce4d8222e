"""A batch leaves no reference cycles: none of its objects stays in a worker's memory until Python's cycle search."""

import gc
from pathlib import Path

from streaming.spark.query.control import AddBinding
from tests.bench.organisations.density import spec
from tests.spark.loop import Loop


def test_the_memory_of_a_batch_is_freed_at_its_end(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    for name in ("a", "b"):
        added = AddBinding(kind="add", tick=0, spec=spec(name), bucket_ids=[0], lanes={"cars": ["0"]}, at_end="nothing")
        loop.carrier.control.append(added)
    for _ in range(4):
        loop.batch()
    gc.collect()
    gc.disable()
    try:
        manifests = [loop.batch() for _ in range(3)]
        assert all(each is not None and each.read for each in manifests)
        del manifests
        assert gc.collect() == 0
    finally:
        gc.enable()
