"""Rows of a quarantine restored into results: exactly the results of a run that had waited, even after kills."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings

from tests.webapp.conftest import Clock, Person
from tests.webapp.samples.repaired import Repaired, line, make_binding, nodes, waited, window
from tests.webapp.scene import Recorded, Scene
from webapp.core.context import organisation_context
from webapp.runs.models import Binding, Repair
from webapp.runs.repairs import repair_steps

TUMBLING = {"kind": "tumbling", "size": "10s"}
PLATES = ("AB 1", "CD 2", "EF 3")
LATE_ROWS, WINDOWS, LATE_S = 1_000, 50, 115


def many() -> list[str]:
    """5,000 rows of 625 s on time; after every 4th of the last 4,000, one of 115 s earlier; then one of 700 s."""
    lines = []
    for number in range(5_000):
        second = number * 0.125
        lines.append(line(second, PLATES[number % 3], 100 + number % 50))
        if number >= 1_000 and number % 4 == 0:
            lines.append(line(second - LATE_S, PLATES[number % 3], 200 + number % 50))
    return [*lines, line(700, "AB 1", 100)]


@pytest.fixture
def started(alice: Person, clock: Clock, redis_connection: Any, settings: LazySettings) -> Any:
    """The parts of a run of a query on lines."""

    def make(
        graph: dict[str, Any],
        lines: list[str],
        rows_per_batch: int = 1_000_000,
        pool: str | None = None,
        **stream: Any,
    ) -> Repaired:
        binding = make_binding(alice, graph, **stream)
        run = alice.post(f"bindings/{binding['id']}/start/")
        assert run.status_code == 201, run.content
        scene = Scene(alice, binding, run.json()["id"], redis_connection, Recorded(), clock).running()
        return Repaired.started(scene, settings.PUNCTUAL_DATA, lines, rows_per_batch, pool=pool)

    return make


SLOW = pytest.mark.thorough


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param("planned", marks=SLOW),
        pytest.param("fed", marks=SLOW),
        "written",
        pytest.param("published", marks=SLOW),
    ],
)
def test_a_thousand_rows_over_fifty_windows_are_as_if_they_had_been_waited_for(
    started: Any, tmp_path: Path, stage: str
) -> None:
    lines, later = many(), [line(second, "CD 2", 150) for second in range(690, 800)]
    repaired = started(nodes(window(TUMBLING)), lines)
    repaired.run()
    before = repaired.stands()
    made = repaired.repair(outcome="dropped_late")
    assert (made["rows"], made["not_taken"], made["given_at"]) == (LATE_ROWS, [], None)
    assert made["marks"] == {"changed": WINDOWS * len(PLATES), "only_here": 0, "missing": 0}
    assert repaired.stands() == before
    spec = repaired.tell()
    repaired.tell()  # a runner that was started again says it again
    assert repaired.loop.killed_at(stage)
    repaired.more("cars2.jsonl", later)
    repaired.run()
    expected = waited(tmp_path / "waited", spec, [*lines, *later], "120s")
    until = max(end for _, _, end, _ in expected)
    assert Counter({row: n for row, n in repaired.stands().items() if row[2] <= until}) == expected
    assert len(expected) == 63 * len(PLATES)
    repaired.scene.turn()
    [shown] = repaired.repairs()
    assert shown["given_at"] is not None
    assert repaired.scene.desired()[spec.binding].repair is None


def late_in(first: int, last: int, number: int, behind: int = 30) -> list[str]:
    """Rows in time of each second from `first` to `last`, and `number` late ones, `behind` s before the last."""
    in_time = [line(second, "AB 1", 100) for second in range(first, last)]
    return [*in_time, *(line(last - behind + each * 0.1, "AB 1", 200) for each in range(number))]


@SLOW
def test_a_stopped_binding_is_repaired_after_its_last_batch(
    started: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before its rows are written, or after, or before that is noted: they are given once, also by a start."""
    lines = [*late_in(0, 100, 7), line(140, "AB 1", 100)]
    repaired = started(nodes(window(TUMBLING)), lines)
    repaired.run()
    repaired.stop()
    spec = repaired.scene.run.read_spec()
    expected = waited(tmp_path / "waited", spec, [*lines, line(185, "AB 1", 100)], "50s")
    killed = ["give_rows", "write_given", None]
    for step in killed:
        if step is not None:
            monkeypatch.setattr(repair_steps, step, broken(getattr(repair_steps, step)))
        if step == killed[0]:
            assert repaired.repair(outcome="dropped_late")["rows"] == 7
        if step is None:
            monkeypatch.undo()
            answer = repaired.scene.person.post(f"bindings/{repaired.scene.binding['id']}/start/")
            assert answer.status_code == 201, answer.content
        else:
            repaired.scene.turn()
    [shown] = repaired.repairs()
    assert shown["given_at"] is not None
    assert repaired.stands() == expected
    repaired.scene.run_id = answer.json()["id"]
    repaired.carry()
    repaired.more("cars2.jsonl", [line(190, "CD 2", 100), line(220, "CD 2", 100)])
    repaired.run()
    assert set(repaired.stands()) > set(expected)


