"""The registry of functions, LIKE patterns and the forms of text that casts read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.casts import LONG_TEXT, NUMBER_TEXT, TIMESTAMP_TEXT, can_cast
from streaming.definition.expressions.functions import (
    ALIASES,
    ELSEWHERE,
    FUNCTIONS,
    find_function,
    unknown_function_remedy,
)
from streaming.definition.expressions.like import PatternError, like_regex
from streaming.definition.expressions.signatures import FunctionEntry
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Type,
    widens,
)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_every_function_has_a_signature_and_a_line_of_help(function: FunctionEntry) -> None:
    assert function.signature.startswith(f"{function.name}(")
    assert function.help.endswith(".")
    assert function.maximum is None or 0 <= function.minimum <= function.maximum


def test_aliases_name_functions_and_hide_none() -> None:
    assert set(ALIASES.values()) <= set(FUNCTIONS)
    assert not set(ALIASES) & set(FUNCTIONS)
    assert all(find_function(alias) is FUNCTIONS[name] for alias, name in ALIASES.items())


def test_names_of_other_systems_lead_to_functions_and_hide_none() -> None:
    assert set(ELSEWHERE.values()) <= set(FUNCTIONS)
    assert not set(ELSEWHERE) & {*FUNCTIONS, *ALIASES, *AGGREGATES}
    assert unknown_function_remedy("get_json_object") == "write json_value(string, path) -> string"


@pytest.mark.parametrize(
    "name",
    [
        "reflect",
        "java_method",
        "input_file_name",
        "read_files",
        "rand",
        "uuid",
        "now",
        "current_date",
        "version",
        "udf",
    ],
)
def test_functions_that_read_outside_the_row_do_not_exist(name: str) -> None:
    assert find_function(name) is None


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("abc", ["abc"], ["abcd", "xabc", "ABC", ""]),
        ("a%", ["a", "abc", "a\nb"], ["ba"]),
        ("%b%", ["b", "abc"], ["ac"]),
        ("a_c", ["abc", "a\nc", "a😀c"], ["ac", "abbc"]),
        (r"10\%", ["10%"], ["100", r"10\%"]),
        (r"a\_b", ["a_b"], ["axb"]),
        (r"a\\b", ["a\\b"], ["ab"]),
        ("a.c", ["a.c"], ["abc"]),
        ("(a|b)*", ["(a|b)*"], ["a"]),
        ("", [""], ["a"]),
        ("%", ["", "anything\n"], []),
    ],
)
def test_a_pattern_matches_the_whole_text(pattern: str, matching: list[str], other: list[str]) -> None:
    regex = re.compile(like_regex(pattern))
    assert all(regex.fullmatch(text) for text in matching)
    assert not any(regex.fullmatch(text) for text in other)


@pytest.mark.parametrize("pattern", ["\\", "a\\", "\\a", "\\n"])
def test_a_backslash_that_escapes_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="backslash"):
        like_regex(pattern)


@given(st.text())
def test_a_text_without_wildcards_matches_itself_only(text: str) -> None:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    assert re.fullmatch(like_regex(escaped), text)
    assert not re.fullmatch(like_regex(escaped), text + "x")


@pytest.mark.parametrize(
    ("form", "matching", "other"),
    [
        (LONG_TEXT, ["0", "-12", "+007"], ["", " 1", "1.0", "1e3", "१", "--1"]),
        (NUMBER_TEXT, ["0", "-1.5", "1.", ".5", "1e3", "+1E-3"], ["", ".", "e3", "1e", "NaN", "Infinity", "0x1", "1 "]),
        (
            TIMESTAMP_TEXT,
            [
                "2026-01-31",
                "2026-01-31T12:00",
                "2026-01-31 12:00:01.5",
                "2026-01-31T12:00:01.123456Z",
                "2026-01-31T12:00+02:00",
            ],
            [
                "",
                "20260131",
                "2026-1-31",
                "2026-01-31T",
                "2026-01-31T12",
                "2026-01-31T12:00:01.",
                "2026-01-31Z",
                "2026-W05-6",
            ],
        ),
    ],
)
def test_casts_from_text_read_these_forms_only(form: str, matching: list[str], other: list[str]) -> None:
    assert all(re.fullmatch(form, text) for text in matching)
    assert not any(re.fullmatch(form, text) for text in other)


SCALARS: list[Type] = [LONG, DOUBLE, DecimalOf(10, 2), STRING, BOOLEAN, TIMESTAMP]


@pytest.mark.parametrize("of", [*SCALARS, Array(LONG)])
def test_every_type_casts_to_itself_and_null_to_every_type(of: Type) -> None:
    assert can_cast(of, of)
    assert can_cast(NULL, of)


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (DOUBLE, STRING),
        (LONG, TIMESTAMP),
        (TIMESTAMP, LONG),
        (BOOLEAN, DOUBLE),
        (Array(LONG), Array(DOUBLE)),
        (STRING, Array(STRING)),
    ],
)
def test_casts_that_two_systems_would_read_differently_do_not_exist(source: Type, to: Type) -> None:
    assert not can_cast(source, to)


def test_only_null_and_numbers_widen_implicitly() -> None:
    pairs = {(str(one), str(other)) for one in SCALARS for other in SCALARS if one != other and widens(one, other)}
    assert pairs == {("long", "double"), ("decimal(10,2)", "double")}
    assert widens(LONG, DecimalOf(20, 0))
    assert not widens(LONG, DecimalOf(10, 2))  # not every long fits
    assert all(widens(NULL, of) for of in SCALARS)
