"""Merging of two people's changes to one version."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.sql.parse import parse_sql
from streaming.definition.versions.differences import differences
from streaming.definition.versions.meaning import QueryMeaning, canonical, meaning_of
from streaming.definition.versions.merging import merge
from tests.definition.versions.drawn import UNIQUE, changed

BASE = """
QUERY speeds;
ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;
INSERT INTO per_plate SELECT plate, COUNT(*) AS n FROM cars WINDOW BY TUMBLE 10s GROUP BY plate;
INSERT INTO fast SELECT STREAM * FROM cars WHERE speed > 120;
"""


def read(text: str) -> QueryMeaning:
    meaning = meaning_of(parse_sql(text))
    assert meaning is not None
    return meaning


def dumped(meaning: QueryMeaning) -> str:
    return canonical(meaning.model_dump(mode="json"))


def test_a_window_a_delay_and_a_filter_merge_without_conflict() -> None:
    theirs, mine = BASE.replace("10s", "1m").replace("DELAY 5s", "DELAY 12s"), BASE.replace("> 120", "> 90")
    found = merge(read(BASE), read(theirs), read(mine))
    assert found.conflicts == []
    both = BASE.replace("10s", "1m").replace("DELAY 5s", "DELAY 12s").replace("> 120", "> 90")
    assert dumped(found.merged) == dumped(read(both))


def test_two_sizes_of_one_window_are_a_conflict_until_one_is_chosen() -> None:
    theirs, mine = read(BASE.replace("10s", "1m")), read(BASE.replace("10s", "30s"))
    found = merge(read(BASE), theirs, mine)
    [conflict] = found.conflicts
    assert conflict.key == "node:per_plate_window"
    assert conflict.theirs == ["window per_plate_window: size 10 s -> 1 min"]
    assert conflict.mine == ["window per_plate_window: size 10 s -> 30 s"]
    assert dumped(found.merged) == dumped(mine)
    chosen = merge(read(BASE), theirs, mine, {"node:per_plate_window": "theirs"})
    assert dumped(chosen.merged) == dumped(theirs)


def test_a_node_that_one_removed_and_the_other_changed_is_a_conflict() -> None:
    theirs = "\n".join(line for line in BASE.splitlines() if "fast" not in line)
    [conflict] = merge(read(BASE), read(theirs), read(BASE.replace("> 120", "> 90"))).conflicts
    assert (conflict.key, conflict.theirs) == ("whole:fast_where", ["node fast_where removed"])
    assert conflict.mine == ["filter fast_where: where speed > 120 -> speed > 90"]


def test_an_equal_addition_of_both_is_applied_once() -> None:
    more = BASE + "INSERT INTO slow SELECT STREAM * FROM cars WHERE speed < 20;\n"
    found = merge(read(BASE), read(more), read(more))
    assert found.conflicts == []
    assert dumped(found.merged) == dumped(read(more))


def test_two_nodes_of_one_id_cannot_be_merged() -> None:
    twice = read(BASE)
    doubled = twice.model_copy(update={"graph": twice.graph.model_copy(update={"nodes": [*twice.graph.nodes] * 2})})
    with pytest.raises(ValueError, match="several nodes have the same id"):
        merge(twice, twice, doubled)


@given(UNIQUE, st.data())
def test_a_side_without_changes_has_no_effect(base: QueryMeaning, data: st.DataObject) -> None:
    other = data.draw(changed(base))
    for theirs, mine in ((base, other), (other, base), (other, other)):
        found = merge(base, theirs, mine)
        assert found.conflicts == []
        assert differences(found.merged, other) == []


@given(UNIQUE, st.data())
def test_nothing_is_lost(base: QueryMeaning, data: st.DataObject) -> None:
    """Check that every change of a node is in the result or in a conflict, and that chosen sides are complete."""
    theirs, mine = data.draw(changed(base)), data.draw(changed(base))
    found = merge(base, theirs, mine)
    open_nodes = {conflict.node for conflict in found.conflicts}
    old, new = _nodes(base), _nodes(found.merged)
    for side in (_nodes(theirs), _nodes(mine)):
        for node in old.keys() | side.keys():
            if node not in open_nodes and old.get(node) != side.get(node):
                for part in range(3):
                    was, now = (of[node][part] if node in of else None for of in (old, side))
                    assert was == now or (new[node][part] if node in new else None) == now
    for choice, side in (("theirs", theirs), ("mine", mine)):
        chosen = merge(base, theirs, mine, {conflict.key: choice for conflict in found.conflicts})
        assert [each.key for each in chosen.conflicts] == [each.key for each in found.conflicts]
        for conflict in found.conflicts:
            if conflict.part == "whole":
                assert _nodes(chosen.merged).get(conflict.node or "") == _nodes(side).get(conflict.node or "")


@given(UNIQUE, st.data())
def test_the_sides_are_symmetric(base: QueryMeaning, data: st.DataObject) -> None:
    theirs, mine = data.draw(changed(base)), data.draw(changed(base))
    one, other = merge(base, theirs, mine), merge(base, mine, theirs)
    assert {(each.key, *each.theirs, "|", *each.mine) for each in one.conflicts} == {
        (each.key, *each.mine, "|", *each.theirs) for each in other.conflicts
    }
    if not one.conflicts:
        assert _nodes(one.merged) == _nodes(other.merged)


def _nodes(meaning: QueryMeaning) -> dict[str, tuple[str, ...]]:
    return {
        node.id: tuple(
            "" if part is None else canonical(part.model_dump(mode="json"))
            for part in (node, meaning.advance.get(node.id), meaning.event_times.get(node.id))
        )
        for node in meaning.graph.nodes
    }
