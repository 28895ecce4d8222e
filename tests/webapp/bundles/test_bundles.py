"""Definitions as files: what they mean, how they are shown, and where their faults are."""

from typing import Any

import pytest

from tests.webapp.bundles.bundle import CARS_YAML, FILES, SPEEDING_SQL, applied, apply, exported, places, plan
from tests.webapp.conftest import Person


def test_an_organisation_is_exported_as_files(alice: Person, binding: dict[str, Any]) -> None:
    files = exported(alice)
    assert sorted(files) == ["bindings/watch.yaml", "queries/speeding.sql", "streams/cars.yaml"]
    assert files["streams/cars.yaml"] == CARS_YAML
    assert files["bindings/watch.yaml"] == "query: speeding\n"


def test_what_was_exported_is_unchanged(alice: Person, binding: dict[str, Any]) -> None:
    planned = plan(alice, exported(alice), prune=True)
    assert planned["faults"] == []
    assert {each["action"] for each in planned["changes"]} == {"unchanged"}
    assert {each["diff"] for each in planned["changes"]} == {""}


def only_query(person: Person) -> Any:
    [listed] = person.get("queries/").json()
    return person.get(f"queries/{listed['id']}/").json()


def test_files_lay_out_an_empty_organisation_whatever_names_what(alice: Person, cars_file: str) -> None:
    assert applied(alice, FILES) == {"stream cars": "create", "query speeding": "create", "binding watch": "create"}
    assert exported(alice) == FILES
    query = only_query(alice)
    assert (query["current"]["text"], query["current"]["number"]) == (SPEEDING_SQL, 1)
    assert alice.get("bindings/").json()[0]["query_version"] == query["current"]["id"]


def test_applying_twice_changes_nothing(alice: Person, cars_file: str) -> None:
    applied(alice, FILES)
    before = [alice.get(path).json() for path in ("streams/", "queries/", "bindings/")]
    assert set(applied(alice, FILES, prune=True).values()) == {"unchanged"}
    assert [alice.get(path).json() for path in ("streams/", "queries/", "bindings/")] == before


def test_a_plan_shows_what_is_created_and_deleted_whole_and_what_changes_as_a_diff(
    alice: Person, binding: dict[str, Any]
) -> None:
    files = {
        "streams/cars.yaml": CARS_YAML.replace("delay: 5s", "delay: 6s"),
        "queries/faster.sql": "QUERY faster; INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 130;",
    }
    diffs = {(each["action"], each["name"]): each["diff"] for each in plan(alice, files, prune=True)["changes"]}
    assert set(diffs) == {("update", "cars"), ("create", "faster"), ("delete", "watch"), ("delete", "speeding")}
    assert "--- a/streams/cars.yaml\n+++ b/streams/cars.yaml\n" in diffs["update", "cars"]
    assert "-    delay: 5s\n+    delay: 6s\n" in diffs["update", "cars"]
    assert diffs["create", "faster"].splitlines() == [
        "--- /dev/null",
        "+++ b/queries/faster.sql",
        "@@ -0,0 +1 @@",
        "+QUERY faster; INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 130;",
        "\\ No newline at end of file",
    ]
    assert diffs["delete", "watch"] == "--- a/bindings/watch.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-query: speeding\n"


def test_a_plan_stores_nothing(alice: Person, cars_file: str) -> None:
    assert plan(alice, FILES)["faults"] == []
    assert exported(alice) == {}


def test_a_changed_comment_makes_no_version_and_a_changed_query_makes_one_that_its_bindings_take(
    alice: Person, cars_file: str
) -> None:
    applied(alice, FILES)
    commented = SPEEDING_SQL.replace("too fast", "much too fast")
    assert applied(alice, {"queries/speeding.sql": commented}) == {"query speeding": "update"}
    assert [only_query(alice)["current"][key] for key in ("number", "text")] == [1, commented]
    changed = {**FILES, "queries/speeding.sql": SPEEDING_SQL.replace("120", "130")}
    diffs = {each["name"]: each["diff"] for each in plan(alice, changed)["changes"]}
    assert "-query: speeding  # version 1\n+query: speeding  # version 2\n" in diffs["watch"]
    applied(alice, changed)
    assert alice.get("bindings/").json()[0]["query_version_number"] == 2
    assert exported(alice) == changed


def test_a_binding_that_the_files_leave_out_keeps_its_version(alice: Person, cars_file: str) -> None:
    applied(alice, FILES)
    applied(alice, {"queries/speeding.sql": SPEEDING_SQL.replace("120", "130")})
    assert alice.get("bindings/").json()[0]["query_version_number"] == 1


