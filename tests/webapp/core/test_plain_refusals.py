"""No refusal speaks pydantic: whatever is sent wherever, its faults are sentences, each at the field that was sent."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.webapp.conftest import POINTS, Person, file_adapter
from tests.webapp.core.test_bodies import addressed, send
from tests.webapp.undone import undone

OPENAPI = json.loads((ROOT / "frontend" / "openapi.json").read_text())
SCHEMAS = OPENAPI["components"]["schemas"]
TAKING = sorted(
    (path, method)
    for path, methods in OPENAPI["paths"].items()
    for method, operation in methods.items()
    if "requestBody" in operation
)
JARGON = re.compile(
    r"function-|pydantic|union\[|constrained-|Input should|Value error|valid (string|integer|dictionary)|\[key\]|\^\[|"
    r"\]\{0|\\d|permitted|literal_|UnionType|tagged",
)
WRONG: tuple[Any, ...] = (None, "", "?!", 1.5, -1, True, [], {}, ["?"], {"?": "?"}, {"kind": "?"}, "x" * 20_001)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rsplit("/", 1)[1]]
    return schema


def spoiled(schema: dict[str, Any], depth: int = 0) -> Iterator[Any]:
    """Values that are nearly of `schema`: each property wrong in every way, alone, and those inside of it."""
    schema = resolved(schema)
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from spoiled(branch, depth)
    properties = schema.get("properties", {})
    for name, of in properties.items():
        yield from ({name: wrong} for wrong in WRONG)
        if depth < 3:
            yield from ({name: inner} for inner in spoiled(of, depth + 1))
    if isinstance(more := schema.get("additionalProperties"), dict) and depth < 3:
        yield from ({"a": inner} for inner in (*WRONG, *spoiled(more, depth + 1)))
        yield {"2 a": {}}
    if properties:
        yield {"nonsense": 1}


def body_schema(path: str, method: str) -> dict[str, Any]:
    found: dict[str, Any] = OPENAPI["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
    return found


@pytest.mark.parametrize("most", [100, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_no_refusal_of_a_body_speaks_the_language_of_the_program(
    most: int, alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    """Bodies that are evenly chosen of all that there are for an address; in `make thorough` all of them."""
    ids = addressed(alice, binding, cars)
    for path, method in TAKING:
        bodies = [*WRONG, *spoiled(body_schema(path, method))]
        with undone():
            for body in bodies[:: len(bodies) // most + 1]:
                answered = send(alice, path, method, ids, json.dumps(body).encode())
                if answered.status_code in (400, 422):
                    require_plain(answered.json(), (path, method, body))


def require_plain(answer: dict[str, Any], sent: Any) -> None:
    for text in (answer["message"], *(each[part] for each in answer["faults"] for part in ("message", "remedy"))):
        assert not JARGON.search(text), (sent, text)
    for each in answer["faults"]:
        assert not JARGON.search(each["field"] or ""), (sent, each)


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        (
            {"advance": {"generate": {"every": [1]}, "late": "drop"}},
            "advance.generate.every",
            "write ticks as a whole number",
        ),
        ({"advance": {"generate": {"every": "soon"}, "late": "drop"}}, "advance.generate.every", "is not a duration"),
        ({"advance": {"generate": {"every": 1, "delay": "x"}, "late": "drop"}}, "advance.generate.delay", "duration"),
        ({"fields": {"2 a": "long"}}, "fields.2 a", "A name starts with a letter"),
        ({"fields": {"a": 5}}, "fields.a", "Expected a text here"),
        ({"fields": {"a": "strng"}}, "fields.a", "'strng' is not a type"),
        ({"event_time": {"start": {}}}, "event_time.start.column", "This is missing"),
        ({"shape": "blob"}, "shape", "Expected one of 'point', 'interval', 'edge' or 'table'"),
        ({"color": "red"}, "color", "Unknown field 'color'"),
        ({"advance": {"generate": {"every": 0}}}, "advance.generate.every", "every 0 is not possible"),
        ({"advance": {"generate": {"every": 1}}}, "advance.late", "late"),
        ({"advance": {"generate": {"every": 1}, "late": "drop", "over": ""}}, "advance.over", "This is empty"),
    ],
)
def test_a_fault_of_a_stream_is_one_sentence_at_its_field(
    alice: Person, cars_file: str, change: dict[str, Any], field: str, sentence: str
) -> None:
    body = {"name": "lorries", "definition": {**POINTS, **change}, "adapter": file_adapter(cars_file)}
    answered = alice.post("streams/", body)
    assert answered.status_code == 422
    at = [each["message"] for each in answered.json()["faults"] if each["field"] == f"definition.{field}"]
    assert len(at) == 1, answered.json()
    assert sentence in at[0]
    assert at[0].endswith(".")
    assert "definition." not in at[0]


def test_faults_of_the_options_of_an_adapter_stand_at_the_options(alice: Person, cars_file: str) -> None:
    adapter = {"kind": "file", "options": {"path": 5, "format": "xml", "shred": True}}
    answered = alice.post("streams/", {"name": "lorries", "definition": POINTS, "adapter": adapter})
    found = {each["field"]: each["message"] for each in answered.json()["faults"]}
    assert found.keys() == {"adapter.options.path", "adapter.options.format", "adapter.options.shred"}
    assert found["adapter.options.path"] == "Expected a text here."


def test_types_as_sql_spark_and_python_call_them_are_stored_as_ours(alice: Person, cars_file: str) -> None:
    fields = {"plate": "VARCHAR", "speed": "float", "gears": "integer", "seen": "datetime", "price": "numeric(10, 2)"}
    body = {"name": "lorries", "definition": {**POINTS, "fields": fields}, "adapter": file_adapter(cars_file)}
    made = alice.post("streams/", body)
    assert made.status_code == 201, made.json()
    assert made.json()["definition"]["fields"] == {
        "plate": "string",
        "speed": "double",
        "gears": "long",
        "seen": "timestamp",
        "price": "decimal(10,2)",
    }
