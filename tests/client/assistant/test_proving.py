"""An assistant reads, checks, simulates and compares, and leaves a scenario behind."""

import json
from typing import Any

import pytest

from tests.client.assistant.scripted import ScriptedAssistant
from tests.webapp.conftest import Person, file_adapter
from webapp.client.assistant import bounds
from webapp.client.assistant.tools import INSTRUCTIONS, TOOLS

SQL = "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120; ADVANCE TIME cars EVERY 1 DELAY 5s LATE DROP;"
SLOWER = SQL.replace("120", "100")
ROWS = [
    {"at": "2026-11-21T10:00:01Z", "plate": "A", "speed": 130.0},
    {"at": "2026-11-21T10:00:09Z", "plate": "B", "speed": 110.0},
    {"at": "2026-11-21T10:00:02Z", "plate": "C", "speed": 150.0},
]
"""The last row is 2 s late with a delay of 5 s."""
LATE: dict[str, Any] = {"rows": ROWS}


@pytest.fixture(autouse=True)
def _objects(binding: dict[str, Any]) -> None:
    """The stream cars, the query speeding, the binding watch."""


def test_the_instructions_and_hints_say_what_an_assistant_may_do(assistant: ScriptedAssistant) -> None:
    async def script(client: Any) -> Any:
        return client.instructions, (await client.list_tools()).tools

    instructions, tools = assistant.talk(script)
    assert instructions == INSTRUCTIONS
    assert "leave a scenario behind" in instructions
    assert {each.name for each in tools if not each.annotations.read_only_hint} == {
        "keep_scenario",
        "request_confirmation",
        "carry_out",
    }
    assert len(tools) == len(TOOLS)
    assert all(each.input_schema["additionalProperties"] is False for each in tools)


def test_resources_are_the_guide_the_grammar_streams_and_queries(assistant: ScriptedAssistant) -> None:
    async def script(client: Any) -> Any:
        return (await client.list_resources()).resources, (await client.list_resource_templates()).resource_templates

    listed, templates = assistant.talk(script)
    found = {str(each.uri) for each in listed}
    assert {
        "punctual://guide/README",
        "punctual://guide/sql",
        "punctual://guide/join",
        "punctual://streams/cars",
        "punctual://queries/speeding",
    } <= found
    assert len(templates) == 6


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("guide/README", "# The operators"),
        ("guide/window_session", "SESSION"),
        ("guide/sql", "`TUMBLE size`: Windows of one size, one after the other."),
        ("guide/sql", "`LATE DROP | ADJUST | SHIFT | KEEP`"),
        ("streams/cars", '"late": "drop"'),
        ("streams/cars", '"plate": "string"'),
        ("streams/cars/sample", '"AB 1"'),
        ("queries/speeding", "WHERE speed > 120"),
        ("definitions/bindings/watch.yaml", "query: speeding"),
    ],
)
def test_a_resource_is_text(assistant: ScriptedAssistant, uri: str, words: str) -> None:
    assert words in assistant.read(f"punctual://{uri}")


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("punctual://guide/jion", "There is no page 'jion'. There are: README, sql,"),
        ("punctual://streams/lorries", "There is no stream 'lorries'. There are: cars."),
        ("punctual://queries/speeding/scenarios/x", "The query speeding has no scenario 'x'"),
        ("punctual://definitions/queries/x.sql", "There is no file 'queries/x.sql'. There are: "),
        ("punctual://runs", "There is no resource punctual://runs. Resources are: "),
        ("file:///etc/passwd", "There is no resource file:///etc/passwd."),
    ],
)
def test_an_unknown_resource_is_a_sentence_with_the_known_ones(
    assistant: ScriptedAssistant, uri: str, words: str
) -> None:
    found = assistant.read(uri)
    assert found.startswith("refused: ")
    assert words in found


def test_the_options_of_adapters_are_not_readable(assistant: ScriptedAssistant, alice: Person) -> None:
    shown = json.loads(assistant.read("punctual://streams/cars"))
    assert shown["adapter"] == "file"
    assert "options" not in assistant.read("punctual://streams/cars")


@pytest.mark.parametrize("kind", ["streams", "queries", "bindings", "runs", "confirmations"])
def test_objects_are_listed_by_kind(assistant: ScriptedAssistant, kind: str) -> None:
    names = {"streams": ["cars"], "queries": ["speeding"], "bindings": ["watch"]}.get(kind, [])
    assert [each["name"] for each in assistant.tool("list", kind=kind)["rows"]] == names


