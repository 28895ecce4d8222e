"""A bundle of files, and what is done with it over the API."""

from typing import Any

from tests.webapp.conftest import Person

CARS_YAML = """\
shape: point
fields:
  plate: string
  speed: double
event_time:
  start:
    column: at
advance:
  generate:
    every: 1
    delay: 5s
  late: drop
adapter:
  kind: file
  options:
    format: json_lines
    path: files/cars.jsonl
"""
SPEEDING_SQL = """\
QUERY speeding;
-- those that are too fast
INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;
"""
FILES = {
    "streams/cars.yaml": CARS_YAML,
    "queries/speeding.sql": SPEEDING_SQL,
    "bindings/watch.yaml": "query: speeding\n",
}


def plan(person: Person, files: dict[str, str], prune: bool = False) -> dict[str, Any]:
    answered = person.post("definitions/plan/", {"files": files, "prune": prune})
    assert answered.status_code == 200, answered.content
    planned: dict[str, Any] = answered.json()
    return planned


def apply(person: Person, files: dict[str, str], prune: bool = False) -> Any:
    body = {"files": files, "prune": prune, "token": plan(person, files, prune)["token"]}
    return person.post("definitions/apply/", body)


def applied(person: Person, files: dict[str, str], prune: bool = False) -> dict[str, str]:
    answered = apply(person, files, prune)
    assert answered.status_code == 200, answered.content
    return {f"{each['kind']} {each['name']}": each["action"] for each in answered.json()["changes"]}


def exported(person: Person) -> dict[str, str]:
    answered = person.get("definitions/")
    assert answered.status_code == 200, answered.content
    files: dict[str, str] = answered.json()["files"]
    return files


def places(planned: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    return [(each["file"], each["line"], each["column"], each["code"]) for each in planned["faults"]]
