"""Any change of a text leaves it readable, or the reader reports the place that it cannot read."""

from hypothesis import given, settings

from streaming.definition.sql.parse import parse_sql
from tests.definition.sql.drawn.counts import TEXTS_DRAWN
from tests.definition.sql.drawn.texts import WRITTEN, mistaken


@settings(max_examples=TEXTS_DRAWN)
@given(mistaken())
def test_a_mistaken_text_is_read_or_has_a_fault_with_its_place(text: str) -> None:
    script = parse_sql(text)
    assert script.graph is not None or script.faults
    for fault in script.faults:
        assert fault.span is not None, fault
        assert 0 <= fault.span.start <= fault.span.end <= len(text), fault
        assert fault.message
        assert fault.remedy
    for statement in script.statements:
        assert 0 <= statement.commented.start <= statement.span.start <= statement.span.end <= len(text)


def test_the_unchanged_texts_have_no_faults() -> None:
    faults = {text: parse_sql(text).faults for text in WRITTEN}
    assert {text: found for text, found in faults.items() if found} == {}
