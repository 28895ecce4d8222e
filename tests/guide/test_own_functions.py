"""The module and the query of the guide do what the page says."""

from wasmtime import wat2wasm

from streaming.guide.own_functions import MODULE, QUERY
from streaming.reference.execution import run_case
from streaming.transcripts.format import Transcript
from streaming.transcripts.prepare import define, prepare
from streaming.wasm.modules import hash_of


def test_the_example_computes_spreads_in_degrees_celsius() -> None:
    hours = [("a", 50.0), ("b", 32.0), ("a", 212.0), ("a", 59.0)]
    transcript = Transcript.model_validate(
        {
            "name": "guide",
            "streams": {
                "meters": {"shape": "point", "fields": {"place": "string", "f": "double"}, "advance": {"late": "drop"}}
            },
            "modules": {"own": MODULE},
            "sql": QUERY.format(hash="own"),
            "input": [
                {"stream": "meters", "start": at, "payload": {"place": place, "f": f}}
                for at, (place, f) in enumerate(hours)
            ],
            "expect": {"events": []},
        }
    )
    result = run_case(prepare(transcript, define(transcript)))
    found = {event.payload["place"]: event.payload["spread"] for event in result.events}
    assert found == {"a": 90.0, "b": 0.0}


def test_the_hash_is_that_of_the_bytes() -> None:
    assert hash_of(bytes(wat2wasm("(module)"))) == "93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476"