def test_a_graph_in_yaml_or_json_is_stored_with_the_text_before_it_rewritten(alice: Person, cars_file: str) -> None:
    applied(alice, FILES)
    as_yaml = """\
nodes:
  - {kind: input, id: cars, stream: cars}
  - {kind: filter, id: out_where, input: cars, where: speed > 90}
  - {kind: output, id: out, input: out_where}
"""
    assert applied(alice, {"queries/speeding.yaml": as_yaml}) == {"query speeding": "update"}
    assert exported(alice)["queries/speeding.sql"] == SPEEDING_SQL.replace("120", "90")


def test_the_settings_of_a_text_are_those_of_its_bindings_unless_they_say_others(alice: Person, cars_file: str) -> None:
    text = SPEEDING_SQL + "ADVANCE TIME cars EVERY 10 DELAY 7s LATE DROP;\n"
    own = "query: speeding\ninputs:\n  cars:\n    advance: null\n"
    applied(alice, {**FILES, "queries/speeding.sql": text, "bindings/own.yaml": own})
    shown = {each["name"]: each["inputs"][0]["advance"] for each in alice.get("bindings/").json()}
    assert shown["own"] is None
    assert shown["watch"]["generate"] == {"every": 10, "delay": "7s", "basis": "last", "final": False}
    files = exported(alice)
    assert (files["bindings/own.yaml"], files["bindings/watch.yaml"]) == (own, "query: speeding\n")


def test_a_binding_that_has_a_query_of_its_own_says_so_in_its_file_and_only_then(alice: Person, cars_file: str) -> None:
    own = "query: speeding\ndedicated: true\n"
    assert applied(alice, {**FILES, "bindings/watch.yaml": own})["binding watch"] == "create"
    assert alice.get("bindings/").json()[0]["dedicated"] is True
    assert exported(alice)["bindings/watch.yaml"] == own
    assert applied(alice, FILES)["binding watch"] == "update"
    assert alice.get("bindings/").json()[0]["dedicated"] is False
    assert exported(alice)["bindings/watch.yaml"] == "query: speeding\n"


def test_a_query_without_a_name_in_its_text_is_named_as_its_file(alice: Person, cars_file: str) -> None:
    unnamed = "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"
    applied(alice, {**FILES, "queries/speeding.sql": unnamed})
    query = only_query(alice)
    assert query["name"] == "speeding"
    validated = alice.post("queries/validate/", {"text": query["current"]["text"]}).json()
    assert validated["graph"] == query["current"]["graph"]
    assert set(applied(alice, {**FILES, "queries/speeding.sql": unnamed}).values()) == {"unchanged"}


def test_every_fault_of_every_file_comes_at_once_with_its_place(alice: Person, cars_file: str) -> None:
    files = {
        "streams/cars.yaml": CARS_YAML.replace("late: drop", "late: dorp"),
        "streams/vans.yaml": CARS_YAML.replace("  late: drop\n", ""),
        "streams/bad.yaml": "shape: point\nfields: [\n",
        "queries/one.sql": "INSERT INTO out\nSELECT STREAM * FROM vans\nWHERE sped > 120;",
        "queries/two.yaml": "nodes:\n- {kind: input, id: vans, stream: vans}\n"
        "- {kind: filter, id: f, input: vans,\n   where: sped > 1}\n- {kind: output, id: out, input: f}\n",
        "queries/three.json": '{"nodes": [\n\t{"kind": "input" "id"}]}',
        "bindings/nothing.yaml": "inputs: {}\n",
        "bindings/unknown.yaml": "# of what?\nquery: nowhere\n",
        "elsewhere/x.yaml": "",
        "queries/QUERY 1.sql": "",
    }
    assert places(plan(alice, files)) == [
        ("bindings/nothing.yaml", 1, 1, "bad_shape"),
        ("bindings/unknown.yaml", 2, 1, "bad_file"),
        ("elsewhere/x.yaml", 1, 1, "bad_file"),
        ("queries/QUERY 1.sql", 1, 1, "bad_file"),
        ("queries/one.sql", 3, 7, "unknown_field"),
        ("queries/three.json", 2, 19, "bad_file"),
        ("queries/two.yaml", 4, 4, "unknown_field"),
        ("streams/bad.yaml", 3, 1, "bad_file"),
        ("streams/cars.yaml", 12, 3, "bad_shape"),
        ("streams/vans.yaml", 8, 1, "late_not_said"),
    ]
    refused = apply(alice, files)
    assert (refused.status_code, len(refused.json()["faults"])) == (422, 10)
    assert {"file", "line", "column"} <= set(refused.json()["faults"][0])
    assert exported(alice) == {}


