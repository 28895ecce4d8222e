"""Constants that functions check: each invalid one is an error of the query, with its place and a remedy."""

import pytest

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.typed import typed
from streaming.definition.payload.type_text import parse_fields

FIELDS = parse_fields({"s": "string", "n": "long", "x": "double", "t": "timestamp"})


@pytest.mark.parametrize(
    ("text", "at", "message", "remedy"),
    [
        ("regexp_like(s, '(?=a)')", "'(?", "looks around", "look-ahead"),
        ("regexp_like(s, 'a(?<!b)')", "'a", "looks around", "look-behind"),
        (r"regexp_like(s, '(a)\\1')", "'(a", "one of its groups", "write out"),
        ("regexp_like(s, '(a')", "'(a", "missing )", "RE2"),
        ("regexp_like(s, 'a{1001}')", "'a{", "too large", "less often"),
        (r"regexp_like(s, '(\\pL{100}){9}')", "'(", "too large", "less often"),
        ("regexp_like(s, s)", "s)", "constant", "literal"),
        ("regexp_like(s, null)", "null", "constant", "literal"),
        ("regexp_count(s, '*')", "'*", "invalid", "RE2"),
        ("regexp_extract(s, '(a)', 2)", "2", "no group 2", "0 to 1"),
        ("regexp_extract(s, 'a', -1)", "-1", "no group -1", "0 to 0"),
        ("regexp_extract(s, 'a', n)", "n)", "constant", "literal"),
        ("regexp_replace(s, 'a', '$1')", "'$1", "$1", "$$ for a dollar"),
        ("regexp_replace(s, '(?P<k>a)', '${q}')", "'${", "${q}", "${name}"),
        ("regexp_replace(s, 'a', '5 $')", "'5", "'$'", "$$"),
        ("regexp_replace(s, 'a', s)", "s)", "constant", "literal"),
        ("json_value(s, 'a')", "'a'", "'a'", "write $"),
        ("json_value(s, '$..a')", "'$", "'..a'", "wildcards"),
        ("json_query(s, '$.a[*]')", "'$", "'[*]'", "wildcards"),
        ("json_exists(s, '$[-1]')", "'$", "'[-1]'", "[last]"),
        ("json_value(s, '$.a b')", "'$", "' b'", "write $"),
        ("extract('eon', t)", "'eon", "eon", "'yearofweek'"),
        ("extract(eon from t)", "eon", "eon", "'yearofweek'"),
        ("extract('day', t, 'Mars')", "'Mars", "Mars", "Europe/Berlin"),
        ("date_trunc('day', t, 'CEST')", "'CEST", "CEST", "Europe/Berlin"),
        ("date_trunc('day', t, s)", "s)", "constant", "literal"),
        ("at_timezone(t, '../x')", "'..", "time zone", "Europe/Berlin"),
        ("date_format(t, 'yyyy-QQ')", "'yyyy", "QQ", "yyyy, yy"),
        ('date_format(t, "\'at")', '"', "not closed", "quotation mark"),
        ("date_format(t, 'yyyy', 'x')", "'x'", "time zone", "Europe/Berlin"),
        ("st_within(x, x, 'POINT (0 0)')", "'POINT", "POINT", "POLYGON"),
        ("h3_cell(x, x, 16)", "16", "resolution 16", "0 to 15"),
        ("h3_cell(x, x, n)", "n)", "constant", "literal"),
    ],
)
def test_an_invalid_constant_is_an_error_at_its_place(text: str, at: str, message: str, remedy: str) -> None:
    faults = typed(parse(text), FIELDS)
    assert isinstance(faults, tuple)
    assert [(fault.code, fault.at) for fault in faults] == [("bad_expression", text.index(at))]
    assert message in faults[0].message
    assert remedy in faults[0].remedy


@pytest.mark.parametrize("text", [r"regexp_like(s, '\d+')", r"regexp_replace(s, 'a\.b', '')", r"rlike(s, '\\w\b')"])
def test_a_backslash_that_a_pattern_would_lose_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"loses the backslash.*write it twice") as error:
        parse(text)
    assert error.value.fault.at == text.index("'")


@pytest.mark.parametrize("text", [r"regexp_like(s, '\\d\n\'')", r"replace(s, '\d', 'x')", r'regexp_like(s, "\\\\")'])
def test_other_backslashes_are_kept(text: str) -> None:
    assert not isinstance(typed(parse(text), FIELDS), tuple)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("extract(year from t)", "extract('year', t)"),
        ("extract(HOUR FROM t)", "extract('hour', t)"),
        ("position('a' in s)", "position('a', s)"),
        ("position(s || 'b' in s)", "position(concat(s, 'b'), s)"),
        ("locate('a', s)", "position('a', s)"),
    ],
)
def test_forms_of_the_sql_standard_are_the_same_calls(text: str, same: str) -> None:
    assert typed(parse(text), FIELDS) == typed(parse(same), FIELDS)


@pytest.mark.parametrize("text", ["position('a')", "position('a' in)", "extract(year from)", "extract(year t)"])
def test_incomplete_forms_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)
