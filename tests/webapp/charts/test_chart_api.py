"""Charts over HTTP: rights, organisations, errors, the same rows as the export, and dropped rows of a real run."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.webapp.conftest import Person
from tests.webapp.exports.test_export_api import exported, folder, left_over, write
from tests.webapp.samples.repaired import Repaired, line, nodes, window
from tests.webapp.samples.test_repairs import started

__all__ = ["folder", "started", "write"]
S = 1_000_000


def chart(person: Person, binding: str, **parameters: Any) -> dict[str, Any]:
    answered = person.client.get(person.url(f"bindings/{binding}/results/chart/"), parameters)
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def test_every_member_sees_the_chart_and_no_other_organisation_does(
    alice: Person, bob: Person, charlie: Person, binding: dict[str, Any], write: Callable[[], str], folder: Path
) -> None:
    run = write()
    path = f"bindings/{binding['id']}/results/chart/"
    shown = chart(alice, binding["id"], measure="sum", of="n", run=run)
    assert [(each["at"], each["value"]) for each in shown["points"]] == [(0, "0"), (S, "1"), (2 * S, "2")]
    assert (shown["axis"], shown["value_type"], shown["output"], shown["rows_stored"]) == ("time", "long", "out", 3)
    assert chart(bob, binding["id"], measure="sum", of="n", run=run) == shown
    assert left_over(folder) == []
    stranger = charlie.client.get(alice.url(path))
    assert stranger.status_code == 404
    assert charlie.get(path).status_code == 404
    assert alice.client.get(charlie.url(path)).status_code == 404


def test_a_run_of_another_binding_has_no_points_here(
    alice: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    write()
    assert alice.get(f"bindings/{binding['id']}/results/chart/?run={uuid4()}").status_code == 404


def test_a_binding_that_never_ran_has_no_chart(alice: Person, binding: dict[str, Any]) -> None:
    answered = alice.get(f"bindings/{binding['id']}/results/chart/")
    assert answered.status_code == 409
    assert "has never run" in answered.json()["message"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("x=lane", "x"),
        ("measure=sum", None),
        ("kind=heat", None),
        ("kind=value&bucket=1m", None),
        ("group=start", None),
        ("where=lane:1", "where"),
        ("where=n:1&where=n:2", "where"),
        ("from=soon", "from"),
        ("from=2&to=1", "to"),
        ("measure=mean&of=plate", "of"),
        ("bucket=soon", "bucket"),
    ],
)
def test_a_wrong_definition_is_refused_with_its_place(
    alice: Person, binding: dict[str, Any], write: Callable[[], str], query: str, field: str | None
) -> None:
    write()
    answered = alice.get(f"bindings/{binding['id']}/results/chart/?{query}")
    assert answered.status_code == 422, answered.content
    if field is not None:
        assert answered.json()["faults"][0]["field"] == field


def test_a_filter_selects_the_rows_of_the_export_too(
    alice: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    run = write()
    write()
    rows = exported(alice, f"bindings/{binding['id']}/", where="n:1")
    assert [(row["run"] == run, row["n"]) for row in rows] == [(True, 1), (False, 1)]
    shown = chart(alice, binding["id"], where="n:1", x="plate")
    assert Counter({each["category"]: each["rows"] for each in shown["points"]}) == Counter(
        row["plate"] for row in rows
    )
    assert exported(alice, f"runs/{run}/", where="n") == []


TUMBLING = {"kind": "tumbling", "size": "10s"}


def late_lines() -> list[str]:
    """Two cars in 60 s; in the second window of AB 1 two rows are 20 s late; one row can't be read."""
    lines = [line(second, plate, 100) for second in range(60) for plate in ("AB 1", "CD 2")]
    return [*lines[:70], line(12, "AB 1", 50), line(13, "AB 1", 60), *lines[70:], "{broken"]


def test_dropped_rows_are_counted_where_they_belonged_until_a_repair_adds_them(
    alice: Person, started: Callable[..., Repaired]
) -> None:
    repaired = started(nodes(window(TUMBLING)), late_lines())
    repaired.run()
    name = repaired.scene.binding["id"]
    choice = {"measure": "sum", "of": "n", "group": "plate"}
    shown = chart(alice, name, **choice)
    assert shown["dropped"] == {"unknown": None, "elsewhere": 0, "unreadable": 1, "adds_up": True}
    assert [(each["group"], each["value"], each["dropped"]) for each in shown["points"][2:4]] == [
        ("AB 1", "10", 2),
        ("CD 2", "10", 0),
    ]
    assert sum(each["dropped"] for each in shown["points"]) == 2
    assert not chart(alice, name, measure="sum", of="total")["dropped"]["adds_up"]
    other = chart(alice, name, **choice, where="plate:CD 2")
    assert (other["dropped"]["elsewhere"], [each["dropped"] for each in other["points"]]) == (0, [0] * 5)
    later = chart(alice, name, **choice, where="n:10")
    assert later["dropped"]["elsewhere"] is None
    gone = chart(alice, name, **choice, where="plate:EF 3")
    assert (gone["points"], gone["dropped"]["elsewhere"]) == ([], 0)

    repaired.repair(outcome="dropped_late")
    repaired.tell()
    repaired.run()
    repaired.scene.lease()
    repaired.scene.turn()
    assert repaired.repairs()[0]["given_at"] is not None
    whole = chart(alice, name, **choice)
    [point] = [each for each in whole["points"] if each["group"] == "AB 1" and each["value"] == "12"]
    assert (point["dropped"], point["repaired"], point["rows"]) == (0, 1, 1)
    assert sum(each["dropped"] for each in whole["points"]) == 0


def test_dropped_rows_of_a_session_are_not_known(alice: Person, started: Callable[..., Repaired]) -> None:
    repaired = started(nodes(window({"kind": "session", "gap": "2s"})), [*late_lines(), line(200, "AB 1", 100)])
    repaired.run()
    shown = chart(alice, repaired.scene.binding["id"])
    assert shown["dropped"]["unknown"] == "the windows depend on the rows that are in them"
    assert {each["dropped"] for each in shown["points"]} == {None}