def test_an_error_of_a_binding_is_at_its_input(alice: Person, cars_file: str) -> None:
    files = {
        **FILES,
        "bindings/watch.yaml": "query: speeding\ninputs:\n  cars:\n    advance:\n      generate: {every: 1}\n"
        "  vans: {}\n",
    }
    assert places(plan(alice, files)) == [
        ("bindings/watch.yaml", 4, 5, "late_not_said"),
        ("bindings/watch.yaml", 6, 3, "unknown_node"),
    ]


def test_an_error_caused_by_another_file_is_not_reported(alice: Person, cars_file: str) -> None:
    broken = {**FILES, "streams/cars.yaml": "shape: round\n" + CARS_YAML.split("\n", 1)[1]}
    assert places(plan(alice, broken)) == [("streams/cars.yaml", 1, 1, "bad_shape")]


def test_readmes_transcripts_and_hidden_files_are_ignored(alice: Person, cars_file: str) -> None:
    beside = {
        "README.md": "{",
        "queries/README": "{",
        "transcripts/a/b.yaml": "{",
        ".gitignore": "{",
        "queries/.x.sql": "{",
    }
    assert applied(alice, {**FILES, **beside}) == dict.fromkeys(
        ["stream cars", "query speeding", "binding watch"], "create"
    )


@pytest.mark.parametrize(
    "path", ["streams/../x.yaml", "/streams/x.yaml", "streams/a/b.yaml", "streams/x.yml", "queries/x", "x", "", "../.x"]
)
def test_other_paths_are_refused_with_a_sentence(alice: Person, path: str) -> None:
    [fault] = plan(alice, {path: ""})["faults"]
    assert (fault["code"], fault["file"]) == ("bad_file", path)
    assert "NAME.yaml" in fault["remedy"]


def test_two_files_of_one_query_are_refused(alice: Person, cars: dict[str, Any]) -> None:
    sql = "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"
    planned = plan(alice, {"queries/q.sql": sql, "queries/q.json": "{}"})
    assert "Another file already defines the query q." in [each["message"] for each in planned["faults"]]


def test_a_name_that_is_not_the_files_is_refused(alice: Person, cars: dict[str, Any]) -> None:
    assert places(plan(alice, {"queries/other.sql": "\n" + SPEEDING_SQL})) == [("queries/other.sql", 2, 1, "bad_file")]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("a: &x [1]\nb: *x\n", 1, "Anchors"),
        ("a: 1\nb: *x\n", 2, "Aliases"),
        ("a: !!python/object:os.system {}\n", 1, "tags"),
        ("a: {<<: {b: 1}}\n", 1, "Merges"),
        ("a: 1\na: 2\n", 2, "twice"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: " + "[" * 10_000, 1, "50 nested levels"),
        ("? [a]\n: 1\n", 1, "list or a mapping"),
        ("- a\n", 1, "not a list"),
        ("", 1, "not nothing"),
        ("a: \x07\n", 1, "forbidden character"),
        ("a: b: c\n", 1, "valid YAML"),
    ],
)
def test_yaml_that_is_no_plain_data_is_refused(alice: Person, text: str, line: int, sentence: str) -> None:
    [fault] = plan(alice, {"streams/s.yaml": text})["faults"]
    assert (fault["code"], fault["line"]) == ("bad_file", line)
    assert sentence in fault["message"]


def test_files_that_are_too_many_or_too_large_are_refused_with_a_sentence(alice: Person) -> None:
    large = plan(alice, {f"queries/q{number}.sql": "-" * 199_000 for number in range(11)})
    assert [each["message"] for each in large["faults"]] == ["The files have 2,189,000 bytes; the limit is 2,097,152."]
    many = plan(alice, {f"README{number}": "" for number in range(2_001)})
    assert "the limit is 2,000" in many["faults"][0]["message"]
    long = plan(alice, {"queries/q.sql": "-" * 200_001})
    assert "at most 200,000" in long["faults"][0]["message"]
    answered = alice.post("definitions/plan/", {"files": {"queries/q.sql": "-" * 9_000_000}})
    assert (answered.status_code, answered.json()["code"]) == (413, "too_large")