def test_errors_have_remedies_and_a_valid_query_has_none(assistant: ScriptedAssistant) -> None:
    assert assistant.tool("validate", text=SQL) == {"valid": True, "faults": {"rows": []}}
    found = assistant.tool("validate", text=SQL.replace("speed", "sped"))
    assert found["valid"] is False
    assert "speed" in found["faults"]["rows"][0]


def test_a_text_and_a_stored_query_are_explained(assistant: ScriptedAssistant) -> None:
    assert "cars" in assistant.tool("explain", text=SQL)["explanation"]
    assert "per_plate" in assistant.tool("explain", query="speeding")["explanation"]
    assert assistant.refused("explain", query="speeding", text=SQL).startswith("Pass either `text`")


def test_a_simulation_has_results_and_the_reason_of_each_late_row(assistant: ScriptedAssistant) -> None:
    found = assistant.tool("simulate", text=SQL, sample=LATE)
    [result] = found["results"]["out"]["rows"]
    assert (result["start"], result["payload"]) == ("2026-11-21T10:00:01Z", {"plate": "A", "speed": 130.0})
    assert found["outcomes"] == {"cars": {"on_time": 2, "dropped_late": 1}}
    [late] = found["late"]["rows"]
    assert (late["row"], late["outcome"]) == (3, "dropped_late")
    assert late["why"][0].startswith("Dropped: 10:00:02 is before ")


def test_a_stored_query_is_simulated_with_other_settings_and_without_an_end(assistant: ScriptedAssistant) -> None:
    settings = {"cars": {"generate": {"every": 1, "delay": "10s"}, "late": "drop"}}
    found = assistant.tool("simulate", query="speeding", sample=LATE, advance=settings, end="none")
    assert found["outcomes"] == {"cars": {"on_time": 2, "reordered": 1}}
    assert found["pending"]["rows"]


@pytest.mark.parametrize(
    ("sample", "count"),
    [
        (LATE, 3),
        ({"stream": {"stream": "cars", "rows": 10}}, 3),
        ({"generated": {"stream": "cars", "rows": 7, "seed": 3}}, 7),
    ],
)
def test_a_sample_is_given_read_or_generated(assistant: ScriptedAssistant, sample: Any, count: int) -> None:
    assert len(assistant.tool("take_sample", sample=sample)["rows"]) == count
    assert sum(assistant.tool("simulate", text=SQL, sample=sample)["outcomes"]["cars"].values()) == count


def test_two_queries_are_compared_on_one_sample(assistant: ScriptedAssistant) -> None:
    found = assistant.tool("compare_queries", queries=[{"text": SQL}, {"text": SLOWER}], sample=LATE)
    assert (found["equal"], found["in_both"], found["only_first"]) == (False, 1, {"rows": []})
    assert [row["payload"]["plate"] for row in found["only_second"]["rows"]] == ["B"]
    same = assistant.tool("compare_queries", queries=[{"query": "speeding"}, {"query": "speeding"}], sample=LATE)
    assert same["equal"] is True


def test_late_policies_are_compared(assistant: ScriptedAssistant) -> None:
    found = assistant.tool("compare_policies", text=SQL, sample=LATE, input="cars")
    outcomes = {each["policy"]: each["outcomes"]["cars"] for each in found["policies"] if each["outcomes"]}
    assert outcomes["drop"] == {"on_time": 2, "dropped_late": 1}
    assert outcomes["shift"] == {"on_time": 2, "shifted": 1}


def test_other_delays_are_tried(assistant: ScriptedAssistant) -> None:
    points = assistant.tool("what_if", text=SQL, sample=LATE, input="cars")["points"]
    [today] = [each for each in points if each["today"]]
    assert today["delay"] == 5_000_000
    assert [each["share_kept"] for each in points if each["delay"] == 7_000_000] == [1.0]


def test_a_scenario_is_kept_run_listed_read_and_used_as_a_sample(assistant: ScriptedAssistant, alice: Person) -> None:
    kept = assistant.tool("keep_scenario", query="speeding", name="a late car", sample=LATE)
    assert (kept["kept"], kept["holds"], kept["differences"]) == ("speeding/a late car", True, "")
    [listed] = assistant.tool("list", kind="scenarios", query="speeding")["rows"]
    assert (listed["name"], listed["holds"], listed["author"]) == ("a late car", True, "alice@acme.example")
    read = json.loads(assistant.read("punctual://queries/speeding/scenarios/a%20late%20car"))
    assert len(read["sample"]["rows"]) == 3
    sample = {"scenario": "speeding/a late car"}
    assert assistant.tool("simulate", query="speeding", sample=sample)["outcomes"]["cars"]["dropped_late"] == 1


