"""Bindings that read the results of other bindings: circles, strangers, deletions, and what is kept for readers."""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from streaming.storage.results import Commit
from streaming.wire.deliveries import READERS, advance_reader, marks_in
from streaming.wire.messages import ResultRow
from tests.webapp.conftest import Person, graph, join
from tests.webapp.runs.bindings.test_bindings import spec_of, start, stop
from tests.webapp.runs.bindings.test_bindings_changed import delete, end_runs, put
from tests.wire.written import write_commit, write_part
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.runs.outputs.composing import keep_for_readers

SPEEDS = {"shape": "interval", "fields": {"plate": "string", "speed": "double"}}


def reading(binding: dict[str, Any], output: str = "out") -> dict[str, Any]:
    return {"kind": "binding", "options": {"binding": binding["id"], "output": output}}


def stream_of(person: Person, name: str, binding: dict[str, Any], **options: Any) -> Any:
    return person.post("streams/", {"name": name, "definition": SPEEDS, "adapter": reading(binding), **options})


def fastest(name: str, stream: str) -> dict[str, Any]:
    """A query whose results have the fields of what it reads, so that it can read its own."""
    found = graph(name, stream)
    found["nodes"][2]["aggregates"] = [{"name": "speed", "function": "max", "of": "speed"}]
    return found


@pytest.fixture
def speeding(alice: Person, cars: dict[str, Any]) -> dict[str, Any]:
    return query_over(alice, "speeding", cars["name"])


def query_over(person: Person, name: str, stream: str) -> dict[str, Any]:
    made = person.post("queries/", {"graph": fastest(name, stream)})
    assert made.status_code == 201, made.json()
    found: dict[str, Any] = made.json()
    return found


def binding_over(person: Person, name: str, stream: str) -> dict[str, Any]:
    version = query_over(person, name, stream)["current"]["id"]
    made = person.post("bindings/", {"name": name, "query_version": version, "inputs": {}})
    assert made.status_code == 201, made.json()
    found: dict[str, Any] = made.json()
    return found


@pytest.fixture
def fast(alice: Person, binding: dict[str, Any]) -> dict[str, Any]:
    """A stream of the results of `binding`."""
    made = stream_of(alice, "fast", binding)
    assert made.status_code == 201, made.json()
    found: dict[str, Any] = made.json()
    return found


@pytest.fixture
def second(alice: Person, fast: dict[str, Any]) -> dict[str, Any]:
    """A binding that reads them."""
    return binding_over(alice, "second", fast["name"])


def faults(answered: Any, status: int = 422) -> list[dict[str, Any]]:
    assert answered.status_code == status, answered.json()
    found: list[dict[str, Any]] = answered.json()["faults"]
    return found


def test_a_run_gets_the_mark_that_keeps_its_input(
    alice: Person, binding: dict[str, Any], second: dict[str, Any]
) -> None:
    run = start(alice, second)
    assert run.status_code == 201, run.json()
    answer = spec_of(alice, run.json()["id"]).inputs["cars"].adapter
    assert answer.options == {**reading(binding)["options"], "reader": f"{second['id']}.cars"}
    assert start(alice, second).json()["id"] == run.json()["id"], "the same wish is the same start"


def test_no_binding_reads_its_own_results_however_long_the_way(
    alice: Person, binding: dict[str, Any], fast: dict[str, Any], second: dict[str, Any]
) -> None:
    (own,) = faults(put(alice, binding, inputs={"cars": {"stream": fast["id"]}}))
    assert (own["code"], own["message"]) == ("cycle", f"The binding {binding['name']} would read its own results.")
    faster = stream_of(alice, "faster", second).json()
    (long,) = faults(put(alice, binding, inputs={"cars": {"stream": faster["id"]}}))
    assert "would read the results of" in long["message"]
    assert {"second", binding["name"]} <= set(re.findall(r"\w+", long["message"]))
    third = binding_over(alice, "third", "faster")
    change = {"name": "fast", "definition": SPEEDS, "adapter": reading(third)}
    (by_stream,) = faults(alice.put(f"streams/{fast['id']}/", change))
    assert by_stream["code"] == "cycle"
    assert alice.get(f"streams/{fast['id']}/").json()["adapter"] == reading(binding)


def test_what_a_run_still_reads_closes_a_circle_too(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any], fast: dict[str, Any], second: dict[str, Any]
) -> None:
    assert start(alice, second).status_code == 201
    assert put(alice, second, inputs={"cars": {"stream": cars["id"]}}).status_code == 200
    faster = stream_of(alice, "faster", second).json()
    back = {"cars": {"stream": faster["id"]}}
    assert faults(put(alice, binding, inputs=back))[0]["code"] == "cycle"
    stop(alice, second)
    end_runs(alice)
    assert put(alice, binding, inputs=back).status_code == 200