def test_two_who_give_a_repair_at_once_give_one_batch(started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repaired = started(nodes(window(TUMBLING)), [*late_in(0, 100, 7), line(140, "AB 1", 100)])
    repaired.run()
    repaired.stop()
    repaired.repair(outcome="dropped_late")
    with organisation_context(repaired.scene.person.organisation.pk):
        slow = Repair.objects.select_related("binding").get()
        slow.batch = None
    repaired.scene.turn()
    given = repaired.stands()
    monkeypatch.setattr(repair_steps, "read_given", lambda *_: None)  # it had looked before the other gave them
    with organisation_context(repaired.scene.person.organisation.pk):
        assert repair_steps.bring_on(slow, repaired.scene.clock())
    assert repaired.stands() == given
    rows = repaired.scene.person.get(f"runs/{repaired.scene.run_id}/results/?limit=500").json()["rows"]
    assert sum(row["deleted"] for row in rows) == 1


def test_the_explanation_of_a_repaired_row_names_the_restored_rows(started: Any) -> None:
    late = line(3, "AB 1", 200)
    repaired = started(nodes(window(TUMBLING)), [line(1, "AB 1", 100), line(20, "AB 1", 100), late])
    repaired.run()
    repaired.stop()
    repaired.repair(outcome="dropped_late")
    repaired.scene.turn()
    person, binding = repaired.scene.person, repaired.scene.binding["id"]
    rows = person.get(f"runs/{repaired.scene.run_id}/results/?limit=500").json()["rows"]
    fields = {}
    for row in rows:
        if row["start"] == min(each["start"] for each in rows) and not row["deleted"]:
            answer = person.post("samples/why/", {"binding": binding, "result": row["id"]})
            assert answer.status_code == 200, answer.content
            fields[row["payload"]["n"]] = answer.json()
    before, after = fields[1], fields[2]
    assert (before["made"]["repaired_by"], after["made"]["repaired_by"]) == (None, "alice@acme.example")
    assert (before["trace"]["same"], after["trace"]["same"]) == (True, True)
    assert [row["repaired"] for row in before["trace"]["missed"]["rows"]] == [False]
    assert [(row["position"], row["repaired"]) for row in after["trace"]["made_of"]["rows"]] == [(0, False), (2, True)]
    assert after["trace"]["made_of"]["rows"][1]["why"][0] == "A repair added it to the results."
    assert after["trace"]["missed"]["rows"] == []


def broken(step: Any) -> Any:
    """The same, killed once it is done."""

    def killed(*args: Any) -> None:
        step(*args)
        raise OSError("killed")

    return killed


@SLOW
def test_rows_wait_for_their_windows_and_count_once(started: Any, tmp_path: Path) -> None:
    """A second repair continues from the first; rows of open windows stay in quarantine, with the time to come back."""
    lines = late_in(0, 100, 7)
    lines = [*lines, line(95.5, "AB 1", 200), *[line(101, "AB 1", 100)] * 2, line(93, "AB 1", 200)]
    repaired = started(nodes(window(TUMBLING)), lines)
    repaired.run()
    [waits] = repaired.repair(outcome="dropped_late")["not_taken"]
    assert "can be repaired once everything up to 2026-01-01 00:01:40Z is final" in waits["why"]
    assert "A repair of watch is being applied" in repaired.refused(outcome="dropped_late")
    repaired.tell()
    repaired.run()
    repaired.scene.turn()
    late = [line(98, "CD 2", 200), line(71, "AB 1", 300)]
    repaired.more("cars2.jsonl", [line(120, "AB 1", 100), *late])
    repaired.run()
    second = repaired.repair(outcome="dropped_late")
    assert second["rows"] == 3
    assert {each["why"] for each in second["not_taken"]} == {"a repair has already restored it"}
    spec = repaired.tell()
    repaired.run()
    every = [*lines, line(120, "AB 1", 100), *late, line(165, "AB 1", 100)]
    assert repaired.stands() == waited(tmp_path / "waited", spec, every, "55s")


SESSION = {"kind": "session", "gap": "5s"}
HOPPING = {"kind": "hopping", "size": "20s", "hop": "5s"}
FAST = {"kind": "filter", "id": "fast", "input": "cars", "where": "speed > 120"}
COLUMNS = [{"name": "car", "of": "plate"}, {"name": "twice", "of": "n * 2"}]
NAMED = {"kind": "project", "id": "named", "input": "windows", "columns": COLUMNS}


@SLOW
@pytest.mark.parametrize(
    "graph",
    [nodes(window(SESSION)), nodes(window(HOPPING)), nodes(FAST), nodes(window(TUMBLING), NAMED)],
    ids=["session", "hopping", "filter", "projection"],
)
def test_each_kind_is_as_if_it_had_waited(started: Any, tmp_path: Path, graph: dict[str, Any]) -> None:
    seconds = [number * 3 + (40 if number % 20 > 15 else 0) for number in range(100)]
    lines = [line(second, PLATES[second % 2], 100 + second) for second in seconds]
    repaired = started(graph, [*lines, line(500, "AB 1", 150)])
    repaired.run()
    made = repaired.repair(outcome="dropped_late")
    assert made["rows"] > 5
    spec = repaired.tell()
    repaired.run()
    expected = waited(tmp_path / "waited", spec, [*lines, line(500, "AB 1", 150), line(700, "AB 1", 150)], "200s")
    limit = max(row[1] for row in repaired.stands())
    assert Counter({row: n for row, n in expected.items() if row[1] <= limit}) == repaired.stands()


@SLOW
@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (nodes(window({"kind": "snapshot"})), "in windows (windows that depend on the rows) a row can change"),
        (nodes(window({**SESSION, "max": "1m"})), "in windows (windows that depend on the rows)"),
        (nodes(window(TUMBLING, emit="on_complete")), "windows emits rows before they are final"),
    ],
    ids=["snapshot", "session with max", "on_complete"],
)
def test_what_cannot_be_repaired_is_refused(started: Any, graph: dict[str, Any], words: str) -> None:
    repaired = started(graph, late_in(0, 60, 3))
    repaired.run()
    assert words in repaired.refused()


