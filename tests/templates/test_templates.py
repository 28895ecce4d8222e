"""Every template keeps its promises."""

import pytest

from streaming.definition.sql.parse import parse_sql
from streaming.templates.catalogue import FOLDER, QueryTemplate, templates
from streaming.transcripts.format import ExecutorName
from streaming.transcripts.judge import judge
from streaming.transcripts.load import LoadedTranscript


def named(template: QueryTemplate) -> str:
    return template.name


def test_there_are_twelve_or_more_each_in_the_file_of_its_name() -> None:
    assert len(templates()) >= 12
    assert [each.name for each in templates()] == sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("executor", ["reference", "engine"])
@pytest.mark.parametrize("template", templates(), ids=named)
def test_it_holds_for_every_cut(template: QueryTemplate, executor: ExecutorName) -> None:
    [verdict] = judge([LoadedTranscript(FOLDER, template.transcript)], executor, "all")
    assert verdict.differs == ""


@pytest.mark.parametrize("template", templates(), ids=named)
def test_it_shows_something_late_and_has_a_sentence_on_it(template: QueryTemplate) -> None:
    assert template.late
    assert template.head.shows.endswith(".")
    assert 40 < len(template.head.shows) < 260


@pytest.mark.parametrize("template", templates(), ids=named)
def test_its_text_is_a_query_of_its_name_with_comments(template: QueryTemplate) -> None:
    script = parse_sql(template.sql)
    assert script.graph is not None
    assert (script.graph.name, script.faults) == (template.name, ())
    assert "-- " in template.sql
    assert {node.stream for node in script.graph.nodes if node.kind == "input"} == set(template.streams)
