"""Composed bindings in files: feeders by their names, checked as they will be, applied together or not at all."""

from pathlib import Path
from typing import Any

import pytest

from tests.webapp.bundles.bundle import CARS_YAML, FILES, applied, apply, exported, plan
from tests.webapp.conftest import Person, join
from tests.webapp.runs.bindings.test_bindings import start
from webapp.accounts.permissions import Role

FAST_YAML = """\
shape: point
fields:
  plate: string
  speed: double
adapter:
  kind: binding
  options:
    binding: watch
    output: out
"""
FASTEST_SQL = """\
QUERY fastest;
INSERT INTO out SELECT STREAM * FROM fast WHERE speed > 150;
"""
CHAIN = {
    **FILES,
    "streams/fast.yaml": FAST_YAML,
    "queries/fastest.sql": FASTEST_SQL,
    "bindings/second.yaml": "query: fastest\n",
}


@pytest.fixture
def chain(alice: Person, cars_file: str) -> dict[str, str]:
    del cars_file
    assert set(applied(alice, CHAIN).values()) == {"create"}
    return exported(alice)


def ids(person: Person) -> dict[str, str]:
    listed: Any = person.get("bindings/").json()
    rows = listed["results"] if isinstance(listed, dict) else listed
    return {each["name"]: each["id"] for each in rows}


def plan_errors(person: Person, files: dict[str, str], prune: bool = False) -> list[tuple[str, str, str]]:
    return [(each["file"], each["code"], each["message"]) for each in plan(person, files, prune)["faults"]]


def test_a_chain_is_applied_in_one_step_and_exported_by_names(alice: Person, chain: dict[str, str]) -> None:
    assert chain["streams/fast.yaml"] == FAST_YAML
    [listed] = [each for each in alice.get("streams/").json() if each["name"] == "fast"]
    stream = alice.get(f"streams/{listed['id']}/").json()
    assert stream["adapter"]["options"] == {"binding": ids(alice)["watch"], "output": "out"}
    assert set(applied(alice, chain).values()) == {"unchanged"}
    assert set(applied(alice, chain, prune=True).values()) == {"unchanged"}


def test_it_means_the_same_in_another_organisation(
    alice: Person, charlie: Person, chain: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / str(charlie.organisation.pk) / "files"
    folder.mkdir(parents=True)
    (folder / "cars.jsonl").write_text("")
    assert set(applied(charlie, chain).values()) == {"create"}
    assert exported(charlie) == chain
    assert set(ids(charlie).values()).isdisjoint(ids(alice).values())
    by_id = {"streams/fast.yaml": FAST_YAML.replace("watch", ids(alice)["watch"])}
    assert plan_errors(charlie, by_id) == [
        ("streams/fast.yaml", "bad_adapter", f"No binding is called {ids(alice)['watch']}.")
    ]


def test_pruning_takes_a_chain_away_and_only_whole(alice: Person, chain: dict[str, str]) -> None:
    some = {path: text for path, text in chain.items() if path != "bindings/watch.yaml"}
    assert plan_errors(alice, some, prune=True) == [("streams/fast.yaml", "bad_adapter", "No binding is called watch.")]
    assert set(applied(alice, {}, prune=True).values()) == {"delete"}
    assert exported(alice) == {}


FAST, WATCH, SPEEDING = "streams/fast.yaml", "bindings/watch.yaml", "queries/speeding.sql"
OTHER_SQL = "QUERY speeding;\nINSERT INTO other SELECT STREAM * FROM cars WHERE speed > 120;\n"
READS = "query: speeding\ninputs: {{cars: {{stream: {}}}}}\n"


WRONG: list[tuple[dict[str, str], str, str, str]] = [
    ({FAST: FAST_YAML.replace("watch", "nobody")}, FAST, "bad_adapter", "No binding is called nobody."),
    ({FAST: FAST_YAML.replace("output: out", "output: x")}, FAST, "bad_adapter", "no output x"),
    ({FAST: FAST_YAML.replace("speed: double", "speed: long")}, FAST, "bad_adapter", "emits the field speed as double"),
    ({FAST: FAST_YAML + "    reader: x\n"}, FAST, "bad_adapter", "Unknown field 'reader'"),
    ({SPEEDING: OTHER_SQL}, FAST, "bad_adapter", "no output out"),
    ({WATCH: READS.format("fast")}, WATCH, "cycle", "would read its own results"),
    (
        {WATCH: READS.format("faster"), "streams/faster.yaml": FAST_YAML.replace("watch", "second")},
        *("bindings/", "cycle", "would wait for itself"),
    ),
]


def test_an_invalid_chain_is_reported_at_its_file_and_nothing_is_applied(alice: Person, chain: dict[str, str]) -> None:
    for changed, file, code, words in WRONG:
        [(at, kind, message)] = plan_errors(alice, {**chain, **changed})
        assert at.startswith(file)
        assert (kind, words in message) == (code, True), message
    assert apply(alice, {**chain, **WRONG[-1][0]}).status_code == 422
    assert exported(alice) == chain


def test_stored_definitions_without_a_file_count_too(alice: Person, chain: dict[str, str]) -> None:
    other = {
        "queries/speeding.sql": "QUERY speeding;\nINSERT INTO other SELECT STREAM * FROM cars WHERE speed > 120;\n"
    }
    other |= {"bindings/watch.yaml": chain["bindings/watch.yaml"]}
    [(file, _, message)] = plan_errors(alice, other)
    assert file == "bindings/watch.yaml"
    assert "has no output out (read by the stream fast)" in message
    both = {**other, "streams/fast.yaml": FAST_YAML.replace("output: out", "output: other")}
    assert plan_errors(alice, both) == []
    assert applied(alice, both)["stream fast"] == "update"
    only = {"streams/fast.yaml": FAST_YAML}
    assert "no output out" in plan_errors(alice, only)[0][2]


def test_a_circle_that_a_run_closes_is_refused_at_no_file(acme: Any, alice: Person, chain: dict[str, str]) -> None:
    dora = join("dora@acme.example", acme, Role.DESIGNER)
    [second] = [each for each in alice.get("bindings/").json() if each["name"] == "second"]
    assert start(alice, second).status_code == 201
    files = {
        "bindings/second.yaml": "query: fastest\ninputs: {fast: {stream: cars}}\n",
        "streams/faster.yaml": FAST_YAML.replace("watch", "second"),
        "bindings/watch.yaml": "query: speeding\ninputs: {cars: {stream: faster}}\n",
    }
    assert plan_errors(dora, files) == []
    refused = apply(dora, files)
    assert refused.status_code == 422
    [fault] = refused.json()["faults"]
    assert (fault["code"], fault["file"], fault["line"]) == ("cycle", "", 1)
    assert exported(alice) == chain


def test_a_start_checks_the_fields_of_what_feeds_an_input(alice: Person, chain: dict[str, str]) -> None:
    applied(alice, {"streams/cars.yaml": CARS_YAML.replace("speed: double", "speed: long")})
    listed = {each["name"]: each for each in alice.get("bindings/").json()}
    refused = start(alice, listed["second"])
    assert refused.status_code == 422
    [fault] = refused.json()["faults"]
    assert fault["node"] == "fast"
    assert "emits the field speed as long, not as double" in fault["message"]
    assert {each["name"] for each in fault["mend"]} >= {"fast", "second"}
