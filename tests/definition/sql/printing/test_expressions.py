"""Expressions that are printed verbatim, and those that are quoted."""

import pytest

from tests.definition.sql.printing.test_print import CARS, node, printed, step


@pytest.mark.parametrize(
    "where",
    [
        *(
            "speed > 120",
            "plate in ('a', 'b')",
            "case when n > 1 then 1 else 2 end = 1",
            "`from` = 'where'",
            "n\n  > 1",
        ),
        *("a.b > 1", "n -- the count\n > 1", "plate = ';'", "count > last", "coalesce(n, 0) > 1", "true", "😀 > 1"),
    ],
)
def test_text_that_reads_as_one_expression_is_printed_verbatim(where: str) -> None:
    assert printed(CARS, node("filter", where=where), name="query").endswith(
        f"WHERE {where}\n  );\n" if "\n" in where else f"WHERE {where});\n"
    )


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("n > 1;", "'n > 1;'"),
        ("n, 1", "'n, 1'"),
        ("(n", "'(n'"),
        ("n)", "'n)'"),
        ("it's", "'it\\'s'"),
        ("n -- count", "'n -- count'"),
        ("/* n */ n", "'/* n */ n'"),
        (" n", "' n'"),
        ("n from b", "'n from b'"),
        ("cars.n > 1", "'cars.n > 1'"),
        ("_value.n > 1", "'_value.n > 1'"),
        ("'a\\", "'\\'a\\\\'"),
        ("EXPRESSION 'n'", "'EXPRESSION \\'n\\''"),
    ],
)
def test_text_that_would_be_read_differently_is_quoted(where: str, text: str) -> None:
    assert step(node("filter", where=where)) == f"SELECT STREAM * FROM cars WHERE EXPRESSION {text}"


def test_aggregates_outside_windows_are_quoted() -> None:
    made = node("project", columns=[{"name": "n", "of": "count(*)"}, {"name": "m", "of": "*"}])
    assert step(made) == "SELECT STREAM EXPRESSION 'count(*)' AS n, EXPRESSION '*' AS m FROM cars"
