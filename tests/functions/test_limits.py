"""Time and memory of a call are bounded, whatever the arguments."""

from collections.abc import Callable

import pytest

from streaming.functions.failures import MOST_BYTES, FunctionFailure
from streaming.functions.json_texts import MOST_LEVELS, is_json, json_query
from streaming.functions.regular_expressions import regexp_count, regexp_like, regexp_replace
from streaming.functions.texts import MOST_COMPARED, levenshtein, lpad, repeat, rpad


def test_matches_that_each_search_the_rest_of_the_text_fail() -> None:
    assert regexp_count("A" * 1_000, ".*B|A") == 1_000
    with pytest.raises(FunctionFailure, match="too many matches"):
        regexp_count("A" * 200_000, ".*B|A")


def test_a_large_pattern_searches_only_a_short_text() -> None:
    pattern = ".{1,900}c"
    assert not regexp_like("a" * 1_000, pattern)
    with pytest.raises(FunctionFailure, match="too long"):
        regexp_like("a" * 100_000, pattern)


def test_a_replacement_stops_before_it_is_too_long() -> None:
    assert len(regexp_replace("a" * 1_000, "a", "b" * 1_000)) == 1_000_000
    with pytest.raises(FunctionFailure) as failure:
        regexp_replace("a" * 1_100, "a", "b" * 1_000)
    assert failure.value.kind == "too_long"


@pytest.mark.parametrize("nested", ["[" * 101 + "]" * 101, '{"a":' * 101 + "1" + "}" * 101])
def test_json_is_read_to_a_depth_of_100(nested: str) -> None:
    assert not is_json(nested)
    assert is_json(nested.replace("[", "", 1).replace("]", "", 1).replace('{"a":', "", 1).replace("}", "", 1))
    assert MOST_LEVELS == 100


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        '["' + '\\"' * 500_000,
        "[" * 101 + '"' + '\\"' * 500_000,
        '{"a":' * 300_000,
        "[" * 101 + '"\\',
    ],
)
def test_hostile_texts_are_no_json(text: str) -> None:
    assert not is_json(text)


def test_brackets_in_texts_do_not_nest() -> None:
    text = '["' + "[" * 200 + '","\\"' + "{" * 200 + '"]'
    assert is_json(text)
    assert json_query(text, "$") == text


@pytest.mark.parametrize("fill", [lpad, rpad])
def test_a_padded_text_is_at_most_a_mebibyte(fill: Callable[..., str]) -> None:
    assert len(fill("a", MOST_BYTES)) == MOST_BYTES
    for arguments in (("a", MOST_BYTES + 1), ("a", 2**63 - 1), ("é", MOST_BYTES // 2 + 1, "é")):
        with pytest.raises(FunctionFailure):
            fill(*arguments)


def test_a_repeated_text_is_at_most_a_mebibyte() -> None:
    assert len(repeat("ab", MOST_BYTES // 2)) == MOST_BYTES
    assert repeat("", 2**63 - 1) == ""
    for count in (MOST_BYTES // 2 + 1, 2**63 - 1):
        with pytest.raises(FunctionFailure):
            repeat("ab", count)


def test_levenshtein_takes_texts_of_a_thousand_code_points() -> None:
    assert levenshtein("a" * MOST_COMPARED, "é" * MOST_COMPARED) == MOST_COMPARED
    with pytest.raises(FunctionFailure):
        levenshtein("", "a" * (MOST_COMPARED + 1))