@SLOW
def test_more_rows_than_a_repair_takes_are_refused_and_not_cut_off(started: Any) -> None:
    repaired = started(nodes(window(TUMBLING)), [*many(), line(0, "AB 1", 100)])
    repaired.run()
    assert "A repair can use at most 1,000 rows at once" in repaired.refused(outcome="dropped_late")
    assert repaired.repairs() == []


@SLOW
def test_input_that_is_gone_or_another_one_and_results_that_are_gone_are_refused(started: Any) -> None:
    repaired = started(nodes(window(TUMBLING)), late_in(0, 100, 7))
    repaired.run()
    assert repaired.refused(ids=["0-0-0"]).startswith("These rows would change no result.")
    assert "cannot be read again: no point" in repaired.refused(most_rows=3)
    results = repaired.loop.home / "results" / repaired.scene.binding["id"] / "results"
    [part] = results.iterdir()
    content = part.read_text()
    part.write_text(content.replace('"n":10', '"n":11').replace('"n": 10', '"n": 11'))
    assert "is not among the stored results" in repaired.refused(outcome="dropped_late")
    part.write_text(content)
    file = repaired.loop.home / "files" / "cars.jsonl"
    file.unlink()
    assert "The binding's input cannot be read again." in repaired.refused(outcome="dropped_late")
    assert repaired.repairs() == []


