"""Limits of files: names that only look like names, texts that cannot be stored, more work than there is time."""

import json
from typing import Any

import pytest

from tests.webapp.bundles.bundle import CARS_YAML, FILES, SPEEDING_SQL, applied, apply, exported, plan
from tests.webapp.conftest import Person, graph
from webapp.bundles import checking, effort, planning
from webapp.bundles.planning import unified
from webapp.core.errors import MOST_FAULTS, MOST_READ


@pytest.mark.parametrize(
    "path", ["streams/cars\n.yaml", "queries/speeding\n.sql", "bindings/watch\n.yaml", "streams/c\u0430rs.yaml"]
)
def test_a_name_that_only_looks_like_one_is_refused(path: str, alice: Person, cars_file: str) -> None:
    files = {**FILES, path: FILES.get(path.replace("\n", "").replace("\u0430", "a"), CARS_YAML)}
    assert [(each["file"], each["code"]) for each in plan(alice, files)["faults"]] == [(path, "bad_file")]
    assert apply(alice, files).status_code == 422
    assert exported(alice) == {}


NUL = json.dumps(graph(where="plate = '\0'"))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("queries/speeding.json", NUL),
        ("queries/speeding.yaml", NUL),
        ("streams/cars.yaml", CARS_YAML.replace("files/cars.jsonl", '"files/\\0"')),
        ("streams/cars.yaml", CARS_YAML.replace("plate: string", '"\\0": string')),
    ],
)
def test_a_character_that_postgresql_cannot_store_is_refused_however_it_is_written(
    path: str, text: str, alice: Person, cars: dict[str, Any]
) -> None:
    [fault] = plan(alice, {path: text})["faults"]
    assert (fault["file"], fault["code"]) == (path, "bad_file")
    assert "U+0000" in fault["message"]


def test_files_that_take_too_long_to_check_are_refused_at_the_first_that_is_left(
    alice: Person, cars_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "findings", planning.findings.function)  # in this process
    monkeypatch.setattr(planning, "Effort", lambda: effort.Effort(seconds=-1.0))
    planned = plan(alice, FILES)
    assert [(each["file"], each["severity"]) for each in planned["faults"]] == [("bindings/watch.yaml", "error")]
    assert "take more than" in planned["faults"][0]["message"]
    assert apply(alice, FILES).status_code == 422
    assert exported(alice) == {}


def test_many_bindings_of_a_long_query_read_its_text_once(
    alice: Person, cars_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "findings", planning.findings.function)  # in this process
    read: list[str] = []
    examine_text = checking.examine_text
    monkeypatch.setattr(
        checking, "examine_text", lambda text, *others: (read.append(text), examine_text(text, *others))[1]
    )
    bindings = {f"bindings/watch{number}.yaml": "query: speeding\n" for number in range(5)}
    assert plan(alice, {**FILES, **bindings})["faults"] == []
    assert len(read) == 1


def test_texts_that_take_minutes_to_compare_are_replaced_whole() -> None:
    old = "".join(f"{number % 101}\n" for number in range(5_000))
    new = "".join(f"{number * 7 % 101}\n" for number in range(5_000))
    lines = unified("queries/q.sql", old, new).splitlines()
    assert lines[:3] == ["--- a/queries/q.sql", "+++ b/queries/q.sql", "@@ -1,5000 +1,5000 @@"]
    assert [line[1:] for line in lines[3:] if line[0] == "-"] == old.splitlines()
    assert [line[1:] for line in lines[3:] if line[0] == "+"] == new.splitlines()


@pytest.mark.parametrize(("wrong", "reported"), [(MOST_FAULTS + 1, MOST_FAULTS), (MOST_READ + 1, 1)])
def test_a_body_that_is_wrong_in_thousands_of_places_is_answered_shortly(
    wrong: int, reported: int, alice: Person
) -> None:
    answered = alice.post("definitions/plan/", {"files": {str(number): 1 for number in range(wrong)}})
    assert (answered.status_code, len(answered.json()["faults"])) == (422, reported)
    assert len(answered.content) < 100_000


def test_a_query_of_thousands_of_nodes_is_refused_by_their_number(alice: Person, cars: dict[str, Any]) -> None:
    drawn = graph()
    first, last = drawn["nodes"][0], {"kind": "output", "id": "out", "input": "n3999"}
    chain = [
        {"kind": "filter", "id": f"n{at}", "input": f"n{at - 1}" if at else "cars", "where": "speed > 1"}
        for at in range(4_000)
    ]
    answered = alice.post("queries/validate/", {"graph": {**drawn, "nodes": [first, *chain, last]}})
    assert [(each["code"], each["field"]) for each in answered.json()["faults"]] == [("bad_shape", "graph.nodes")]


def test_a_graph_of_more_than_a_text_could_say_is_refused(alice: Person, cars: dict[str, Any]) -> None:
    long = " + ".join(["speed"] * 1_000) + " > 1"
    drawn = graph()
    drawn["nodes"][1:1] = [{"kind": "filter", "id": f"n{at}", "input": "cars", "where": long} for at in range(60)]
    for path in ("queries/validate/", "queries/explain/", "queries/"):
        answered = alice.post(path, {"graph": drawn})
        assert (answered.status_code, answered.json()["faults"][0]["field"]) == (422, "graph")
        assert "at most 400,000" in answered.json()["faults"][0]["message"]


def test_a_file_of_very_many_values_is_refused(alice: Person) -> None:
    [fault] = plan(alice, {"queries/q.yaml": "nodes: [" + "1," * 20_001 + "]"})["faults"]
    assert (fault["code"], fault["message"]) == ("bad_file", "There are more than 20000 values.")


def test_applying_within_the_limits_still_works(alice: Person, cars_file: str) -> None:
    assert applied(alice, FILES) == {"stream cars": "create", "query speeding": "create", "binding watch": "create"}
    assert exported(alice)["queries/speeding.sql"] == SPEEDING_SQL
