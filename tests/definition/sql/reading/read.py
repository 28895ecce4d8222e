"""Helpers for tests of the reader: the nodes of a text, and its faults with the words that they mark."""

from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.script import Script


def graph(text: str) -> Script:
    """Return the script of a text without faults."""
    script = parse_sql(text)
    assert script.faults == (), script.faults
    assert script.graph is not None
    return script


def nodes(text: str) -> list[dict[str, object]]:
    """Return the nodes of a text without faults as JSON, without defaults."""
    found = graph(text).graph
    assert found is not None
    return [node.model_dump(mode="json", exclude_defaults=True) for node in found.nodes]


def node(text: str, name: str) -> dict[str, object]:
    """Return the only node of that id, without its id."""
    (found,) = (each for each in nodes(text) if each["id"] == name)
    return {key: value for key, value in found.items() if key != "id"}


def ids(text: str) -> list[str]:
    """Return the ids of the nodes in order."""
    return [str(each["id"]) for each in nodes(text)]


def marked(text: str) -> list[tuple[str, str]]:
    """Return the faults of a text in order: the words that each marks, and its remedy."""
    script = parse_sql(text)
    assert (script.graph is None) == bool(script.faults)
    found = []
    for fault in script.faults:
        assert fault.span is not None
        found.append((text[fault.span.start : fault.span.end], fault.remedy))
    return found


def fault(text: str) -> tuple[str, str]:
    """Return the only fault of a text."""
    found = marked(text)
    assert len(found) == 1, found
    return found[0]
