"""The versions of a table: which keys are too many, whatever the order, and at what cost."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.temporal.tables import Snapshot, TableRules, Version
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.temporal.versions import FRESH, HeldVersion, VersionTable

KEYS = "abcdefg"
ROWS = st.lists(
    st.one_of(
        st.builds(Version, st.integers(1, 9), st.builds(lambda key: {"k": key}, st.sampled_from(KEYS)), st.booleans()),
        st.builds(
            Snapshot,
            st.integers(1, 9),
            st.sets(st.sampled_from(KEYS), max_size=3).map(lambda keys: [{"k": key} for key in sorted(keys)]),
        ),
        st.integers(1, 10),  # a CTI
    ),
    max_size=30,
)


def rules(most: int) -> TableRules:
    return TableRules(keys=("k",), max_keys=most)


def full_by_definition(table: VersionTable, row: Version | Snapshot) -> bool:
    """Count all keys that have a version or wait for one."""
    if isinstance(row, Snapshot):
        return len(row.rows) > table.rules.max_keys
    state = table.state()
    known = {key for key, held in table.held.items() if held.payload is not None}
    known.update(*state.pending.values())
    return not row.deleted and len(known) >= table.rules.max_keys and table.rules.key(row.payload) not in known


@given(ROWS, st.integers(1, 5))
def test_a_row_is_too_much_if_it_adds_a_key_to_the_most(rows: list[Any], most: int) -> None:
    table, cti = VersionTable(rules(most)), NO_CTI
    for row in rows:
        if isinstance(row, int):
            cti = max(cti, Tick(row))
            list(table.settle(cti))
            continue
        full = table.is_full(row)
        assert full == full_by_definition(table, row)
        if not full:
            table.put("0", row, max(row.start, cti), cti)


class CountedVersions(dict[Any, HeldVersion]):
    """Counts how often all versions are read."""

    read = 0

    def values(self) -> Any:
        self.read += 1
        return super().values()

    def items(self) -> Any:
        self.read += 1
        return super().items()

    def __iter__(self) -> Iterator[Any]:
        self.read += 1
        return super().__iter__()


def test_a_full_table_is_counted_once() -> None:
    held = CountedVersions()
    table = VersionTable(rules(100), FRESH, held)
    for number in range(1_000):
        row = Version(Tick(number), {"k": number % 150})
        if not table.is_full(row):
            table.put("0", row, Tick(number), NO_CTI)
        list(table.settle(Tick(number)))
    assert held.read == 1
