"""Bindings that share a page have the same state as with keys of their own, in fewer calls."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.spark.messages import shared_keys
from streaming.spark.messages.shared_keys import HEADS, StatePage, place_of
from tests.spark.loop import MapInMemory

BINDINGS = ("a@1", "a@10", "b@2")
KEYS = ("head", "windows/t0", "windows/t1")
SMALL, MOST = 10, 25
VALUES = st.integers(0, SMALL + 5).map(bytes)
CHANGES = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(BINDINGS), st.sampled_from(KEYS), VALUES),
    st.tuples(st.just("remove"), st.sampled_from(BINDINGS), st.sampled_from(KEYS), st.just(b"")),
    st.tuples(st.just("clear"), st.sampled_from(BINDINGS), st.just(""), st.just(b"")),
)


class Counted(MapInMemory):
    """A map that counts its calls."""

    def __init__(self, content: dict[tuple[str], tuple[bytes]]) -> None:
        super().__init__(content)
        self.calls: Counter[str] = Counter()

    def getValue(self, key: tuple[str]) -> tuple[bytes] | None:  # noqa: N802
        self.calls["get"] += 1
        return super().getValue(key)

    def updateValue(self, key: tuple[str], value: tuple[bytes]) -> None:  # noqa: N802
        self.calls["put"] += 1
        super().updateValue(key, value)


@contextmanager
def narrow() -> Iterator[None]:
    """Make heads of more than a few bytes separate, and those that exceed a small total."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_keys, "_SMALL_BYTES", SMALL)
        patch.setattr(shared_keys, "_MOST_BYTES", MOST)
        yield


def read_states(stored: MapInMemory) -> dict[str, dict[str, bytes]]:
    """Return the state of each binding, by `keys` and by each possible key."""
    page = StatePage(stored)
    found: dict[str, dict[str, bytes]] = {}
    for binding in BINDINGS:
        mine = page.of(binding)
        values = {key: mine.getValue((key,)) for key in KEYS}
        assert sorted(key for (key,) in mine.keys()) == sorted(key for key in KEYS if values[key] is not None)  # noqa: SIM118
        found[binding] = {key: value[0] for key, value in values.items() if value is not None}
    return found


@given(st.lists(st.lists(CHANGES, max_size=6), max_size=8))
@narrow()
def test_each_binding_has_a_state_of_its_own(turns: list[list[tuple[str, str, str, bytes]]]) -> None:
    stored, expected = MapInMemory({}), {binding: dict[str, bytes]() for binding in BINDINGS}
    for changes in turns:
        page = StatePage(stored)
        for what, binding, key, value in changes:
            mine = page.of(binding)
            if what == "put":
                mine.updateValue((key,), (value,))
                expected[binding][key] = value
            elif what == "remove":
                mine.removeKey((key,))
                expected[binding].pop(key, None)
            else:
                mine.clear()
                expected[binding].clear()
        page.write()
        assert read_states(stored) == expected
        together = stored.getValue((HEADS,))
        assert together is None or len(together[0]) <= MOST + 200
    for binding in BINDINGS:
        page = StatePage(stored)
        page.of(binding).clear()
        page.write()
    assert stored.content == {}


def test_the_heads_of_a_page_are_read_and_written_in_one_call() -> None:
    stored = Counted({})
    for _ in range(2):
        page = StatePage(stored)
        for number in range(20):
            mine = page.of(f"b@{number}")
            head: Any = mine.getValue(("head",))
            mine.updateValue(("head",), ((b"" if head is None else head[0]) + bytes(100),))
        page.write()
    assert stored.calls == {"get": 2, "put": 2}
    StatePage(stored).write()
    assert stored.calls == {"get": 3, "put": 2}, "an unchanged head is not written"


def test_consecutive_bindings_fill_all_pages_evenly() -> None:
    names = ("page-3", "page-7", "page-8")
    assert Counter(place_of(f"b{number}@{number}", names) for number in range(30)) == dict.fromkeys(names, 10)
    assert place_of("a@7", ()) == "a@7"
