"""All matches of a pattern: where each starts, also after empty ones and between code points of several bytes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.functions.regular_expressions import regexp_count, regexp_extract, regexp_replace

PATTERNS = ("a", "a*", "b?", r"\b", "^", "$", "", "a|b", ".", "(a)|(é)", "ab?", "[^a]", "é*", "(?:a|ab)(?:c|bcd)?")
"""Python's own module matches these alike: the first alternative that leads to a match counts in both."""


@pytest.mark.parametrize(
    ("text", "pattern", "replaced"),
    [
        ("  ab", r"\b", "  |ab|"),
        ("baac", "a*", "|b||c|"),
        ("é😀", "", "|é|😀|"),
        ("é😀", "x*", "|é|😀|"),
        ("aé", "$", "aé|"),
        ("", "", "|"),
        ("", "a", ""),
        ("a\nb", "^", "|a\nb"),
        ("a\nb", "(?m)^", "|a\n|b"),
    ],
)
def test_an_empty_match_is_found_once(text: str, pattern: str, replaced: str) -> None:
    assert regexp_replace(text, pattern, "|") == replaced
    assert regexp_count(text, pattern) == replaced.count("|")


@given(st.text("abcé😀 ", max_size=12), st.sampled_from(PATTERNS))
def test_matches_are_those_of_python(text: str, pattern: str) -> None:
    expected = re.compile(pattern, re.ASCII)
    assert regexp_replace(text, pattern, "<$0>") == expected.sub(lambda match: f"<{match[0]}>", text)
    assert regexp_count(text, pattern) == len(expected.findall(text))
    first = expected.search(text)
    assert regexp_extract(text, pattern) == (first[0] if first else None)


@pytest.mark.parametrize(
    ("replacement", "replaced"),
    [("$2$1", "12ab"), ("${n}", "ab"), ("$0$0", "ab12ab12"), ("$$1", "$1"), ("", ""), (r"\1", r"\1"), ("${2}0", "120")],
)
def test_groups_are_put_into_the_replacement(replacement: str, replaced: str) -> None:
    assert regexp_replace("ab12", r"(?P<n>[a-z]+)(\d+)", replacement) == replaced
