"""Every template on other streams has the same meaning: only names of streams and fields differ."""

from collections.abc import Mapping

import pytest

from streaming.definition.faults import Severity
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.printing.words import KEYWORDS
from streaming.definition.sql.rewriting.comments import read_comments
from streaming.definition.streams.stream import StreamDefinition
from streaming.templates.catalogue import FOLDER, QueryTemplate, templates
from streaming.templates.renaming import OwnStream, renamed
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript
from tests.templates.test_templates import named
from webapp.scenarios.template_samples import scenario_on


def own_streams(template: QueryTemplate, mark: str) -> dict[str, OwnStream]:
    """Return other names for all, each different: they start with `mark`."""
    return {
        name: OwnStream(f"{mark}{name}", {field: f"{mark}{index}_{field}" for field in stream.fields})
        for index, (name, stream) in enumerate(template.streams.items())
    }


def definitions(template: QueryTemplate, own: Mapping[str, OwnStream]) -> dict[str, StreamDefinition]:
    return {
        each.name: template.streams[name].model_copy(
            update={"fields": {each.fields[field]: of for field, of in template.streams[name].fields.items()}}
        )
        for name, each in own.items()
    }


@pytest.mark.parametrize("template", templates(), ids=named)
def test_it_has_the_same_results_with_other_names(template: QueryTemplate) -> None:
    own = own_streams(template, "my_")
    text = renamed(template.sql, "mine", own)
    scenario = scenario_on(template, own, text)
    streams = {name: each.model_dump(mode="json") for name, each in definitions(template, own).items()}
    on_own = template.transcript.model_validate(
        {
            "name": "mine",
            "streams": streams,
            "sql": text.text,
            "input": scenario["sample"]["rows"],
            "end": scenario["sample"]["end"],
            "expect": scenario["expect"],
        }
    )
    [verdict] = judge([LoadedTranscript(FOLDER, on_own)], "reference", "none")
    assert verdict.differs == ""


@pytest.mark.parametrize("template", templates(), ids=named)
def test_its_comments_and_its_lines_stay(template: QueryTemplate) -> None:
    text = renamed(template.sql, template.name, own_streams(template, "my_")).text
    before = [line for line in template.sql.splitlines() if "--" in line]
    assert [line for line in text.splitlines() if "--" in line] == before
    assert len(text.splitlines()) == len(template.sql.splitlines())
    assert list(read_comments(text).values()) == list(read_comments(template.sql).values())


@pytest.mark.parametrize("template", templates(), ids=named)
def test_conflicting_names_of_the_text_change(template: QueryTemplate) -> None:
    """Streams have the names of its steps and outputs, fields those of its columns, and of words of the language."""
    checked = check_sql(template.sql, template.streams)
    assert checked.script.graph is not None
    ids = [node.id for node in checked.script.graph.nodes if node.id not in template.streams]
    columns = [name for fields in checked.schemas.values() for name in fields]
    words = [*dict.fromkeys(reversed(columns)), *(word.lower() for word in sorted(KEYWORDS))]
    own = {
        name: OwnStream(ids[-1 - index], dict(zip(stream.fields, words, strict=False)))
        for index, (name, stream) in enumerate(template.streams.items())
    }
    text = renamed(template.sql, "mine", own).text
    found = check_sql(text, definitions(template, own))
    assert [each.message for each in found.faults if each.severity is Severity.ERROR] == [], text
    assert found.script.graph is not None
    assert {node.stream for node in found.script.graph.nodes if node.kind == "input"} == set(definitions(template, own))


def test_unnamed_columns_follow_and_equal_names_are_distinguished() -> None:
    [template] = [each for each in templates() if each.name == "ticks_and_reference"]
    trades = OwnStream("deals", {"symbol": "ticker", "price": "name", "quantity": "order"})
    listings = OwnStream("shares", {"symbol": "isin", "company": "name"})
    text = renamed(template.sql, "q", {"trades": trades, "listings": listings}).text
    assert "ADVANCE TIME shares IMPORT FROM deals LATE ADJUST;" in text
    assert text.endswith(
        "SELECT STREAM t.ticker, t.name, t.`order`, l.name AS company\n"
        "FROM deals AS t JOIN shares AS l ON t.ticker = l.isin;\n"
    )
