"""Settings of time that were tried in the simulator are written into the text of the query."""

from typing import Any

from tests.webapp.conftest import Person, graph

TEXT = """-- Why it is there
INSERT INTO out
SELECT STREAM plate, speed
FROM cars
WHERE speed > 120;

ADVANCE TIME cars EVERY 1 DELAY 4s LATE DROP;
"""


def validated(person: Person, body: dict[str, Any]) -> Any:
    return person.post("queries/validate/", body).json()


def test_settings_of_an_input_replace_its_statement_and_nothing_else(alice: Person, cars: dict[str, Any]) -> None:
    before = validated(alice, {"text": TEXT})["advance"]["cars"]
    tried = {**before, "late": "adjust", "generate": {**before["generate"], "delay": "12s"}}
    answered = validated(alice, {"text": TEXT, "advance": {"cars": tried}})
    assert answered["advance"]["cars"] == tried
    assert answered["text"].startswith(TEXT.split("ADVANCE", maxsplit=1)[0])
    assert validated(alice, {"text": answered["text"]})["advance"]["cars"] == tried


def test_settings_that_say_nothing_take_the_statement_away(alice: Person, cars: dict[str, Any]) -> None:
    answered = validated(alice, {"text": TEXT, "advance": {"cars": {}}})
    assert "ADVANCE" not in answered["text"]
    assert answered["advance"] == {}


def test_settings_go_into_the_text_of_a_graph_too(alice: Person, cars: dict[str, Any]) -> None:
    answered = validated(alice, {"graph": graph(), "advance": {"cars": {"preset": "watermark(5s)"}}})
    assert answered["advance"]["cars"]["preset"] == "watermark(5s)"
    assert answered["graph"] == validated(alice, {"graph": graph()})["graph"]


def test_a_text_that_cannot_be_read_stays_as_it_is(alice: Person) -> None:
    answered = validated(alice, {"text": "SELECT", "advance": {"cars": {"preset": "watermark(5s)"}}})
    assert answered["graph"] is None
    assert answered["faults"]
