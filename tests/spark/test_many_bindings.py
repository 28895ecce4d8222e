"""A carrier of thousands of bindings."""

from pathlib import Path

import pytest

from streaming.spark.query.binding import BuiltBindings, binding_of
from streaming.spark.query.control import AddBinding
from tests.bench.organisations.density import spec
from tests.spark.loop import Loop

MANY = 6_000


@pytest.mark.thorough
def test_each_of_many_bindings_is_built_once(tmp_path: Path) -> None:
    """Check against a bounded cache: with one binding too many, requested in turn, it would build each every time."""
    carrier = Loop(tmp_path).carrier
    entries = [
        carrier.control.append(
            AddBinding(kind="add", tick=0, spec=spec(f"b{number}"), bucket_ids=[0], lanes={}, at_end="flush")
        )
        for number in range(MANY)
    ]
    first = [binding_of(carrier, entry) for entry in entries]
    assert all(binding_of(carrier, entry) is known for entry, known in zip(entries, first, strict=True))


def test_unused_bindings_are_forgotten_and_used_ones_stay(tmp_path: Path) -> None:
    carrier, at = Loop(tmp_path).carrier, [0.0]
    added = AddBinding(kind="add", tick=0, spec=spec("b"), bucket_ids=[0], lanes={}, at_end="flush")
    entry = carrier.control.append(added)
    built: list[str] = []
    known = BuiltBindings(lambda: at[0])

    def ask(name: str, entry_number: int) -> None:
        known.of((name, entry_number), lambda: built.append(name) or binding_of(carrier, entry))  # type: ignore[func-returns-value]

    for minute in range(20):
        at[0] = 60.5 * minute
        ask("stays", 1)
        if minute in {0, 19}:
            ask("ended", 2)
    assert built == ["stays", "ended", "ended"]
