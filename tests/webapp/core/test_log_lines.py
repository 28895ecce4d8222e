"""Log lines for machines: a line of a request or a task names the organisation for which it works."""

import json
import logging
from uuid import UUID

from webapp.core.context import organisation_context
from webapp.core.log_lines import JsonRequestLines

ACME = UUID("11111111-2222-3333-4444-555555555555")


def written() -> dict[str, str]:
    record = logging.LogRecord("webapp.runs", logging.WARNING, __file__, 1, "run %s", ("one",), None)
    record.request_id = "-"
    found: dict[str, str] = json.loads(JsonRequestLines().format(record))
    assert found.pop("at").endswith("+00:00")
    return found


def test_a_line_inside_an_organisation_names_it_and_others_do_not() -> None:
    plain = {"level": "warning", "where": "webapp.runs", "message": "run one"}
    assert written() == plain
    with organisation_context(ACME):
        assert written() == {**plain, "organisation": str(ACME)}
    assert written() == plain