def test_rows_show_that_they_were_repaired_and_by_whom(started: Any, bob: Person, charlie: Person) -> None:
    repaired = started(nodes(window(TUMBLING)), late_in(0, 100, 7))
    repaired.run()
    run, binding = repaired.scene.run_id, repaired.scene.binding["id"]
    repaired.repair(outcome="dropped_late")
    repaired.tell()
    repaired.run()
    repaired.scene.turn()
    shown = repaired.scene.person.get(f"runs/{run}/results/?limit=500").json()["rows"]
    of_repair = [row for row in shown if row["repaired"]]
    assert [(row["payload"]["n"], row["deleted"], row["repaired"]["taken_back"]) for row in of_repair] == [
        (17, False, False),
        (10, True, False),
        (10, False, True),
    ]
    assert {row["repaired"]["by"] for row in of_repair} == {"alice@acme.example"}
    newest = repaired.scene.person.get(f"runs/{run}/journal/").json()["events"][0]
    assert (newest["kind"], newest["who"]) == ("repaired", "alice@acme.example")
    assert " from quarantine repaired; " in newest["message"]
    late = repaired.scene.person.get(f"runs/{run}/quarantine/").json()["rows"]
    assert len([row for row in late if row["repaired"]]) == len(late) == 7
    file = f"runs/{run}/quarantine/file/?format="
    lines = repaired.scene.person.get(f"{file}json_lines").getvalue().decode().splitlines()
    assert [json.loads(each) for each in lines] == late
    cells = list(csv.DictReader(io.StringIO(repaired.scene.person.get(f"{file}csv").getvalue().decode())))
    assert [(row["repaired_at"], row["repaired_by"]) for row in cells] == [
        (row["repaired"]["given_at"], "alice@acme.example") for row in late
    ]
    events = repaired.scene.person.get("audit/?action=binding.repaired").json()["events"]
    assert [event["after"]["rows"] for event in events] == [7]
    assert bob.get(f"bindings/{binding}/repairs/").json() == repaired.repairs()
    assert bob.post(f"bindings/{binding}/repairs/", {"binding": binding}).status_code == 403
    assert charlie.get(f"bindings/{binding}/repairs/").status_code == 404
    assert charlie.post(f"bindings/{binding}/repairs/", {"binding": binding}).status_code == 404


@SLOW
def test_results_that_a_binding_reads_are_not_repaired(started: Any) -> None:
    repaired = started(nodes(window(TUMBLING)), late_in(0, 100, 7))
    repaired.run()
    person, binding = repaired.scene.person, repaired.scene.binding["id"]
    fields = {"plate": "string", "n": "long", "total": "double", "top": "double"}
    adapter = {"kind": "binding", "options": {"binding": binding, "output": "out"}}
    definition = {"shape": "interval", "fields": fields, "advance": {"late": "drop"}}
    for path, body in (
        ("streams/", {"name": "counts", "definition": definition, "adapter": adapter}),
        ("queries/", {"graph": {**nodes({**FAST, "where": "n > 1"}), "name": "next"} | {}, "comment": ""}),
    ):
        if path == "queries/":
            body["graph"]["nodes"][0]["stream"] = "counts"
        answer = person.post(path, body)
        assert answer.status_code == 201, answer.content
    made = person.post("bindings/", {"name": "reader", "query_version": answer.json()["current"]["id"]})
    assert made.status_code == 201, made.content
    assert "The binding reader reads the results of watch" in repaired.refused(outcome="dropped_late")


@pytest.mark.parametrize(("key", "refused"), [(["plate"], True), (["plate", "start"], False), ([], False)])
def test_results_are_not_repaired_where_an_old_window_would_take_the_place_of_a_newer_one(
    started: Any, key: list[str], refused: bool
) -> None:
    repaired = started(nodes(window(TUMBLING)), late_in(0, 100, 7))
    repaired.run()
    options = {"bootstrap_servers": "127.0.0.1:1", "topic": "counts", "key": key}
    output = {"identity": str(uuid4()), "node": "out", "adapter": {"kind": "kafka", "options": options}, "fields": {}}
    with organisation_context(repaired.scene.person.organisation.pk):
        Binding.objects.filter(pk=repaired.scene.binding["id"]).update(outputs=[output])
    answer = repaired.request_repair(outcome="dropped_late")
    assert (answer.status_code == 409) == refused, answer.content
    if refused:
        assert "has the key `plate`, without a time" in answer.json()["message"]