def test_another_organisations_binding_is_none(alice: Person, binding: dict[str, Any], charlie: Person) -> None:
    (error,) = faults(stream_of(charlie, "fast", binding))
    assert (error["message"], error["field"]) == ("No binding has this id.", "adapter.options.binding")
    nobody = {**binding, "id": "00000000-0000-4000-8000-000000000000"}
    (same,) = faults(stream_of(charlie, "fast", nobody))
    assert same == error


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"output": "elsewhere"}, "output", "has no output elsewhere"),
        ({"reader": "x.y"}, "reader", "Unknown field 'reader'"),
        ({"binding": "../x"}, "binding", ""),
    ],
)
def test_options_that_name_nothing_are_refused(
    alice: Person, binding: dict[str, Any], options: dict[str, Any], field: str, message: str
) -> None:
    adapter = reading(binding)
    adapter["options"] |= options
    (error,) = faults(stream_of(alice, "fast", binding, adapter=adapter))
    assert error["field"] == f"adapter.options.{field}"
    assert message in error["message"]


@pytest.mark.parametrize(
    ("definition", "field", "message"),
    [
        ({"shape": "interval", "fields": {"nr": "string"}}, "definition.fields.nr", "has no field nr"),
        (
            {"shape": "interval", "fields": {"plate": "long"}},
            "definition.fields.plate",
            "emits the field plate as string",
        ),
    ],
)
def test_fields_that_the_output_does_not_give_are_refused(
    alice: Person, binding: dict[str, Any], definition: dict[str, Any], field: str, message: str
) -> None:
    (error,) = faults(stream_of(alice, "fast", binding, definition=definition))
    assert error["field"] == field
    assert message in error["message"]


def version_with(person: Person, query: dict[str, Any], changes: dict[str, Any]) -> str:
    """A version of `query` whose window has `changes`."""
    other = fastest("speeding", "cars")
    other["nodes"][2] |= changes
    made = person.post(f"queries/{query['id']}/versions/", {"graph": other})
    assert made.status_code == 201, made.json()
    return str(made.json()["id"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"emit": "running"}, "may replace rows by later ones"),
        ({"aggregates": [{"name": "n", "function": "count"}]}, "has no field speed"),
    ],
)
def test_a_version_that_readers_cannot_take_is_refused(
    alice: Person,
    binding: dict[str, Any],
    fast: dict[str, Any],
    speeding: dict[str, Any],
    changes: dict[str, Any],
    message: str,
) -> None:
    errors = faults(put(alice, binding, query_version=version_with(alice, speeding, changes)))
    assert [each["field"] for each in errors] == ["query_version"]
    assert message in errors[0]["message"]
    assert fast["name"] in errors[0]["message"]


def test_what_is_read_stays(
    alice: Person, binding: dict[str, Any], fast: dict[str, Any], speeding: dict[str, Any]
) -> None:
    refused = delete(alice, binding)
    assert faults(refused, 409)[0]["message"] == "The stream fast reads its output out."
    other = fastest("speeding", "cars")
    other["nodes"][-1]["id"] = "renamed"
    version = alice.post(f"queries/{speeding['id']}/versions/", {"graph": other}).json()
    (error,) = faults(put(alice, binding, query_version=version["id"]))
    assert error["message"] == "The stream fast reads the output out, which this version does not have."
    assert alice.client.delete(alice.url(f"streams/{fast['id']}/")).status_code == 204
    assert put(alice, binding, query_version=version["id"]).status_code == 200
    assert delete(alice, binding).status_code == 204


def test_results_stay_until_their_reader_has_them(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    part = write_part(folder, "results", 0, 0, [ResultRow(output="out", start=0, end=1, payload={})])
    write_commit(folder, Commit(batch=0, parts=[part], totals={"at": 0}))
    mark = f"{second['id']}.cars"

    def kept_marks() -> list[str]:
        with organisation_context(alice.organisation.pk):
            keep_for_readers()
        return marks_in(folder, READERS)

    assert kept_marks() == [mark]
    refused = alice.client.delete(alice.url(f"bindings/{binding['id']}/results/?kind=results"))
    assert refused.status_code == 409
    assert "The binding second has not read all results" in refused.json()["message"]
    advance_reader(folder, mark, 0)
    assert kept_marks() == [mark], "a mark that is there is left as it is"
    assert alice.client.delete(alice.url(f"bindings/{binding['id']}/results/?kind=results")).status_code == 200
    assert put(alice, second, inputs={"cars": {"stream": cars["id"]}}).status_code == 200
    assert kept_marks() == []


@pytest.mark.django_db(transaction=True)
def test_of_two_changes_at_once_that_close_a_circle_one_is_refused(
    alice: Person, binding: dict[str, Any], fast: dict[str, Any], second: dict[str, Any]
) -> None:
    other = binding_over(alice, "other", "cars")
    others = stream_of(alice, "others", other).json()
    both = threading.Barrier(2)
    carol = join("carol@acme.example", alice.organisation, Role.OWNER)
    answers: list[int] = []

    def change(who: Person, which: dict[str, Any], stream: dict[str, Any]) -> Callable[[], None]:
        def change_it() -> None:
            both.wait(30)
            answered = 503
            while answered == 503:  # SQLite lets the second writer wait for so long only
                answered = put(who, which, inputs={"cars": {"stream": stream["id"]}}).status_code
            answers.append(answered)
            connections.close_all()

        return change_it

    at_once = [threading.Thread(target=change(*pair)) for pair in ((alice, binding, others), (carol, other, fast))]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join(60)
    assert sorted(answers) == [200, 422], connection.vendor