def test_a_scenario_with_other_expected_results_differs(assistant: ScriptedAssistant) -> None:
    expect = {
        "events": [{"start": "2026-11-21T10:00:00Z", "end": "2026-11-21T10:00:10Z", "payload": {"plate": "A", "n": 7}}]
    }
    kept = assistant.tool("keep_scenario", query="speeding", name="seven", sample=LATE, expect=expect)
    assert kept["holds"] is False
    assert "n: expected 7, got 1" in kept["differences"]


def test_a_scenario_without_results_is_refused_unless_it_is_meant(assistant: ScriptedAssistant) -> None:
    slow = {"rows": [{**ROWS[0], "speed": 50.0}]}
    words = assistant.refused("keep_scenario", query="speeding", name="none", sample=slow)
    assert words.startswith("The sample has no results, so the scenario would test nothing.")
    assert assistant.tool("keep_scenario", query="speeding", name="none", sample=slow, empty=True)["holds"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("delete_everything", {}, "There is no tool delete_everything. There are: list, "),
        ("simulate", {"text": SQL}, "'sample' is a required property"),
        ("simulate", {"text": SQL, "sample": {"rows": "A"}}, "$.sample.rows"),
        ("simulate", {"text": SQL, "sample": {"rows": []}, "token": "x"}, "'token' was unexpected"),
        ("simulate", {"text": SQL, "sample": {"scenario": "late"}}, "Pass QUERY/SCENARIO."),
        ("simulate", {"text": SQL, "sample": {"rows": [], "scenario": "a/b"}}, "$.sample"),
        ("simulate", {"text": SQL.replace("speed", "sped"), "sample": LATE}, "Fix its errors.\n- "),
        ("simulate", {"query": "racing", "sample": LATE}, "There is no query 'racing'. There are: speeding."),
        ("take_sample", {"sample": {"generated": {"stream": "cars", "rows": 6_000}}}, "5000"),
        ("what_if", {"text": SQL, "sample": LATE, "input": "lorries"}, "lorries"),
        ("list", {"kind": "scenarios"}, "Pass `query`"),
        ("list", {"kind": "tokens"}, "'tokens' is not one of"),
        ("confirmation_status", {"confirmation": "../streams"}, "A confirmation is the id"),
        ("carry_out", {"confirmation": "../bindings"}, "A confirmation is the id"),
        ("confirmation_status", {"confirmation": "0" * 32}, "There is nothing here"),
    ],
)
def test_a_refusal_is_a_sentence_with_what_to_do(
    assistant: ScriptedAssistant, name: str, arguments: dict[str, Any], words: str
) -> None:
    assert words in assistant.refused(name, **arguments)


def test_many_rows_and_long_texts_are_cut_and_say_so(
    assistant: ScriptedAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = {"rows": [{**ROWS[0], "plate": str(number)} for number in range(150)]}
    found = assistant.tool("simulate", text=SQL, sample=many)["results"]["out"]
    assert (len(found["rows"]), found["left_out"]) == (100, 50)
    monkeypatch.setattr(bounds, "MOST_CHARACTERS", 1_000)
    text, is_error = assistant.called("simulate", {"text": SQL, "sample": many})
    assert not is_error
    assert len(text) < 1_100
    assert text.endswith("Ask for less at once.]")


def test_texts_of_the_server_carry_no_control_characters_and_no_tokens(
    assistant: ScriptedAssistant, alice: Person
) -> None:
    hostile = {**ROWS[0], "plate": "\u202eignore\x1b[2J pct_0123_secret"}
    text, _ = assistant.called("simulate", {"text": SQL, "sample": {"rows": [hostile]}})
    assert "secret" not in text
    assert not any(each in text for each in "\u202e\x1b")
    body = {
        "name": "odd",
        "definition": {"shape": "point", "fields": {"a": "long"}},
        "adapter": file_adapter("x.jsonl"),
    }
    assert alice.post("streams/", body).status_code == 201
    refused = assistant.refused("take_sample", sample={"stream": {"stream": "odd"}})
    assert assistant.session.client.server.account.token not in refused
