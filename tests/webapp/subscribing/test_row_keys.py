"""Keys: values as text, read by the type of their field."""

from typing import Any

import pytest

from webapp.monitoring.row_keys import KeyFilter, KeyProblem, key_of

TYPES = {
    "n": "long",
    "x": "double",
    "d": "decimal(10,2)",
    "s": "string",
    "b": "boolean",
    "t": "timestamp",
    "a": "array<long>",
}


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("n:-7", -7),
        ("x:2", 2.0),
        ("x:2.5", 2.5),
        ("d:1.5", "1.50"),
        ("s:", ""),
        ("s:a:b", "a:b"),
        ("s", None),
        ("b:true", True),
        ("t:2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("t:2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000000Z"),
    ],
)
def test_a_row_has_the_key_if_its_value_is_the_same(text: str, stored: Any) -> None:
    keys = KeyFilter(key_of([text]), TYPES)
    name = text.partition(":")[0]
    assert keys.matches({name: stored})
    assert not keys.matches({name: "another" if name == "s" else None})
    assert not keys.matches({name: [stored]}), "of a version in which the field had another type"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n:1.5", "'1.5' isn't a value of the field n, which has the type long."),
        ("b:yes", "'yes' isn't a value of the field b"),
        ("t:soon", "'soon' isn't a value of the field t"),
        ("d:much", "'much' isn't a value of the field d"),
        ("d:sNaN", "'sNaN' isn't a value of the field d"),
        ("d:-Infinity", "'-Infinity' isn't a value of the field d"),
        ("a:1", "The field a has the type array<long>, which can't be in a key."),
        ("z:1", "This output has no field 'z'."),
    ],
)
def test_a_key_that_no_row_can_have_is_an_error(text: str, words: str) -> None:
    with pytest.raises(KeyProblem) as problem:
        KeyFilter(key_of([text]), TYPES)
    assert problem.value.message.startswith(words)
