"""The figures of tiles: those of the pages that they quote, filters of the board, deleted queries, organisations."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from tests.webapp.charts.test_chart_api import chart
from tests.webapp.conftest import Person
from tests.webapp.exports.test_export_api import folder, write
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.live.test_dashboard import dashboard, reporting

__all__ = ["folder", "reporting", "write"]
SUM = {"kind": "line", "measure": "sum", "of": "n"}


def tile(binding: str, kind: str = "chart", **more: Any) -> dict[str, Any]:
    chart = {"chart": SUM} if kind == "chart" else {}
    return {"kind": kind, "title": "Tile", "binding": binding, **chart, **more}


def figures(person: Person, shown: dict[str, Any], **view: Any) -> dict[str, Any]:
    answered = person.post("boards/figures/", {"tile": shown, **view})
    assert answered.status_code == 200, answered.content
    return dict(answered.json())


def test_a_chart_tile_has_the_chart_of_the_results_page_for_every_member(
    alice: Person, bob: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    write()
    found = figures(alice, tile(binding["id"]))
    assert found["chart"] == chart(alice, binding["id"], **SUM)
    assert (found["problem"], found["lateness"], found["without"], found["begin"]) == (None, None, [], None)
    assert figures(bob, tile(binding["id"]))["chart"] == found["chart"]


def test_filters_of_a_board_apply_to_results_that_have_the_field_and_others_say_so(
    alice: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    write()

    def values(where: list[str], own: Sequence[str] = ()) -> tuple[list[str], list[str]]:
        found = figures(alice, tile(binding["id"], where=list(own)), where=where)
        return [each["value"] for each in found["chart"]["points"]], found["without"]

    assert values([]) == (["0", "1", "2"], [])
    assert values(["n:1"]) == (["1"], [])
    assert values(["n:1", "lane:3"]) == (["1"], ["lane"])
    assert values(["n:1"], own=["n:2"]) == (["2"], ["n"])
    assert values(["n:2"], own=["n:2"]) == (["2"], [])
    refused = figures(alice, tile(binding["id"]), where=["n:many"])
    assert refused["chart"] is None
    assert "isn't a value of the field n" in refused["problem"]


def test_a_range_until_now_leaves_older_results_out(
    alice: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    write()
    found = figures(alice, tile(binding["id"]), seconds=3_600)
    assert found["begin"] % MINUTE == 0
    assert 0 <= found["now"] - found["begin"] - 60 * MINUTE < MINUTE
    assert (found["chart"]["rows"], found["chart"]["rows_stored"]) == (0, 3)


def test_lateness_tiles_have_the_figures_of_the_dashboard(reporting: Reporting) -> None:
    for rows, minutes in ((40, 70), (50, 30)):
        at = reporting.now - minutes * MINUTE
        reporting.report(input_counts({"on_time": rows}, at - SECOND), at=at)
    counts = input_counts({"on_time": 60, "adjusted": 7, "dropped_late": 2}, reporting.now - 6 * SECOND)
    reporting.report(counts)
    person, binding = reporting.scene.person, reporting.scene.binding["id"]
    shown = dashboard(reporting)
    for kind in ("trust", "outcomes", "lag", "lateness"):
        found = figures(person, tile(binding, kind))["lateness"]
        assert found["outcomes"] == dict(sum((Counter(each["outcomes"]) for each in shown["steps"]), Counter()))
        assert found["received"] == sum(found["outcomes"].values()) == 29
        assert found["lags"] == [each["lag"] for each in shown["steps"]]
        assert (found["begin"], found["end"], found["lag"]) == (shown["begin"], shown["end"], 6 * SECOND)
        parts = ("trust", "sentence", "since")
        assert [found[part] for part in parts] == [shown["verdict"][part] for part in parts]
    assert figures(person, tile(binding, "lag"), seconds=900)["lateness"]["received"] == 19


def test_without_figures_a_tile_names_the_problem(alice: Person, binding: dict[str, Any]) -> None:
    assert "has never run" in figures(alice, tile(binding["id"]))["problem"]
    for unknown in (str(uuid4()), "not-an-id"):
        for kind in ("chart", "trust"):
            assert "was deleted" in figures(alice, tile(unknown, kind))["problem"]
    stopped = figures(alice, tile(binding["id"], "trust"))["lateness"]
    assert (stopped["trust"], stopped["lag"], stopped["received"]) == ("stopped", None, 0)
    note = figures(alice, {"kind": "text", "title": "Note", "text": "Call the gate."})
    assert {note[each] for each in ("chart", "lateness", "problem")} == {None}


def test_bindings_of_others_have_no_figures(
    alice: Person, charlie: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    write()
    for kind in ("chart", "trust", "outcomes", "lag", "lateness"):
        found = figures(charlie, tile(binding["id"], kind))
        assert (found["chart"], found["lateness"]) == (None, None)
        assert "was deleted" in found["problem"]
    body = {"tile": tile(binding["id"])}
    assert charlie.client.post(alice.url("boards/figures/"), body, "application/json").status_code == 404
