"""A carrier of thousands of bindings."""

from pathlib import Path

import pytest

from streaming.spark.binding import binding_of
from streaming.spark.control import AddBinding
from tests.bench.density import spec
from tests.spark.loop import Loop

MANY = 6_000


@pytest.mark.thorough
def test_each_of_many_bindings_is_built_once(tmp_path: Path) -> None:
    """One too many of what is remembered, asked for in turns, and each would be built in every turn."""
    carrier = Loop(tmp_path).carrier
    entries = [
        carrier.control.append(
            AddBinding(kind="add", tick=0, spec=spec(f"b{number}"), bucket_ids=[0], lanes={}, at_end="flush")
        )
        for number in range(MANY)
    ]
    first = [binding_of(carrier, entry) for entry in entries]
    assert all(binding_of(carrier, entry) is known for entry, known in zip(entries, first, strict=True))
